// Owns the layout of the house as rules over source texts: floors, packages, names and sizes.
// Reads no files, so that a test can plant a violation of each.

import { isBuiltin } from 'node:module';
import { posix } from 'node:path';

import { type SourceFile, codeOf, hasComputedImport, modulesNamed, pathNamed } from './imports.ts';

export interface Violation {
  readonly rule: string;
  readonly path: string;
  readonly detail: string;
}

type Rule = (file: SourceFile, house: House) => readonly string[];

interface House {
  /** The names of shipped programmes and variants, which are data and never code. */
  readonly shippedNames: readonly string[];
  readonly cycles: ReadonlyMap<string, string>;
  /** The files of each folder, its folders apart. */
  readonly shelves: ReadonlyMap<string, readonly string[]>;
}

/** Folders of src/, lowest floor first; those of one floor do not know each other. */
const floors: readonly (readonly string[])[] = [
  ['lib'],
  ['schema', 'oauth'],
  ['store', 'token', 'members', 'audit'],
  ['language'],
  ['programme'],
  ['rules', 'contract', 'engine'],
  ['http'],
  ['config'],
  ['server'],
  ['cli'],
  ['main.ts'],
];

/** Where a package may be named. A package that is not here has no home in src/ yet. */
const homes: ReadonlyMap<string, readonly string[]> = new Map([
  ['hono', ['http']],
  ['@hono/node-server', ['http']],
  ['jose', ['token']],
  ['pg', ['store']],
  ['yaml', ['lib']],
  ['valibot', ['schema', 'language', 'config']],
  ['commander', ['cli']],
  ['bcryptjs', ['members']],
  ['marked', ['contract']],
  ['node:sqlite', ['store', 'audit']],
]);

/** What a file says; only these compile it, or check it. */
const definition = 'src/language/definition.ts';
const seesDefinition = new Set(['language', 'programme', 'rules']);

/** The help for keys walks the schema, and reads no file. */
const keyHelp = 'src/cli/key_help.ts';

const longest = 400;
const mostFiles = 25;

/** Where files are loaded, laid over their variant and shown; nothing else hears of variants. */
const readsVariants = new Set(['schema', 'language', 'rules', 'server', 'cli']);

/** `variant === 'grant'`, the same the other way round, `switch (….variant)`, `variant.startsWith`. */
const comparesVariant =
  /\bvariant(?:Name)?\s*[!=]==?\s*['"`]|['"`]\s*[!=]==?\s*[\w.]*\bvariant\b|switch\s*\([^)]*\bvariant\b|\bvariant\??\.(?:startsWith|endsWith|includes|match|search|indexOf)\b/;

/** What a programme is called, anywhere: `programme.id`, `definition.base_path`. */
const itsName =
  /\b(?:programme|definition|loaded|service)\b[\w.?]*\.(?:id|identifier|name|basePath|ownPath|issuer|audience|programme_identifier|base_path)\b/
    .source;

/** A programme's name held against a text of the code's own. */
const comparesProgramme = new RegExp(
  [
    `${itsName}\\s*[!=]==?\\s*['"\`]`,
    `['"\`]\\s*[!=]==?\\s*[\\w.]*${itsName}`,
    `switch\\s*\\([^)]*${itsName}`,
    `${itsName}\\??\\.(?:startsWith|endsWith|includes|match|search|indexOf|length)\\b`,
    `\\.test\\([\\w.]*${itsName}`,
    `\\]\\.includes\\([\\w.]*${itsName}`,
  ].join('|'),
);

const rules: Readonly<Record<string, Rule>> = {
  floor: ({ path, text }) => {
    const folder = folderOf(path);
    if (folder === undefined) return [];
    if (floorOf(folder) < 0) return [`${folder} has no floor`];
    return modulesNamed(text).flatMap((module) => stepFault(folder, { path, text }, module));
  },

  // A second reading of a file in words of its own would soon differ from what runs.
  definition: ({ path, text }) => {
    const folder = folderOf(path);
    if (folder === undefined || seesDefinition.has(folder) || path === keyHelp) return [];
    const names = modulesNamed(text).map((module) => pathNamed({ path, text }, module));
    const words = codeOf(text).replaceAll(/(['"])(?:\\.|(?!\1).)*\1/g, '');
    return names.includes(definition) || /\bdefinition\b/i.test(words)
      ? [`${folder} sees a definition, not what is compiled`]
      : [];
  },

  package: ({ path, text }) => {
    const folder = folderOf(path);
    if (folder === undefined) return [];
    return modulesNamed(text).flatMap((module) => packageFault(folder, module));
  },

  'computed import': ({ path, text }) =>
    folderOf(path) !== undefined && hasComputedImport(text) ? ['cannot be checked'] : [],

  'file name': ({ path }) => {
    const [stem = '', ...suffixes] = posix.basename(path).split('.');
    const isSnake = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(stem);
    const isKnown = ['ts', 'test.ts', 'slow.test.ts'].includes(suffixes.join('.'));
    return isSnake && isKnown
      ? []
      : ['is not snake_case.ts, snake_case.test.ts or snake_case.slow.test.ts'];
  },

  utils: ({ path }) =>
    /(?:^|[/_])(?:utils?|helpers?|misc)(?:[/_.]|$)/.test(path)
      ? ['says nothing of its content']
      : [],

  barrel: ({ path, text }) => [
    ...(posix.basename(path) === 'index.ts' ? ['index.ts'] : []),
    ...(/\bexport\s*(?:type\s*)?\*/.test(codeOf(text)) ? ['exports * of another file'] : []),
  ],

  // node:test takes a reporter by no other name.
  'default export': ({ path, text }) =>
    path !== 'scripts/failed_files.ts' &&
    /\bexport\s+default\b|\bexport\s*\{[^}]*\bas\s+default\b/.test(codeOf(text))
      ? ['found']
      : [],

  'opening comment': ({ text }) =>
    /^(?:#![^\n]*\n)?\s*(?:\/\/|\/\*)/.test(text) ? [] : ['no sentence on what the file owns'],

  length: ({ text }) => {
    const lines = text.split('\n').length - 1;
    return lines > longest ? [`${lines} lines, at most ${longest}`] : [];
  },

  // Said once for each folder, of its first file.
  shelf: ({ path }, { shelves }) => {
    const folder = posix.dirname(path);
    const [first, ...others] = shelves.get(folder) ?? [];
    if (folderOf(path) === undefined || path !== first || others.length < mostFiles) return [];
    return [`${others.length + 1} files in ${folder}, at most ${mostFiles}`];
  },

  'import cycle': ({ path }, { cycles }) => [cycles.get(path) ?? []].flat(),

  // However it is written: `executive-club`, ExecutiveClub, 'executive' + '-club'.
  'shipped name': ({ path, text }, { shippedNames }) => {
    if (folderOf(path) === undefined) return [];
    const squeezed = squeeze(text);
    return shippedNames.filter((name) => squeezed.includes(squeeze(name)));
  },

  'variant comparison': ({ path, text }) => {
    const folder = folderOf(path);
    if (folder === undefined) return [];
    if (!readsVariants.has(folder) && /\bvariants?\b/i.test(codeOf(text))) {
      return ['code asks of what variant it is told'];
    }
    return comparesVariant.test(text) ? ['code asks which variant it serves'] : [];
  },

  'programme comparison': ({ path, text }) =>
    folderOf(path) !== undefined && comparesProgramme.test(text)
      ? ['code asks which programme it serves']
      : [],
};

/**
 * Every violation among the files, which are judged together.
 *
 * @param shippedNames names of programmes and variants that may appear nowhere in src/; a name
 *   that is also a plain word (`grant`) is left to the comparison rule
 */
export function violations(
  files: readonly SourceFile[],
  shippedNames: readonly string[],
): readonly Violation[] {
  const paths = files.map(({ path }) => path);
  const shelves = Map.groupBy(paths, (path) => posix.dirname(path));
  const house: House = { shippedNames, cycles: cyclesAmong(files), shelves };
  return files.flatMap((file) =>
    Object.entries(rules).flatMap(([rule, check]) =>
      check(file, house).map((detail) => ({ rule, path: file.path, detail })),
    ),
  );
}

/** Letters and digits alone, in lower case. */
function squeeze(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '');
}

/** `src/lib/clock.ts` → `lib`, `src/main.ts` → `main.ts`, anything outside src → undefined. */
function folderOf(path: string): string | undefined {
  const [top, folder] = path.split('/');
  return top === 'src' ? folder : undefined;
}

function floorOf(folder: string): number {
  return floors.findIndex((floor) => floor.includes(folder));
}

function stepFault(folder: string, file: SourceFile, module: string): readonly string[] {
  const path = pathNamed(file, module);
  if (path === undefined) return [];
  const target = folderOf(path);
  if (target === undefined) return [`${module} is outside src`];
  if (target === folder) return [];
  const isLower = floorOf(target) >= 0 && floorOf(target) < floorOf(folder);
  return isLower ? [] : [`${folder} may not import ${target} (${module})`];
}

function packageFault(folder: string, module: string): readonly string[] {
  if (module.startsWith('.') || module.startsWith('/')) return [];
  const depth = module.startsWith('@') ? 2 : 1;
  const name = module.startsWith('node:') ? module : module.split('/').slice(0, depth).join('/');
  const home = homes.get(name);
  if (home !== undefined) return home.includes(folder) ? [] : [`${name} in ${folder}`];
  if (!isBuiltin(module)) return [`${name} has no home`];
  return module.startsWith('node:') ? [] : [`${module} without node:`];
}

/** For each file on a cycle, one way round it. Type imports count: they tie files as well. */
function cyclesAmong(files: readonly SourceFile[]): ReadonlyMap<string, string> {
  const imports = new Map(
    files.map((file) => [
      file.path,
      modulesNamed(file.text).flatMap((module) => pathNamed(file, module) ?? []),
    ]),
  );
  const cycles = new Map<string, string>();
  for (const path of imports.keys()) {
    const way = wayBack(path, imports);
    if (way !== undefined) cycles.set(path, way.join(' > '));
  }
  return cycles;
}

function wayBack(
  start: string,
  imports: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const queue: (readonly string[])[] = [[start]];
  const seen = new Set<string>();
  for (const way of queue) {
    for (const next of imports.get(way.at(-1) ?? '') ?? []) {
      if (next === start) return [...way, next];
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push([...way, next]);
    }
  }
  return undefined;
}
