// Owns building the executable: one bundle of src/, embedded with the shipped files into a stripped
// copy of node.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { serialize } from 'node:v8';

import { threadAsset } from '../src/lib/asset.ts';
import { parseYaml } from '../src/lib/yaml/yaml.ts';
import { type BuildFacts, buildFactsAsset, versionLineOf } from '../src/server/version.ts';
import { bundledProgram, bundledScript } from './build/bundle.ts';
import { writeCodeCache } from './build/code_cache.ts';
import {
  codeCacheAsset,
  programAsset,
  seaConfigFile,
  versionAsset,
} from './build/program_assets.ts';
import { ownTarget, strippedNode, type Target } from './build/target.ts';
import { sourceState } from './source_state.ts';

const root = join(import.meta.dirname, '..');

/** Where `npm run build` puts the executable. */
export const executable: string = join(root, 'dist/jetway');

/** The modules that `src/lib/asset.ts` starts as threads; the executable has no files for them. */
const threads = ['src/members/hashing_worker.ts', 'src/store/sqlite/commits/checkpoint_worker.ts'];

/** The files that `src/lib/asset.ts` finds in the executable, by path from the root. */
const shipped = [
  'config.example.yaml',
  'docs/programme.schema.json',
  'package.json',
  'programmes/*.{png,svg,yaml}',
  'src/http/demo/demo.{css,js}',
  'src/http/page.{css,js}',
  'src/http/post.js',
  'src/programme/login/base.css',
  'src/contract/partner/page.css',
];

/** The shipped files that the executable has parsed. */
const parsed = ['src/language/slips/absent_words.yaml', 'src/variants/**/*.yaml'];

/** The inputs of the executable. Folders count too: their time changes when a file is removed. */
const inputs = [
  ...shipped,
  'package-lock.json',
  'scripts/build.ts',
  'scripts/build/**',
  'programmes/**',
  'src/**',
];

/** Beside the executable: its inputs' digest and commit. */
const factsFile = 'jetway.build.json';

/** The state of the inputs in git. */
export const currentSource = (): BuildFacts['source'] => sourceState(root, inputs);

/**
 * Builds `jetway` into a folder and returns its path.
 *
 * Two builds of one commit with one node and one strip give the same bytes: no folder of the
 * machine is recorded and every list is sorted. The file is replaced at one stroke, so a running
 * executable keeps its own and two builds at once do no harm.
 */
export async function build(folder: string, target: Target = ownTarget): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, '.build-'));
  try {
    const assets = Object.fromEntries(matches(shipped).map((path) => [path, join(root, path)]));
    const embed = (asset: string, content: string | Uint8Array): void => {
      assets[asset] = join(work, asset.replaceAll('/', '-'));
      writeFileSync(assets[asset], content);
    };
    for (const path of matches(parsed)) {
      embed(path, serialize(parseYaml(path, readFileSync(join(root, path), 'utf8'))));
    }
    for (const thread of threads) embed(threadAsset(thread), await bundledScript(thread));
    const { source, map } = await bundledProgram();
    embed(programAsset, source);
    writeFileSync(join(folder, `${programAsset}.map`), map);
    const facts = factsOf(assets);
    assets[buildFactsAsset] = join(folder, factsFile);
    writeFileSync(assets[buildFactsAsset], JSON.stringify(facts));
    const manifest = readFileSync(join(root, 'package.json'), 'utf8');
    embed(versionAsset, `${versionLineOf(manifest, facts)}\n`);
    assets[codeCacheAsset] = join(work, codeCacheAsset);
    writeFileSync(
      join(work, seaConfigFile),
      JSON.stringify(seaConfig(strippedNode(target), assets)),
    );
    writeCodeCache(work, target.runs);
    writeFileSync(join(work, 'launch.cjs'), await bundledScript('scripts/build/launch.ts'));
    // The main file's path is recorded in the executable: the working folder keeps it short.
    run(process.execPath, ['--build-sea', seaConfigFile], work);
    chmodSync(join(work, 'jetway'), 0o755);
    renameSync(join(work, 'jetway'), join(folder, 'jetway'));
  } finally {
    rmSync(work, { recursive: true });
  }
  return join(folder, 'jetway');
}

/**
 * The facts in the executable; a copy is kept beside it.
 * @param assets by their names in the executable, as `sea.json` has them
 */
function factsOf(assets: Readonly<Record<string, string>>): BuildFacts {
  const hash = createHash('sha256').update(process.version);
  for (const [name, path] of Object.entries(assets)) {
    if (name !== buildFactsAsset) hash.update(name).update(readFileSync(path));
  }
  const source = currentSource();
  return { build: hash.digest('hex').slice(0, 12), ...(source === undefined ? {} : { source }) };
}

/** Builds `dist/jetway` unless it exists, is newer than all inputs, and is of this commit. */
export async function buildIfStale(): Promise<string> {
  const folder = join(executable, '..');
  const built = statSync(executable, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isStale =
    matches(inputs).some((path) => changedAt(join(root, path)) > built) ||
    !isDeepStrictEqual(sourceTold(folder), currentSource());
  return isStale ? build(folder) : executable;
}

/** The sources that the executable of a folder was made from. */
function sourceTold(folder: string): BuildFacts['source'] {
  const path = join(folder, factsFile);
  if (!existsSync(path)) return undefined;
  return (JSON.parse(readFileSync(path, 'utf8')) as BuildFacts).source;
}

/** When a file got its content here, in milliseconds: a copied file may have an older time. */
export function changedAt(path: string): number {
  const { mtimeMs, ctimeMs } = statSync(path);
  return Math.max(mtimeMs, ctimeMs);
}

function seaConfig(node: string, assets: Readonly<Record<string, string>>): object {
  return {
    main: 'launch.cjs',
    mainFormat: 'commonjs',
    executable: node,
    output: 'jetway',
    assets,
    // HOSTILE 61: no debugger and no code by NODE_OPTIONS, SIGUSR1 or OPENSSL_CONF. What node reads
    // besides, scripts/build/launch.ts takes away.
    execArgvExtension: 'none',
    execArgv: ['--disable-sigusr1', '--openssl-config=/dev/null'],
    disableExperimentalSEAWarning: true,
  };
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`);
}

function matches(patterns: readonly string[]): string[] {
  return globSync(patterns, { cwd: root })
    .map((path) => path.replaceAll(sep, '/'))
    .toSorted();
}

if (import.meta.main) {
  const begun = performance.now();
  const path = await build(resolve(process.argv[2] ?? join(executable, '..')));
  const megabytes = (statSync(path).size / 1e6).toFixed(0);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`${path}: ${megabytes} MB in ${seconds} s`);
}
