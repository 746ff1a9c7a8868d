// Owns V8's code cache of the executable's bundle: the functions that `dev` and `serve` call until their first
// answers. V8 reads all of a cache at each start, and compiles what is not in it when it is called.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

import { codeCacheAsset, programAsset, seaConfigFile } from './program_assets.ts';

/**
 * Two caches of one bundle are equal to the byte. What V8 writes of a function would differ otherwise: the order
 * of its table of strings follows a random seed, code that was not called for a while is thrown away, whether a
 * function was compiled further depends on the clock, and gaps in objects have what lay there before, unless
 * memory is never used again. The second of each is V8's own, and is set before the cache is written: V8 refuses
 * one that was written under other flags than those it is read under.
 */
const flags: readonly (readonly [steady: string, usual: string])[] = [
  ['--hash-seed=1', '--hash-seed=0'],
  ['--no-flush-bytecode', '--flush-bytecode'],
  ['--no-sparkplug', '--sparkplug'],
  [
    '--invocation-count-for-feedback-allocation=100000',
    '--invocation-count-for-feedback-allocation=8',
  ],
  ['--min-semi-space-size=128', '--min-semi-space-size=0'],
  ['--max-semi-space-size=128', '--max-semi-space-size=0'],
  ['--initial-old-space-size=1000', '--initial-old-space-size=0'],
];

/** Milliseconds for a step; where another architecture is emulated it takes a minute. */
const patience = 600_000;

/**
 * Writes the code cache of a bundle beside it, into the folder of a build.
 * @param runs the command line of the node that is to read it: the cache is of its architecture
 */
export function writeCodeCache(
  folder: string,
  [command = process.execPath, ...before]: readonly string[] = [],
): void {
  const steady = [...flags.map(([one]) => one), '--random-seed=1'];
  for (const step of ['rehearse', 'settle']) {
    // What NODE_COMPILE_CACHE holds of this file would change the tables, too.
    const options = { cwd: folder, env: {}, timeout: patience, stdio: 'pipe' } as const;
    execFileSync(command, [...before, ...steady, import.meta.filename, step], options);
  }
}

if (import.meta.main) {
  if (process.argv[2] === 'settle') settle();
  else await rehearse();
}

/**
 * V8 numbers functions in the order in which they were met, those of node's own modules among them. Read again
 * they have the order of the cache.
 */
function settle(): void {
  const script = new Script(readFileSync(programAsset, 'utf8'), {
    filename: programAsset,
    cachedData: readFileSync(codeCacheAsset),
  });
  if (script.cachedDataRejected === true) throw new Error('V8 refuses the code cache');
  for (const [, usual] of flags) setFlagsFromString(usual);
  writeFileSync(codeCacheAsset, script.createCachedData());
}

/** Runs `dev` and `serve` as the executable will, and asks each for a login page. */
async function rehearse(): Promise<void> {
  const folder = process.cwd();
  const script = new Script(readFileSync(programAsset, 'utf8'), { filename: programAsset });
  const run = script.runInThisContext() as (require: (id: string) => unknown) => void;
  const { assets } = JSON.parse(readFileSync(seaConfigFile, 'utf8')) as {
    readonly assets: Readonly<Record<string, string>>;
  };
  const contentOf = (name: string): Buffer => readFileSync(assets[name] ?? '');
  const sea = {
    isSea: () => true,
    getAsset: (name: string, encoding?: BufferEncoding) =>
      encoding === undefined
        ? new Uint8Array(contentOf(name)).buffer
        : contentOf(name).toString(encoding),
    getAssetKeys: () => Object.keys(assets),
  };
  waitForNothing();
  mkdirSync('rehearsal/programmes', { recursive: true });
  process.chdir('rehearsal');
  for (const name of Object.keys(assets)) {
    if (name.startsWith('programmes/')) writeFileSync(name, contentOf(name));
  }
  writeFileSync(
    'config.yaml',
    'environment: staging\nlisten: 127.0.0.1:0\npublic_url: http://127.0.0.1:8080\nstore: file:./jetway.db\n',
  );
  for (const args of [['dev', '--listen', '127.0.0.1:0'], ['serve']]) {
    const listens = addressPrinted();
    process.argv = [process.execPath, process.execPath, ...args];
    run((id) => (id === 'node:sea' ? sea : process.getBuiltinModule(id)));
    await ask(`${await listens}/executive-club/login`);
  }
  writeFileSync(join(folder, codeCacheAsset), script.createCachedData());
  process.exit(0);
}

/** What comes later than a first answer would come before it on a slower machine. */
function waitForNothing(): void {
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const usual = globalThis[name] as (...args: unknown[]) => NodeJS.Timeout;
    const patient = (task: () => void, delay = 0, ...rest: unknown[]): NodeJS.Timeout =>
      usual(task, delay < 50 ? delay : 2 ** 31 - 1, ...rest);
    Object.assign(globalThis, { [name]: patient });
  }
}

/** Resolves to the next address at which a server says that it listens. */
function addressPrinted(): Promise<string> {
  return new Promise((resolve) => {
    console.log = (text: string): void => {
      const address = /http:\/\/127\.0\.0\.1:\d+(?=\/$| as )/m.exec(text)?.[0];
      if (address !== undefined) resolve(address);
    };
  });
}

function ask(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = get(url, { agent: false }, (answer) => {
      answer.resume().on('end', resolve);
    });
    asked.on('error', reject);
  });
}
