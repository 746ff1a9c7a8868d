// Owns the contract tests of a member directory's hook (docs/member-directory.md).

import type { CallLimits } from '../lib/calls/exchange.ts';
import type { Instant } from '../lib/clock.ts';
import { present } from '../lib/present.ts';
import { randomKey } from '../lib/random.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { Member, Subject } from '../oauth/member.ts';
import {
  CheckFailed,
  type NamedCheck,
  memberQuestion,
  send,
  trustChecks,
  unknownMember,
} from './directory_trust_checks.ts';
import { readStatus, readVerification } from './hook_answer.ts';
import {
  type HookConnection,
  type HookCredentials,
  openHookConnection,
  usualLimits,
} from './hook_connection.ts';
import { type HookQuestion, statusQuestion } from './hook_question.ts';

/** A hook, and the expected properties of its answers. */
export interface DirectoryUnderTest {
  readonly programme: ProgrammeId;
  readonly url: string;
  readonly credentials: HookCredentials;
  readonly now: () => Instant;
  /** An existing member; if left out, only unknown members are tested. */
  readonly member?: { readonly username: string; readonly password: string };
  /** Levels of the programme; empty if it has none. */
  readonly levels: readonly string[];
  readonly isForeignSubject: (subject: Subject) => boolean;
  /** Limits of an answer; a login's limits if left out. */
  readonly limits?: CallLimits;
}

export interface CheckResult {
  readonly name: string;
  readonly passed: boolean;
  /** Why the check failed, or a remark; never contains a member's name. */
  readonly detail?: string;
  readonly milliseconds: number;
}

interface Tested extends DirectoryUnderTest {
  readonly connection: HookConnection;
  readonly ask: (question: HookQuestion) => Promise<Uint8Array>;
}

/** Runs the checks in order; stops after the first if the hook does not answer at all. */
export async function checkDirectory(test: DirectoryUnderTest): Promise<readonly CheckResult[]> {
  const connection = openHookConnection(test.url, test.credentials, test.limits);
  const { secrets } = test.credentials;
  const ask: Tested['ask'] = (question) => send(connection, question, secrets, test.now());
  const tested = { ...test, connection, ask };
  const results: CheckResult[] = [];
  try {
    for (const check of [
      ...contractChecks(tested),
      ...trustChecks(tested),
      ...memberChecks(tested),
    ]) {
      results.push(await run(check));
      // A server that cannot be reached also refuses wrong signatures, which proves nothing.
      if (results[0]?.passed !== true) break;
    }
    return results;
  } finally {
    connection.close();
  }
}

async function run([name, check]: NamedCheck): Promise<CheckResult> {
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

const timedQuestions = 10;

function contractChecks(test: Tested): readonly NamedCheck[] {
  const { ask, programme } = test;
  return [
    [
      'a question is answered, over TLS that is verified where the address is https',
      async () => {
        await ask(unknownMember(programme));
        return test.url.startsWith('http:') ? 'plain http, on this machine' : undefined;
      },
    ],
    [
      'an unknown username is no_match',
      async () => expectNoMatch(await ask(unknownMember(programme))),
    ],
    [
      'an unknown subject is inactive',
      async () => {
        const question = statusQuestion(programme, randomKey(16) as Subject);
        expectOutcome(readStatus(await ask(question)), 'inactive');
        return undefined;
      },
    ],
    [
      'answers come in good time',
      async () => {
        const spans: number[] = [];
        for (let turn = 0; turn < timedQuestions; turn += 1) {
          const begun = performance.now();
          await ask(unknownMember(programme));
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

/** Checks that need an existing member. */
function memberChecks(test: Tested): readonly NamedCheck[] {
  const { ask, member, programme } = test;
  if (member === undefined) return [];
  let known: Member | undefined;
  return [
    [
      'the member is a match',
      async () => {
        const told = readVerification(await ask(memberQuestion(programme, member)));
        if (told.outcome !== 'match') throw new CheckFailed(`the outcome is ${told.outcome}`);
        known = told.member;
        return describeMember(test, told.member);
      },
    ],
    [
      'the same member has the same subject again, and is active',
      async () => {
        if (known === undefined) throw new CheckFailed('there was no match to ask about');
        const again = readVerification(await ask(memberQuestion(programme, member)));
        const subject = again.outcome === 'match' ? again.member.subject : undefined;
        expect(subject === known.subject, 'the second answer has another subject');
        expectOutcome(readStatus(await ask(statusQuestion(programme, known.subject))), 'active');
        return undefined;
      },
    ],
    [
      'a wrong password of that member is no_match',
      async () => {
        const wrong = { ...member, password: randomKey(16) };
        return expectNoMatch(await ask(memberQuestion(programme, wrong)));
      },
    ],
  ];
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

function expectNoMatch(answer: Uint8Array): undefined {
  expectOutcome(readVerification(answer).outcome, 'no_match');
}

function expectOutcome(outcome: string, expected: string): void {
  expect(outcome === expected, `the outcome is ${outcome}`);
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new CheckFailed(otherwise);
}
