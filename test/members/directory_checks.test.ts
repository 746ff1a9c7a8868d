// The contract tests of a member directory, held against servers that break one promise each; the
// verb that runs them is in directory_test.test.ts.

import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test, type TestContext } from 'node:test';

import { milliseconds } from '../../src/lib/clock.ts';
import { type CheckResult, checkDirectory } from '../../src/members/directory_checks.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import { testClock } from '../support/clock.ts';
import { answering, password, patientLimits, startHook } from '../support/hook.ts';

const clock = testClock();
const member = { username: 'ann', password };

/** What a server says that keeps the contract but for signatures, and hashes nothing. */
const right = {
  verify: (username: unknown, typed: unknown): object =>
    username === 'ann' && typed === password
      ? { outcome: 'match', member: { subject: 'airline-ann', level: 'AUTHN-LEVEL-12' } }
      : { outcome: 'no_match' },
  status: (subject: unknown): object => ({
    outcome: subject === 'airline-ann' ? 'active' : 'inactive',
  }),
};

/** A server that says so, but for what is said otherwise. */
function saying(more: Partial<typeof right> = {}): RequestListener {
  const { verify, status } = { ...right, ...more };
  return (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      const answer =
        'subject' in asked
          ? status(asked['subject'])
          : verify(asked['username'], asked['password']);
      answering(200, JSON.stringify(answer))(request, response);
    });
  };
}

/** The checks that fail against a server, each with why. */
async function failures(
  t: TestContext,
  listener: RequestListener,
  more: Partial<Parameters<typeof checkDirectory>[0]> = {},
): Promise<Readonly<Record<string, string | undefined>>> {
  const hook = await startHook(t, listener);
  const results: readonly CheckResult[] = await checkDirectory({
    programme: 'club' as ProgrammeId,
    url: hook.url,
    credentials: { secrets: [] },
    now: () => clock.now(),
    member,
    levels: ['AUTHN-LEVEL-12'],
    isForeignSubject: (subject) => subject.startsWith('client:'),
    limits: patientLimits,
    ...more,
  });
  const failed = results.filter(({ passed }) => !passed);
  return Object.fromEntries(failed.map(({ name, detail }) => [name, detail]));
}

test('a server that keeps the contract fails nothing', async (t) => {
  assert.deepEqual(await failures(t, saying()), {});
});

test('one that knows everybody, or nobody, is found out', async (t) => {
  const everybody = { outcome: 'match', member: { subject: 's' } };
  assert.deepEqual(await failures(t, saying({ verify: () => everybody })), {
    'an unknown username is no_match': 'the outcome is match',
    'a wrong password of that member is no_match': 'the outcome is match',
    'the same member has the same subject again, and is active': 'the outcome is inactive',
  });
  assert.deepEqual(await failures(t, saying({ status: () => ({ outcome: 'active' }) })), {
    'an unknown subject is inactive': 'the outcome is active',
  });
  assert.deepEqual(await failures(t, saying({ status: () => ({ outcome: 'inactive' }) })), {
    'the same member has the same subject again, and is active': 'the outcome is inactive',
  });
  let times = 0;
  const another = (): string => `subject-${(times += 1)}`;
  const verify: typeof right.verify = (username, typed) =>
    username === 'ann' && typed === password
      ? { outcome: 'match', member: { subject: another() } }
      : { outcome: 'no_match' };
  const status: typeof right.status = (subject) => ({
    outcome: String(subject).startsWith('subject-') ? 'active' : 'inactive',
  });
  assert.deepEqual(await failures(t, saying({ verify, status })), {
    'the same member has the same subject again, and is active':
      'the second answer has another subject',
  });
  assert.deepEqual(await failures(t, saying({ verify: () => ({ outcome: 'no_match' }) })), {
    'the member is a match': 'the outcome is no_match',
    'the same member has the same subject again, and is active': 'there was no match to ask about',
  });
});

test('a level that the programme does not have, and a subject like a client’s, are found out', async (t) => {
  const name = 'the member is a match';
  assert.deepEqual(await failures(t, saying(), { levels: [] }), {
    [name]: 'its level is none of the programme (it has none)',
  });
  assert.deepEqual(await failures(t, saying(), { isForeignSubject: () => true }), {
    [name]: "its subject begins as those of clients' tokens do",
  });
});

test('FAULTS 14: answers that take more than half of the time there is are too slow', async (t) => {
  // Each look at the time is a second after the one before, however fast or slow the machine is.
  let seconds = 0;
  t.mock.method(performance, 'now', () => (seconds += 1) * 1000);
  const limits = { ...patientLimits, total: milliseconds(10_000) };
  assert.deepEqual(await failures(t, saying(), { limits }), {});
  limits.total = milliseconds(1500);
  const told = (await failures(t, saying(), { limits }))['answers come in good time'];
  assert.match(told ?? '', /^\d+ ms in the middle, \d+ ms at most; Jetway waits for 1500 ms$/);
});
