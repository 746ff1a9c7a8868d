// Owns a server started as an operator would, `jetway serve`, beside which commands are run.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

import { type Answer, post } from '../support/wire.ts';
import { environment, programmeText, root } from './command.ts';

/** A programme of JWTs, for tests of keys. */
export const signingProgramme: string = programmeText(
  'Club',
  'tokens:\n  access: { format: jwt, lifetime: 30m }\n',
);

/** Starts the server of a folder; it ends with the test. Returns where it listens. */
export async function serve(t: TestContext, folder: string): Promise<string> {
  const child = spawn(process.execPath, [join(root, 'src/main.ts'), 'serve'], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const told: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => told.push(chunk.toString()));
  t.after(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  return urlOf(child, told);
}

async function urlOf({ stdout }: ChildProcess, told: readonly string[]): Promise<string> {
  if (stdout === null) throw new Error('no output to read');
  for await (const line of createInterface({ input: stdout })) {
    const [, url] = / at (http:\/\/\S+) as /.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`the server ended before it listened: ${told.join('')}`);
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
