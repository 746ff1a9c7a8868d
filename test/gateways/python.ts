// Owns a consumer in another language: the Python of docs/gateways.md, run by a process that keeps
// its key set between tokens, at whatever time the test says.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

import { scratchFolder } from '../support/scratch.ts';
import { libfaketime, pythonPath } from '../support/tools.ts';
import { blockNamed, filledIn } from './page.ts';

/** What the script made of a token: its claims, or the name of the error. */
export interface Verdict {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly refused?: string;
}

export interface Verifier {
  readonly verify: (token: string) => Promise<Verdict>;
  /** Sets its clock, the one that its cache goes by too; in libfaketime's notation. */
  readonly setTime: (time: string) => void;
}

export interface VerifierOptions {
  readonly issuer: string;
  /** The issuer if left out. */
  readonly audience?: string;
  readonly algorithm?: string;
  readonly keySet: string;
  readonly time: string;
}

/** Tokens in, one a line; verdicts out. */
const driver = `
import json, sys, jwt
from verify_token import verify
for line in sys.stdin:
    try:
        verdict = {"claims": verify(line.strip())}
    except jwt.PyJWTError as error:
        verdict = {"refused": type(error).__name__}
    print(json.dumps(verdict), flush=True)
`;

/** Starts the script; it ends with the test. */
export function startVerifier(t: TestContext, options: VerifierOptions): Verifier {
  const { issuer, audience = issuer, algorithm = 'ES256', keySet, time } = options;
  const folder = scratchFolder(t, 'python');
  const script = filledIn(blockNamed('verify_token.py'), [
    ['https://tokens.airline.example/second-club/.well-known/jwks.json', keySet],
    ['https://tokens.airline.example/second-club', issuer],
    ['AUDIENCE = ISSUER', `AUDIENCE = "${audience}"`],
    ['"ES256"', `"${algorithm}"`],
  ]);
  writeFileSync(join(folder, 'verify_token.py'), script);
  const clock = join(folder, 'time');
  const setTime = (next: string): void => writeFileSync(clock, next);
  setTime(time);
  const child = spawn(pythonPath, ['-B', '-c', driver], {
    cwd: folder,
    env: {
      TZ: 'UTC',
      LD_PRELOAD: libfaketime(),
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const verdicts = createInterface(child.stdout)[Symbol.asyncIterator]();
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const closed = new Promise<void>((resolve) => {
    child.on('close', () => resolve());
  });
  child.stdin.on('error', () => undefined);
  t.after(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  return {
    setTime,
    verify: async (token) => {
      child.stdin.write(`${token}\n`);
      const { value } = await verdicts.next();
      if (value !== undefined) return JSON.parse(value) as Verdict;
      await closed;
      throw new Error(`the script ended: ${errors}`);
    },
  };
}
