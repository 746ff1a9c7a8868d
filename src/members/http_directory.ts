// Owns the member directory behind an HTTP hook (docs/member-directory.md).

import { createBreaker } from '../lib/calls/circuit_breaker.ts';
import { CallFailure, type CallLimits } from '../lib/calls/exchange.ts';
import { type Clock, type Milliseconds, milliseconds } from '../lib/clock.ts';
import { createGate, type Gate, GateFull } from '../lib/gate.ts';
import { counters, histograms, usualTimes } from '../lib/metrics/families.ts';
import { randomKey } from '../lib/random.ts';
import { traceHeaders } from '../lib/trace_context.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { Overloaded, Unavailable } from '../oauth/failure.ts';
import type { Subject } from '../oauth/member.ts';
import { type RequestRecord, usualIdHeader } from '../oauth/request_record.ts';
import type { LoginAttempt, MemberDirectory, Verification } from './directory.ts';
import {
  BrokenAnswer,
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
import { visibleUsername } from './username.ts';

/** Questions that may wait, for each question that may run. */
const waitingForEach = 4;
/** Twice as many as the customers of a partner are owners: they must not fill the queue (HOSTILE 80). */
const leastWaiting = 32;

/** The share of running questions that logins may use. */
const mostForLogins = 0.75;

/**
 * The share of its time that a question may spend waiting. The rest must suffice for an answer: a
 * question cut short would count as the hook's failure and open the breaker.
 */
const longestWait = 0.5;

const calls = counters(
  'jetway_directory_calls_total',
  'Questions to member directories behind a hook. Outcomes: answered; failed: no answer, or one of an overloaded server; unusable: another answer than the contract has; left_alone: not asked, since it failed too often; overloaded: too many waited; hung_up: its caller left before its turn.',
  'programme',
  'question',
  'outcome',
);
const callTimes = histograms(
  'jetway_directory_call_duration_seconds',
  'Time that member directories behind a hook took to answer.',
  usualTimes,
  'programme',
  'question',
);

export interface HttpDirectoryOptions {
  readonly programme: ProgrammeId;
  /** Without trailing slash. */
  readonly url: string;
  readonly credentials: HookCredentials;
  /** Questions that run at once. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly limits?: CallLimits;
}

/** Rejects with `Unavailable` for any answer outside the contract; its message names no member. */
export function createHttpDirectory(options: HttpDirectoryOptions): MemberDirectory {
  const { ask, isCircuitOpen } = createAsking(options);
  const { programme } = options;
  const isActive: MemberDirectory['isActive'] = (subject, record) => {
    const question = statusQuestion(programme, subject);
    return ask(question, (body) => readStatus(body) === 'active', { record });
  };
  return {
    verify: (attempt) => askToVerify(options, ask, attempt),
    async decline(attempt) {
      // A locked account gets an unlocked account's answer after the same time, also if the hook
      // fails (HOSTILE 17, 63): the hook is asked about a member that cannot exist.
      const unknown = { typedUsername: randomKey(16), password: randomKey(16) };
      await askToVerify(options, ask, { ...attempt, ...unknown });
    },
    isActive,
    // The contract has no question for a member by its username.
    async find(by, name, record) {
      const subject = name as Subject;
      return by === 'subject' && (await isActive(subject, record)) ? { subject } : undefined;
    },
    isOwn: false,
    isCircuitOpen,
  };
}

/** Who asks: a login, or a refresh with its record alone. */
interface Asker {
  readonly login?: LoginAttempt;
  readonly record?: RequestRecord | undefined;
}

type Ask = <Answer>(
  question: HookQuestion,
  read: (body: Uint8Array) => Answer,
  asker: Asker,
) => Promise<Answer>;

function askToVerify(
  { programme }: HttpDirectoryOptions,
  ask: Ask,
  attempt: LoginAttempt,
): Promise<Verification> {
  const question = verifyQuestion(programme, {
    username: visibleUsername(attempt.typedUsername),
    password: attempt.password,
    clientId: attempt.client,
    customerIp: attempt.customerAddress,
    ipVerified: attempt.addressVerified,
  });
  const read = (body: Uint8Array): Verification => {
    const answer = readVerification(body);
    // A blocked member gets the answer of a wrong password (HOSTILE 16).
    return answer.outcome === 'blocked' ? { outcome: 'no_match' } : answer;
  };
  return ask(question, read, { login: attempt, record: attempt.record });
}

/** Gate, signature, breaker and exchange, in this order, all within one time limit. */
function createAsking(options: HttpDirectoryOptions): {
  readonly ask: Ask;
  readonly isCircuitOpen: () => boolean;
} {
  const { programme, url, credentials, clock, limits = usualLimits } = options;
  const connection = openHookConnection(url, credentials, limits);
  const breaker = createBreaker(clock);
  const gates = openGates(options.concurrency);

  const send: HookConnection['post'] = async (message, budget) => {
    const leave = breaker.admit();
    if (leave === undefined) throw new CircuitOpen('it failed too often: circuit open', false);
    const begun = performance.now();
    try {
      const body = await connection.post(message, budget);
      leave.succeed();
      return body;
    } catch (error) {
      // Any answer shows that the hook works. Refusals do not count, or one client's odd question
      // could open the breaker for all.
      if (error instanceof CallFailure && error.systemic) leave.fail();
      else leave.succeed();
      throw error;
    } finally {
      const question = message.path;
      callTimes({ programme, question }).observe((performance.now() - begun) / 1000);
    }
  };

  const ask: Ask = async ({ path, requestId, body }, read, { login, record }) => {
    const count = (outcome: Outcome): void => calls({ programme, question: path, outcome }).add();
    const begun = performance.now();
    const left = (): Milliseconds =>
      milliseconds(Math.max(1, limits.total - (performance.now() - begun)));
    try {
      const postIn = (spanId?: string): Promise<Uint8Array> => {
        const signature = signatureHeaders(credentials.secrets, body, clock.now());
        const headers = { ...signature, ...callerHeaders(record, spanId) };
        return send({ path, body, headers }, left());
      };
      const post = (): Promise<Uint8Array> =>
        record === undefined ? postIn() : record.timed(`hook ${path}`, postIn);
      const patience = milliseconds(limits.total * longestWait);
      const answer = read(await inTime(gates, patience, post, login));
      count('answered');
      return answer;
    } catch (error) {
      count(outcomeOf(error));
      const isKnown =
        error instanceof CallFailure || error instanceof BrokenAnswer || error instanceof GateFull;
      if (!isKnown) throw error;
      const where = `the member directory of ${programme} did not answer ${path}`;
      const Cause = error instanceof GateFull ? Overloaded : Unavailable;
      throw new Cause(`${where}, request ${requestId}: ${error.message}`);
    }
  };
  return { ask, isCircuitOpen: breaker.isOpen };
}

class CircuitOpen extends CallFailure {}

type Outcome = 'answered' | 'failed' | 'unusable' | 'left_alone' | 'overloaded' | 'hung_up';

function outcomeOf(error: unknown): Outcome {
  if (error instanceof CircuitOpen) return 'left_alone';
  if (error instanceof GateFull) return 'overloaded';
  if (error instanceof BrokenAnswer) return 'unusable';
  if (!(error instanceof CallFailure)) return 'hung_up';
  return error.systemic ? 'failed' : 'unusable';
}

/** By which the airline's log finds the request here. They are not signed: nothing is decided by them. */
function callerHeaders(
  record: RequestRecord | undefined,
  spanId: string | undefined,
): Readonly<Record<string, string>> {
  if (record === undefined) return {};
  const { id, trace } = record;
  return { [usualIdHeader]: id, ...(trace && traceHeaders(trace, spanId)) };
}

/** `logins` is passed before `all`: refreshes keep places of their own (HOSTILE 73). */
type Gates = Readonly<Record<'all' | 'logins', Gate>>;

function openGates(concurrency: number): Gates {
  const gateOf = (atOnce: number): Gate =>
    createGate({ atOnce, waiting: Math.max(leastWaiting, atOnce * waitingForEach) });
  return {
    all: gateOf(concurrency),
    logins: gateOf(Math.max(1, Math.floor(concurrency * mostForLogins))),
  };
}

/**
 * Passes the gates. Rejects with `GateFull` if its turn does not come within `patience`, and with
 * the signal's reason if the caller hangs up before its turn.
 */
async function inTime<Result>(
  { all, logins }: Gates,
  patience: Milliseconds,
  work: () => Promise<Result>,
  login: LoginAttempt | undefined,
): Promise<Result> {
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort(new GateFull('too many are asked for already'));
  }, patience);
  const signals = [late.signal, login?.hangUp].filter((signal) => signal !== undefined);
  const hangUp = AbortSignal.any(signals);
  const begin = (): Promise<Result> => {
    clearTimeout(timer);
    return work();
  };
  try {
    if (login === undefined) return await all.pass(begin, { hangUp, owners: ['refreshes'] });
    const enter = (): Promise<Result> => all.pass(begin, { hangUp, owners: ['logins'] });
    return await logins.pass(enter, { hangUp, owners: login.owners });
  } finally {
    clearTimeout(timer);
  }
}
