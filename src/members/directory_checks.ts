// Owns the contract tests of a member directory behind a hook: what is asked of the airline's own
// server, and which answer passes (docs/member-directory.md).

import { type Instant, instant } from '../lib/clock.ts';
import { randomKey } from '../lib/random.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { Member, Subject } from '../oauth/member.ts';
import { readStatus, readVerification } from './hook_answer.ts';
import {
  type HookConnection,
  type HookCredentials,
  HookFailure,
  type HookLimits,
  openHookConnection,
  usualLimits,
} from './hook_connection.ts';
import { type HookQuestion, statusQuestion, verifyQuestion } from './hook_question.ts';
import { signatureHeaders } from './hook_signature.ts';

/** What is tested, and with what. */
export interface DirectoryUnderTest {
  readonly programme: ProgrammeId;
  readonly url: string;
  readonly credentials: HookCredentials;
  readonly now: () => Instant;
  /** A member that there is; without one, only strangers are asked about. */
  readonly member?: { readonly username: string; readonly password: string };
  /** Levels that the programme has; empty where it has none. */
  readonly levels: readonly string[];
  readonly isForeignSubject: (subject: Subject) => boolean;
  /** How long is waited for an answer; as long as at a login unless said otherwise. */
  readonly limits?: HookLimits;
}

export interface CheckResult {
  readonly name: string;
  readonly passed: boolean;
  /** Why it failed, or what is worth knowing; never who a member is. */
  readonly detail?: string;
  readonly milliseconds: number;
}

/** A check resolves to what is worth knowing, or throws with what is wrong. */
type Check = () => Promise<string | undefined>;

/** What is wrong with a server, in a sentence. */
class CheckFailed extends Error {}

/** Runs every check, in order; when nothing answers at all, the first alone. */
export async function checkDirectory(test: DirectoryUnderTest): Promise<readonly CheckResult[]> {
  const connection = openHookConnection(test.url, test.credentials, test.limits);
  try {
    const [first, ...rest] = [
      ...contractChecks(test, connection),
      ...trustChecks(test, connection),
      ...memberChecks(test, connection),
    ];
    if (first === undefined) return [];
    const results = [await run(first)];
    // A server that cannot be reached refuses wrong signatures as well, which proves nothing.
    if (results[0]?.passed !== true) return results;
    for (const check of rest) results.push(await run(check));
    return results;
  } finally {
    connection.close();
  }
}

type NamedCheck = readonly [name: string, check: Check];

async function run([name, check]: NamedCheck): Promise<CheckResult> {
  const begun = performance.now();
  const spent = (): number => Math.round(performance.now() - begun);
  try {
    const detail = await check();
    const result = { name, passed: true, milliseconds: spent() };
    return detail === undefined ? result : { ...result, detail };
  } catch (error) {
    const { message } = error as Error;
    return { name, passed: false, detail: message, milliseconds: spent() };
  }
}

const timedQuestions = 10;

function contractChecks(test: DirectoryUnderTest, connection: HookConnection): NamedCheck[] {
  return [
    [
      'a question is answered, over TLS that is verified where the address is https',
      async () => {
        await send(connection, stranger(test), test.credentials.secrets, test.now());
        return test.url.startsWith('http:') ? 'plain http, on this machine' : undefined;
      },
    ],
    [
      'an unknown username is no_match',
      async () => {
        const { outcome } = readVerification(await ask(test, connection, stranger(test)));
        expect(outcome === 'no_match', `the outcome is ${outcome}`);
        return undefined;
      },
    ],
    [
      'an unknown subject is inactive',
      async () => {
        const question = statusQuestion(test.programme, randomKey(16) as Subject);
        const status = readStatus(await ask(test, connection, question));
        expect(status === 'inactive', `the outcome is ${status}`);
        return undefined;
      },
    ],
    [
      'answers come in good time',
      async () => {
        const spans: number[] = [];
        for (let turn = 0; turn < timedQuestions; turn += 1) {
          const begun = performance.now();
          await ask(test, connection, stranger(test));
          spans.push(Math.ceil(performance.now() - begun));
        }
        const sorted = spans.toSorted((a, b) => a - b);
        const median = sorted[timedQuestions / 2] ?? 0;
        const detail = `${median} ms in the middle, ${sorted.at(-1)} ms at most`;
        const { total } = test.limits ?? usualLimits;
        expect(median <= total / 2, `${detail}; Jetway waits for ${total} ms`);
        return detail;
      },
    ],
  ];
}

const hour = 3_600_000;

/** That nobody else is answered: wrong, old and missing signatures, a missing certificate. */
function trustChecks(test: DirectoryUnderTest, connection: HookConnection): NamedCheck[] {
  const { secrets, certificate } = test.credentials;
  const refused = (secretsUsed: readonly string[], at: () => Instant): Check => {
    return () => expectRefusal(connection, stranger(test), secretsUsed, at());
  };
  const anotherHour = (hours: number) => (): Instant => instant(test.now() + hours * hour);
  const bySignature: NamedCheck[] = [
    ['a wrong signature is refused', refused([randomKey(32)], test.now)],
    ['a signature an hour old is refused', refused(secrets, anotherHour(-1))],
    ['a signature of an hour to come is refused', refused(secrets, anotherHour(1))],
    ['a question without signature is refused', refused([], test.now)],
    [
      'a signature of another body is refused',
      async () => {
        const [signed, sent] = [stranger(test), stranger(test)];
        const headers = signatureHeaders(secrets, signed.body, test.now());
        return judgeRefusal(connection.post({ path: sent.path, body: sent.body, headers }));
      },
    ],
  ];
  const byCertificate: NamedCheck = [
    'a connection without our certificate is refused',
    async () => {
      const { certificate: _, key: __, ...others } = test.credentials;
      const stripped = openHookConnection(test.url, others, test.limits);
      try {
        return await expectRefusal(stripped, stranger(test), secrets, test.now(), true);
      } finally {
        stripped.close();
      }
    },
  ];
  return [
    ...(secrets.length === 0 ? [] : bySignature),
    ...(certificate === undefined ? [] : [byCertificate]),
  ];
}

/** What only a member that there is can show. */
function memberChecks(test: DirectoryUnderTest, connection: HookConnection): NamedCheck[] {
  const { member } = test;
  if (member === undefined) return [];
  let known: Member | undefined;
  return [
    [
      'the member is a match',
      async () => {
        const told = readVerification(await ask(test, connection, question(test, member)));
        if (told.outcome !== 'match') throw new CheckFailed(`the outcome is ${told.outcome}`);
        known = told.member;
        return describeMember(test, told.member);
      },
    ],
    [
      'the same member has the same subject again, and is active',
      async () => {
        if (known === undefined) throw new CheckFailed('there was no match to ask about');
        const again = readVerification(await ask(test, connection, question(test, member)));
        const subject = again.outcome === 'match' ? again.member.subject : undefined;
        expect(subject === known.subject, 'the second answer has another subject');
        const asked = statusQuestion(test.programme, known.subject);
        const status = readStatus(await ask(test, connection, asked));
        expect(status === 'active', `the outcome is ${status}`);
        return undefined;
      },
    ],
    [
      'a wrong password of that member is no_match',
      async () => {
        const wrong = { ...member, password: randomKey(16) };
        const { outcome } = readVerification(await ask(test, connection, question(test, wrong)));
        expect(outcome === 'no_match', `the outcome is ${outcome}`);
        return undefined;
      },
    ],
  ];
}

/** What partners would trip over is a failure, what only they may miss is told. */
function describeMember(test: DirectoryUnderTest, member: Member): string {
  const { subject, level, membershipNumber } = member;
  expect(!test.isForeignSubject(subject), "its subject begins as those of clients' tokens do");
  expect(
    level === undefined || test.levels.includes(level),
    `its level is none of the programme (${test.levels.join(', ') || 'it has none'})`,
  );
  const digits = membershipNumber?.length ?? 0;
  const number = digits === 0 ? 'no membership number' : `a membership number of ${digits} digits`;
  return `${level ?? 'no level'}, ${number}${digits > 0 && digits < 16 ? ' (partners may expect 16 to 24)' : ''}`;
}

function question(
  { programme }: DirectoryUnderTest,
  { username, password }: { readonly username: string; readonly password: string },
): HookQuestion {
  const by = { clientId: 'directory-test', customerIp: undefined, ipVerified: false };
  return verifyQuestion(programme, { username, password, ...by });
}

/** About somebody that there cannot be. */
function stranger(test: DirectoryUnderTest): HookQuestion {
  return question(test, { username: `nobody-${randomKey(9)}`, password: randomKey(16) });
}

function ask(
  { credentials, now }: DirectoryUnderTest,
  connection: HookConnection,
  asked: HookQuestion,
): Promise<Uint8Array> {
  return send(connection, asked, credentials.secrets, now());
}

function send(
  connection: HookConnection,
  { path, body }: HookQuestion,
  secrets: readonly string[],
  at: Instant,
): Promise<Uint8Array> {
  return connection.post({ path, body, headers: signatureHeaders(secrets, body, at) });
}

async function expectRefusal(
  connection: HookConnection,
  asked: HookQuestion,
  secrets: readonly string[],
  at: Instant,
  byHandshake = false,
): Promise<string | undefined> {
  return judgeRefusal(send(connection, asked, secrets, at), byHandshake);
}

/** Refused is 400 to 403, or a broken handshake where certificates are the matter. */
async function judgeRefusal(
  sent: Promise<Uint8Array>,
  byHandshake = false,
): Promise<string | undefined> {
  const failure = await failureOf(sent);
  if (failure === undefined) throw new CheckFailed('it was answered: anybody could ask');
  const { status, message } = failure;
  if (status === undefined ? byHandshake : status >= 400 && status <= 403) return message;
  throw new CheckFailed(`${message}; expected 401`);
}

async function failureOf(sent: Promise<Uint8Array>): Promise<HookFailure | undefined> {
  try {
    await sent;
    return undefined;
  } catch (error) {
    if (error instanceof HookFailure) return error;
    throw error;
  }
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new CheckFailed(otherwise);
}
