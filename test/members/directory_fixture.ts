// Owns a directory behind a hook for tests, and the attempts that are made at it.

import assert from 'node:assert/strict';

import type { LoginAttempt, MemberDirectory } from '../../src/members/directory.ts';
import {
  createHttpDirectory,
  type HttpDirectoryOptions,
} from '../../src/members/http_directory.ts';
import type { ClientId, ProgrammeId } from '../../src/oauth/client.ts';
import { Unavailable } from '../../src/oauth/failure.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { hookSecret, password, patientLimits } from '../support/hook.ts';

export interface TestDirectory {
  readonly directory: MemberDirectory;
  readonly clock: TestClock;
}

export function openDirectory(
  url: string,
  more: Partial<HttpDirectoryOptions> & { readonly clock?: TestClock } = {},
): TestDirectory {
  const clock = more.clock ?? testClock();
  const directory = createHttpDirectory({
    programme: 'second-club' as ProgrammeId,
    url,
    credentials: { secrets: [hookSecret] },
    concurrency: 4,
    limits: patientLimits,
    ...more,
    clock,
  });
  return { directory, clock };
}

export function attempt(username: string, more: Partial<LoginAttempt> = {}): LoginAttempt {
  return {
    username: username.toLowerCase(),
    typedUsername: username,
    password,
    client: 'Partner1' as ClientId,
    addressVerified: false,
    ...more,
  };
}

export const noMatch = { outcome: 'no_match' } as const;
export const noMatchBody: string = JSON.stringify(noMatch);

/** The message of the `Unavailable` that a call must reject with. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    (value) => assert.fail(`answered ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Unavailable, String(error));
  return error.message;
}
