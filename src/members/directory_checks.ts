// Owns the contract tests of a member directory's hook (docs/member-directory.md): that it tells members
// from others, in good time, and answers only Jetway.

import { CallFailure, type CallLimits } from '../lib/calls/exchange.ts';
import { type Instant, instant } from '../lib/clock.ts';
import { present } from '../lib/present.ts';
import { randomKey } from '../lib/random.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { Member, Subject } from '../oauth/member.ts';
import {
  type HookConnection,
  type HookCredentials,
  type HookQuestion,
  openHookConnection,
  readStatus,
  readVerification,
  signatureHeaders,
  statusQuestion,
  usualLimits,
  verifyQuestion,
} from './hook.ts';

/** A hook, and the expected properties of its answers. */
export interface DirectoryUnderTest {
  readonly programme: ProgrammeId;
  readonly url: string;
  readonly credentials: HookCredentials;
  readonly now: () => Instant;
  /** An existing member; if left out, only unknown members are tested. */
  readonly member?: Credentials;
  /** Levels of the programme; empty if it has none. */
  readonly levels: readonly string[];
  readonly isForeignSubject: (subject: Subject) => boolean;
  /** Limits of an answer; a login's limits if left out. */
  readonly limits?: CallLimits;
}

interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface CheckResult {
  readonly name: string;
  readonly passed: boolean;
  /** Why the check failed, or a remark; never contains a member's name. */
  readonly detail?: string;
  readonly milliseconds: number;
}

/** By name, in order: a check resolves to a remark, or throws the fault. */
type Checks = Readonly<Record<string, () => Promise<string | undefined>>>;

class CheckFailed extends Error {}

/** Runs the checks in order; stops after the first if the hook does not answer at all. */
export async function checkDirectory(test: DirectoryUnderTest): Promise<readonly CheckResult[]> {
  const connection = openHookConnection(test.url, test.credentials, test.limits);
  const results: CheckResult[] = [];
  try {
    const { secrets } = test.credentials;
    const asked: Asked = (question) => send(connection, question, secrets, test.now());
    const checks: Checks = {
      ...answerChecks(test, asked),
      ...trustChecks(test, connection),
      ...(test.member === undefined ? {} : memberChecks(test, test.member, asked)),
    };
    for (const [name, check] of Object.entries(checks)) {
      results.push(await run(name, check));
      // A server that cannot be reached also refuses wrong signatures, which proves nothing.
      if (results[0]?.passed !== true) break;
    }
    return results;
  } finally {
    connection.close();
  }
}

async function run(name: string, check: Checks[string]): Promise<CheckResult> {
  const begun = performance.now();
  const spent = (): number => Math.round(performance.now() - begun);
  try {
    const detail = await check();
    return present({ name, passed: true, milliseconds: spent(), detail });
  } catch (error) {
    const { message } = error as Error;
    return { name, passed: false, detail: message, milliseconds: spent() };
  }
}

type Asked = (question: HookQuestion) => Promise<Uint8Array>;

type Verification = ReturnType<typeof readVerification>;

const timedQuestions = 10;

function answerChecks(test: DirectoryUnderTest, ask: Asked): Checks {
  const { programme, url, limits = usualLimits } = test;
  const askOfStranger = (): Promise<Uint8Array> => ask(questionOf(programme, stranger()));
  return {
    'a question is answered, over TLS that is verified where the address is https': async () => {
      await askOfStranger();
      return url.startsWith('http:') ? 'plain http, on this machine' : undefined;
    },
    'an unknown username is no_match': async () =>
      expectOutcome(readVerification(await askOfStranger()).outcome, 'no_match'),
    'an unknown subject is inactive': async () => {
      const question = statusQuestion(programme, randomKey(16) as Subject);
      return expectOutcome(readStatus(await ask(question)), 'inactive');
    },
    'answers come in good time': async () => {
      const spans: number[] = [];
      for (let turn = 0; turn < timedQuestions; turn += 1) {
        const begun = performance.now();
        await askOfStranger();
        spans.push(Math.ceil(performance.now() - begun));
      }
      const sorted = spans.toSorted((a, b) => a - b);
      const median = sorted[timedQuestions / 2] ?? 0;
      const detail = `${median} ms in the middle, ${sorted.at(-1)} ms at most`;
      expect(median <= limits.total / 2, `${detail}; Jetway waits for ${limits.total} ms`);
      return detail;
    },
  };
}

const hour = 3_600_000;

/** Checks that wrong, old and missing signatures, and a missing certificate, are refused. */
function trustChecks(test: DirectoryUnderTest, connection: HookConnection): Checks {
  const { url, credentials, limits, now, programme } = test;
  const { certificate, key: _key, ...others } = credentials;
  const { secrets } = others;
  const question = (): HookQuestion => questionOf(programme, stranger());
  const signed = (by: readonly string[], hours = 0): Promise<string> =>
    expectRefusal(send(connection, question(), by, instant(now() + hours * hour)));
  const bySignature: Checks = {
    'a wrong signature is refused': () => signed([randomKey(32)]),
    'a signature an hour old is refused': () => signed(secrets, -1),
    'a signature of an hour to come is refused': () => signed(secrets, 1),
    'a question without signature is refused': () => signed([]),
    'a signature of another body is refused': () => {
      const headers = signatureHeaders(secrets, question().body, now());
      return expectRefusal(connection.post({ ...question(), headers }));
    },
  };
  const byCertificate: Checks = {
    'a connection without our certificate is refused': async () => {
      const stripped = openHookConnection(url, others, limits);
      try {
        return await expectRefusal(send(stripped, question(), secrets, now()), true);
      } finally {
        stripped.close();
      }
    },
  };
  return {
    ...(secrets.length === 0 ? {} : bySignature),
    ...(certificate === undefined ? {} : byCertificate),
  };
}

/** Checks that need an existing member. */
function memberChecks(test: DirectoryUnderTest, member: Credentials, ask: Asked): Checks {
  const { programme } = test;
  const verify = async (one: Credentials): Promise<Verification> =>
    readVerification(await ask(questionOf(programme, one)));
  let known: Member | undefined;
  return {
    'the member is a match': async () => {
      const told = await verify(member);
      if (told.outcome !== 'match') throw new CheckFailed(`the outcome is ${told.outcome}`);
      known = told.member;
      return describeMember(test, told.member);
    },
    'the same member has the same subject again, and is active': async () => {
      if (known === undefined) throw new CheckFailed('there was no match to ask about');
      const again = await verify(member);
      const subject = again.outcome === 'match' ? again.member.subject : undefined;
      expect(subject === known.subject, 'the second answer has another subject');
      const status = readStatus(await ask(statusQuestion(programme, known.subject)));
      return expectOutcome(status, 'active');
    },
    'a wrong password of that member is no_match': async () => {
      const told = await verify({ ...member, password: randomKey(16) });
      return expectOutcome(told.outcome, 'no_match');
    },
  };
}

/** Fails for values that partners cannot use; returns remarks for the operator. */
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

/** A refusal has a status from 400 to 403; without a certificate, a failed handshake counts too. */
async function expectRefusal(sent: Promise<Uint8Array>, byHandshake = false): Promise<string> {
  const failure = await sent.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof CallFailure) return error;
      throw error;
    },
  );
  if (failure === undefined) throw new CheckFailed('it was answered: anybody could ask');
  const { status, message } = failure;
  if (status === undefined ? byHandshake : status >= 400 && status <= 403) return message;
  throw new CheckFailed(`${message}; expected 401`);
}

function expectOutcome(outcome: string, expected: string): undefined {
  expect(outcome === expected, `the outcome is ${outcome}`);
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new CheckFailed(otherwise);
}

function stranger(): Credentials {
  return { username: `nobody-${randomKey(9)}`, password: randomKey(16) };
}

function questionOf(programme: ProgrammeId, { username, password }: Credentials): HookQuestion {
  const by = { clientId: 'directory-test', customerIp: undefined, ipVerified: false };
  return verifyQuestion(programme, { username, password, ...by });
}

function send(
  connection: HookConnection,
  { path, body }: HookQuestion,
  secrets: readonly string[],
  at: Instant,
): Promise<Uint8Array> {
  return connection.post({ path, body, headers: signatureHeaders(secrets, body, at) });
}
