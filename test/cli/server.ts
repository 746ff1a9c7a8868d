// Owns a server started as an operator would, `jetway serve`, beside which commands are run.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { program } from '../support/program.ts';
import type { OwnTime } from '../support/shifted_time.ts';
import { type Answer, post } from '../support/wire.ts';
import { environment, programmeText, root } from './command.ts';

/** A programme of JWTs, for tests of keys. */
export const signingProgramme: string = programmeText(
  'Club',
  'tokens:\n  access: { format: jwt, lifetime: 30m }\n',
);

export interface ServerOptions extends OwnTime {
  /** What runs the server, such as `prlimit` and its flags; nothing if left out. */
  readonly under?: readonly string[];
  /** The main module of another build; the present one's bundle if left out. */
  readonly main?: string;
  /** What follows `serve`. */
  readonly args?: readonly string[];
  /** Its environment beside what every server of a test has. */
  readonly env?: Readonly<Record<string, string>>;
  /** Modules loaded before it. */
  readonly preload?: readonly string[];
}

/** A running `jetway serve`. */
export interface ServerProcess {
  readonly child: ChildProcess;
  /** Where it listens. */
  readonly url: string;
  /** Where it tells of its health; empty where the configuration has no `admin`. */
  readonly admin: string;
  /** Where gateways ask; empty where the configuration has no `gateway`. */
  readonly gateway: string;
  /** All that it has printed so far. */
  readonly printed: () => { readonly stdout: string; readonly stderr: string };
  /** Lets seconds pass for it at once. */
  readonly advance: (seconds: number) => Promise<void>;
  /** Sets its machine's clock by so many seconds, while no time passes. */
  readonly setClock: (seconds: number) => Promise<void>;
  /** Lets its machine sleep for so many seconds. */
  readonly suspend: (seconds: number) => Promise<void>;
  /** Resolves to its exit code once it has ended. */
  readonly ended: () => Promise<number | null>;
  /** Ends it with a signal; resolves to its exit code, null where the signal itself ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
}

/** Starts the server of a folder; it ends with the test. Returns where it listens. */
export async function serve(t: TestContext, folder: string): Promise<string> {
  const { url } = await startServer(t, folder);
  return url;
}

/** Starts the server of a folder; it ends with the test. */
export async function startServer(
  t: TestContext,
  folder: string,
  {
    under = [],
    main = program,
    args: more = [],
    preload = [],
    env = {},
    ...time
  }: ServerOptions = {},
): Promise<ServerProcess> {
  const modules = ['test/support/told_time.ts', ...preload];
  const imports = modules.flatMap((path) => ['--import', join(root, path)]);
  const [command = process.execPath, ...args] = [
    ...under,
    process.execPath,
    ...imports,
    main,
    'serve',
    ...more,
  ];
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...environment, JETWAY_TEST_TIME: JSON.stringify(time), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk: Buffer) => {
      printed[name] += chunk.toString();
    });
  }
  // By then all that it has printed is heard, too, which an exit alone does not say.
  const ended = once(child, 'close') as Promise<[number | null]>;
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    const [code] = await ended;
    return code;
  };
  const tell = async (moving: OwnTime) => {
    const moved = once(child, 'message');
    child.send(moving);
    await moved;
  };
  t.after(() => end('SIGKILL'));
  return {
    child,
    ...(await addressesOf(child, ended, printed)),
    printed: () => printed,
    advance: (passed) => tell({ passed }),
    setClock: (ahead) => tell({ ahead }),
    suspend: (slept) => tell({ slept }),
    ended: async () => (await ended)[0],
    end,
  };
}

async function addressesOf(
  child: ChildProcess,
  ended: Promise<unknown>,
  printed: { readonly stdout: string; readonly stderr: string },
): Promise<Pick<ServerProcess, 'url' | 'admin' | 'gateway'>> {
  while (child.exitCode === null && child.signalCode === null) {
    const [, url] = / at (https?:\/\/\S+) as /.exec(printed.stdout) ?? [];
    const [, admin = ''] = /^admin: (http:\/\/\S+)$/m.exec(printed.stdout) ?? [];
    const [, gateway = ''] = /^gateway: (https?:\/\/\S+)$/m.exec(printed.stdout) ?? [];
    if (url !== undefined) return { url, admin, gateway };
    await Promise.race([
      once(child, 'exit'),
      ...[child.stdout].map((out) => out && once(out, 'data')),
    ]);
  }
  await ended;
  throw new Error(`the server ended with ${child.exitCode} before it listened: ${printed.stderr}`);
}

/** A token request of the programme `club` with the client's own credentials. */
export function askClientTokens(
  url: string,
  id: string,
  secret: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  // RFC 6749 2.3.1: each half is encoded, so that a colon or a percent sign in it is itself.
  const credentials = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  const fields = { grant_type: 'client_credentials' };
  return post(url, '/club/api/grant', fields, { authorization, ...headers });
}
