// Owns the promises of `member directory-test`: the reference server of docs/ passes, and each way of
// breaking the contract fails under its name.

import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, test, type TestContext } from 'node:test';

import { instant } from '../../../src/lib/clock.ts';
import { checkDirectory, type DirectoryUnderTest } from '../../../src/members/directory_checks.ts';
import type { ProgrammeId } from '../../../src/oauth/client.ts';
import { createAuthority } from '../../support/certificates.ts';
import {
  answering,
  hookMember,
  hookSecret,
  memberDirectory,
  password,
  patientLimits,
  type RunningHook,
  startHook,
  startReference,
} from '../../support/hook.ts';
import { without } from '../../support/tools.ts';
import { jetway, jetwayEach, programmeText, putSecret, type Ran, workFolder } from '../command.ts';

const verb = ['member', 'directory-test', '--programme', 'club'];
const asAnn = ['--username', 'ann', '--password-stdin'];

function folderFor(t: TestContext, { url }: RunningHook, more = ''): string {
  const members = `members: { directory: http, url: "${url}", secret_file: ../hook.secret${more} }\n`;
  const folder = workFolder(t, { 'programmes/club.yaml': programmeText('Club', members) });
  putSecret(folder, 'hook.secret', `${hookSecret}\n`);
  return folder;
}

/** Runs a test of a hook again where this machine was too slow for the time that hooks have. */
async function untilInTime(run: () => Promise<Ran>): Promise<Ran> {
  for (;;) {
    const ran = await run();
    if (!/within \d+ ms|Jetway waits for/.test(ran.stdout)) return ran;
  }
}

/** Lines with the times taken out. */
function linesOf({ stdout }: Ran): readonly string[] {
  return stdout
    .trimEnd()
    .replaceAll(/\d+ ms/g, 'N ms')
    .split('\n');
}

/** Name and detail of each check that fails, run in this process. */
async function failuresAt(
  { url }: RunningHook,
  more: Partial<DirectoryUnderTest> = {},
): Promise<readonly (readonly string[])[]> {
  const checks = await checkDirectory({
    programme: 'club' as ProgrammeId,
    url,
    credentials: { secrets: [hookSecret] },
    now: () => instant(Date.now()),
    levels: ['AUTHN-LEVEL-10', 'AUTHN-LEVEL-12'],
    isForeignSubject: (subject) => subject.startsWith('client:'),
    limits: patientLimits,
    ...more,
  });
  return checks.flatMap(({ name, passed, detail = '' }) => (passed ? [] : [[name, detail]]));
}

describe('member directory-test', { concurrency: 2 }, () => {
  test('the reference server passes every check, a member known or not', async (t) => {
    const ann = hookMember('ann', { level: 'AUTHN-LEVEL-12', membership_number: '30081234' });
    const folder = folderFor(t, await startReference(t, { members: [ann] }));
    const ran = await untilInTime(() => jetway(folder, [...verb, ...asAnn], password));
    const common = [
      'pass  a question is answered, over TLS that is verified where the address is https: plain http, on this machine (N ms)',
      'pass  an unknown username is no_match (N ms)',
      'pass  an unknown subject is inactive (N ms)',
      'pass  answers come in good time: N ms in the middle, N ms at most (N ms)',
      'pass  a wrong signature is refused: status 401 (N ms)',
      'pass  a signature an hour old is refused: status 401 (N ms)',
      'pass  a signature of an hour to come is refused: status 401 (N ms)',
      'pass  a question without signature is refused: status 401 (N ms)',
      'pass  a signature of another body is refused: status 401 (N ms)',
    ];
    assert.deepEqual(linesOf(ran), [
      ...common,
      'pass  the member is a match: AUTHN-LEVEL-12, a membership number of 8 digits (partners may expect 16 to 24) (N ms)',
      'pass  the same member has the same subject again, and is active (N ms)',
      'pass  a wrong password of that member is no_match (N ms)',
      '12 of 12 checks passed',
    ]);
    assert.deepEqual([ran.code, ran.stderr], [0, '']);
    assert.ok(!ran.stdout.includes('airline-ann') && !ran.stdout.includes(password));
  });

  test('--json says the same; exit code 1 when a check fails', async (t) => {
    const hook = await startHook(t, answering(200, '{"outcome":"no_match"}'));
    const folder = folderFor(t, hook);
    const ran = await untilInTime(() => jetway(folder, [...verb, '--json']));
    const told = JSON.parse(ran.stdout) as {
      readonly checks: readonly { readonly name: string; readonly passed: boolean }[];
    };
    assert.equal(ran.code, 1);
    assert.deepEqual(
      { ...told, checks: [] },
      {
        programme: 'club',
        url: hook.url,
        passed: false,
        checks: [],
      },
    );
    assert.deepEqual(
      told.checks.filter(({ passed }) => passed).map(({ name }) => name),
      [
        'a question is answered, over TLS that is verified where the address is https',
        'an unknown username is no_match',
        'answers come in good time',
      ],
    );
    const [first = {}] = told.checks;
    assert.deepEqual(Object.keys(first), ['name', 'passed', 'detail', 'milliseconds']);
  });

  test('who answers anybody fails five checks', async (t) => {
    const members = [hookMember('ann')];
    const hook = await startHook(t, memberDirectory({ secrets: [], members }));
    const failed = await failuresAt(hook);
    assert.deepEqual(
      failed.map(([, message]) => message),
      Array(5).fill('it was answered: anybody could ask'),
    );
  });

  const broken: Readonly<Record<string, readonly [RequestListener, string]>> = {
    'a redirect': [
      answering(302, '', { location: 'https://elsewhere.example/' }),
      'status 302: redirects are not followed',
    ],
    'a secret of another': [
      memberDirectory({ secrets: ['another-secret-0123456789abcdef01234'], members: [] }),
      'status 401',
    ],
    'a web page': [
      answering(200, '<html>', { 'content-type': 'text/html' }),
      'the answer is not application/json',
    ],
  };
  for (const [name, [listener, message]] of Object.entries(broken)) {
    test(`${name}: the first check fails, and the others prove nothing`, async (t) => {
      const hook = await startHook(t, listener);
      assert.deepEqual(await failuresAt(hook), [
        ['a question is answered, over TLS that is verified where the address is https', message],
      ]);
      assert.equal(hook.asked.length, 1);
    });
  }

  test('a member with a level that the programme does not have', async (t) => {
    const hook = await startReference(t, { members: [hookMember('ann', { level: 'GOLD' })] });
    assert.deepEqual(await failuresAt(hook, { member: { username: 'ann', password } }), [
      [
        'the member is a match',
        'its level is none of the programme (AUTHN-LEVEL-10, AUTHN-LEVEL-12)',
      ],
    ]);
  });

  test('mutual TLS with a private authority', { skip: without('openssl') }, async (t) => {
    const airline = createAuthority('Airline');
    const server = airline.issue('IP:127.0.0.1');
    const own = airline.issue('DNS:jetway.example');
    const tls = { cert: server.certificate, key: server.key, ca: airline.certificate };
    const strict = { ...tls, requestCert: true, rejectUnauthorized: true };
    const lax = { ...tls, requestCert: true, rejectUnauthorized: false };
    const credentials = { secrets: [hookSecret], ...own, authorities: airline.certificate };
    assert.deepEqual(
      await failuresAt(await startReference(t, { tls: strict }), { credentials }),
      [],
    );
    assert.deepEqual(await failuresAt(await startReference(t, { tls: lax }), { credentials }), [
      ['a connection without our certificate is refused', 'it was answered: anybody could ask'],
    ]);
  });

  test('wrong usage: a programme without hook, half of the credentials, an unusable secret', async (t) => {
    const plain = workFolder(t);
    const [stored, half] = await jetwayEach(plain, [verb, [...verb, '--username', 'ann']]);
    assert.deepEqual(
      [stored.code, stored.stderr],
      [2, "club keeps its members in Jetway's own store: there is no hook to test\n"],
    );
    assert.deepEqual(
      [half.code, half.stderr],
      [2, '--username and --password-stdin go together\n'],
    );
    const hook = await startReference(t);
    const folder = folderFor(t, hook, ', previous_secret_file: ../nowhere');
    const unusable = await jetway(folder, verb);
    assert.equal(unusable.code, 3);
    assert.match(unusable.stderr, /club\.yaml:7:\d+: error: nowhere does not exist\n$/);
    assert.deepEqual(hook.asked, []);
  });
});
