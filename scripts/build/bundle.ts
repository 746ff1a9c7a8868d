// Owns bundles of sources: of the executable, of its threads, and of programs that tests start.

import { join } from 'node:path';

import { build, type BuildOptions } from 'esbuild';

const root = join(import.meta.dirname, '../..');

/**
 * Smaller sources take less of an idle server's memory. Identifiers stay as they are, so that a stack names our
 * functions: `keepNames` beside short ones would set the name of each closure whenever it is made.
 */
const usual = {
  absWorkingDir: root,
  write: false,
  bundle: true,
  platform: 'node',
  target: 'node26',
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** The bundle of an entry as a module, for node to run from a file. */
export async function bundledModule(entry: string): Promise<string> {
  const { outputFiles } = await build({
    ...usual,
    entryPoints: [entry],
    format: 'esm',
    // Packages published as CommonJS still call require() for node's own modules.
    banner: {
      js: [
        "import { createRequire as createBundleRequire } from 'node:module';",
        'const require = createBundleRequire(import.meta.url);',
      ].join('\n'),
    },
  });
  return onlyText(outputFiles);
}

/**
 * The executable's bundle as the expression of a function that takes `require`, and the source map
 * for its stacks.
 *
 * As a module it would read every export of node's modules that it names, also those that load more
 * on being read: `node:http` exports the WebSocket of undici.
 */
export async function bundledProgram(): Promise<{ readonly source: string; readonly map: string }> {
  const { outputFiles } = await build({
    ...usual,
    entryPoints: ['src/main.ts'],
    outfile: 'jetway.cjs',
    format: 'cjs',
    banner: { js: '(function(require){' },
    footer: { js: '})' },
    // Of the checkout; the executable has assets instead.
    define: { 'import.meta.dirname': "''" },
    // 5 MB of memory less than a map within the executable.
    sourcemap: 'external',
    sourcesContent: false,
    sourceRoot: 'jetway:///',
  });
  const [map, source] = outputFiles.toSorted((one) => (one.path.endsWith('.map') ? -1 : 1));
  if (source === undefined || map === undefined) throw new Error('esbuild returned no bundle');
  // Of one other character V8 would keep the whole in two bytes a character.
  const [, odd] = /([^\n]{0,40}[^\0-\x7F])/.exec(source.text) ?? [];
  if (odd !== undefined) throw new Error(`a tagged template keeps more than ASCII: ${odd}`);
  return { source: source.text, map: map.text };
}

/** The bundle of an entry as a script: of a thread, or of the executable's first code. */
export async function bundledScript(entry: string): Promise<string> {
  const { outputFiles } = await build({ ...usual, entryPoints: [entry], format: 'cjs' });
  return onlyText(outputFiles);
}

function onlyText([made]: readonly { readonly text: string }[]): string {
  if (made === undefined) throw new Error('esbuild returned no bundle');
  return made.text;
}
