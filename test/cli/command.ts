// Owns running the real command line in a folder of its own, as an operator would.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

import { present } from '../../src/lib/present.ts';
import { bundleOf, program } from '../support/program.ts';
import { scratchFolder } from '../support/scratch.ts';
import type { OwnTime } from '../support/shifted_time.ts';

export const root: string = join(import.meta.dirname, '../..');

/** What a command printed and how it ended. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const commandProcess = await bundleOf('test/cli/command_process.ts');

export const environment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  TZ: 'Pacific/Apia',
  // A start costs less with the program compiled once.
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/jetway/compile'),
};

/** A command line, where and at what time it runs, and its standard input in base64. */
export interface CommandRequest {
  readonly folder: string;
  readonly args: readonly string[];
  readonly input: string;
  readonly time: OwnTime;
  /** Command lines that run once this one prints; what it prints then is lost (EPIPE). */
  readonly meanwhile?: readonly Meanwhile[];
}

export interface Meanwhile {
  readonly args: readonly string[];
  readonly input?: string;
}

/** Processes that wait for a command. */
const idle: ChildProcess[] = [];

/**
 * Runs `jetway` with arguments and standard input in a folder: alone in a process, though the process
 * may have run other commands before. Commands run at the same time have a process each.
 */
export async function jetway(
  folder: string,
  args: readonly string[],
  input: string | Uint8Array = '',
  time: OwnTime = {},
  meanwhile?: readonly Meanwhile[],
): Promise<Ran> {
  // These end their process themselves.
  if (args[0] === 'serve' || args[0] === 'dev') return runScript(folder, [program, ...args], input);
  const child = idle.pop() ?? startCommandProcess();
  child.ref();
  child.channel?.ref();
  const ended = new AbortController();
  const { signal } = ended;
  const answer = once(child, 'message', { signal }) as Promise<[Ran]>;
  const exit = once(child, 'exit', { signal }).then(() => {
    throw new Error(`jetway ${args.join(' ')} ended its process`);
  });
  exit.catch(() => undefined);
  const encoded = Buffer.from(input as Uint8Array).toString('base64');
  const request: CommandRequest = { folder, args, input: encoded, time, ...present({ meanwhile }) };
  child.send(request);
  const [ran] = await Promise.race([answer, exit]);
  ended.abort();
  child.unref();
  child.channel?.unref();
  idle.push(child);
  return ran;
}

/**
 * Runs `jetway` so that it cannot print what it did, and finds out only when the other command lines,
 * which must succeed, have run.
 */
export async function jetwayLost(
  folder: string,
  args: readonly string[],
  meanwhile: readonly Meanwhile[] = [],
): Promise<Omit<Ran, 'stdout'>> {
  const { code, stderr } = await jetway(folder, args, '', {}, meanwhile);
  return { code, stderr };
}

/** Runs `jetway` at a time of its own. */
export function jetwayAt(folder: string, time: OwnTime, args: readonly string[]): Promise<Ran> {
  return jetway(folder, args, '', time);
}

function startCommandProcess(): ChildProcess {
  return spawn(process.execPath, [commandProcess], {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/** Runs `jetway` with more in its environment than usual. */
export function jetwayWith(
  folder: string,
  more: Readonly<Record<string, string>>,
  args: readonly string[],
  input = '',
): Promise<Ran> {
  return runScript(folder, [program, ...args], input, more);
}

type RanEach<Lines> = { readonly [Index in keyof Lines]: Ran };

/** Runs command lines that read no input, in order. */
export async function jetwayEach<const Lines extends readonly (readonly string[])[]>(
  folder: string,
  lines: Lines,
): Promise<RanEach<Lines>> {
  const runs: Ran[] = [];
  for (const line of lines) runs.push(await jetway(folder, line));
  return runs as unknown as RanEach<Lines>;
}

async function runScript(
  folder: string,
  args: readonly string[],
  input: string | Uint8Array,
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...environment, ...more } });
  // A command that does not read its input may have ended before it is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

/** Runs `jetway` with its standard output closed before it writes. */
export async function jetwayUnread(
  folder: string,
  args: readonly string[],
): Promise<Omit<Ran, 'stdout'>> {
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, env: environment });
  child.stdout.destroy();
  child.stdin.end();
  const ended = once(child, 'close') as Promise<[number | null]>;
  const [stderr, [code]] = await Promise.all([text(child.stderr), ended]);
  return { code, stderr };
}

/** Standard output of a command that must succeed, as JSON. */
export async function jetwayJson(
  folder: string,
  args: readonly string[],
  input = '',
): Promise<unknown> {
  const { code, stdout, stderr } = await jetway(folder, [...args, '--json'], input);
  if (code !== 0) throw new Error(`jetway ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** A quiet programme: valid, and free of what `check` warns of. */
export function programmeText(name: string, more = ''): string {
  return `variant: grant
name: ${name}
programme_identifier: ${name}
base_path: /${name.toLowerCase()}
client:
  authentication: { credentials: form }
${more}`;
}

export const configText = `environment: staging
listen: 127.0.0.1:0
public_url: https://tokens.example
store: file:./data/jetway.db
`;

/** A folder with files by path, gone after the test; by default one good programme, `club`. */
export function workFolder(t: TestContext, files: Readonly<Record<string, string>> = {}): string {
  const folder = scratchFolder(t, 'cli');
  const all = {
    'config.yaml': configText,
    'programmes/club.yaml': programmeText('Club'),
    ...files,
  };
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** Writes a file of a folder that its owner alone can read. */
export function putSecret(folder: string, name: string, content: string): void {
  writeFileSync(join(folder, name), content, { mode: 0o600 });
}
