// Owns the member directory behind an HTTP hook: the airline's own member system answers who a
// member is (docs/member-directory.md).

import { randomInt } from 'node:crypto';

import { type Clock, type Milliseconds, milliseconds } from '../lib/clock.ts';
import { createGate, type Gate, GateFull } from '../lib/gate.ts';
import { randomKey } from '../lib/random.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { Unavailable } from '../oauth/failure.ts';
import { createBreaker } from './circuit_breaker.ts';
import type { LoginAttempt, MemberDirectory, Verification } from './directory.ts';
import { BrokenAnswer, readStatus, readVerification } from './hook_answer.ts';
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
import { visibleUsername } from './username.ts';

/** Questions that may wait for one under way to end, for each that may be under way. */
const waitingForEach = 4;

/** Answers whose time is remembered. */
const rememberedSpans = 64;

/**
 * The part of a question's time that it may spend waiting for its turn. What is left must be enough
 * for an answer: a question cut short says nothing of the hook, and would open the breaker.
 */
const longestWait = 0.5;

export interface HttpDirectoryOptions {
  readonly programme: ProgrammeId;
  /** The hook's address, without trailing slash. */
  readonly url: string;
  readonly credentials: HookCredentials;
  /** Questions under way at once. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly limits?: HookLimits;
}

/**
 * A directory that asks the hook. Whatever is not an answer of the contract rejects with
 * `Unavailable`, whose message names programme, question and request id, and no member.
 */
export function createHttpDirectory(options: HttpDirectoryOptions): MemberDirectory {
  const ask = createAsking(options);
  const { programme } = options;
  const pace = createPace();
  const verify = async (attempt: LoginAttempt): Promise<Verification> => {
    const begun = performance.now();
    const told = await askToVerify(options, ask, attempt);
    if (told.outcome === 'no_match') pace.remember(performance.now() - begun);
    return told;
  };
  return {
    verify,
    async decline(attempt) {
      // How long it takes is not known yet: then it is asked about somebody that there cannot be.
      const nobody = { typedUsername: randomKey(16), password: randomKey(16) };
      if (pace.isKnown()) await pace.wait();
      else await verify({ ...attempt, ...nobody });
    },
    async isActive(subject) {
      const question = statusQuestion(programme, subject);
      return ask(question, (body) => readStatus(body) === 'active');
    },
    isOwn: false,
  };
}

type Ask = <Answer>(
  question: HookQuestion,
  read: (body: Uint8Array) => Answer,
  hangUp?: AbortSignal,
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
    // Who is blocked is told what everybody is told (HOSTILE 16).
    return answer.outcome === 'blocked' ? { outcome: 'no_match' } : answer;
  };
  return ask(question, read, attempt.hangUp);
}

interface Pace {
  readonly isKnown: () => boolean;
  readonly remember: (spent: number) => void;
  /** Takes as long as one of the answers of late. */
  readonly wait: () => Promise<void>;
}

/**
 * How long the hook takes to say no: an account that is locked here, about which it is not asked,
 * must not be told from a wrong password by the time it takes (HOSTILE 17).
 */
function createPace(): Pace {
  const spans: number[] = [];
  return {
    isKnown: () => spans.length > 0,
    remember: (spent) => {
      spans.push(spent);
      if (spans.length > rememberedSpans) spans.shift();
    },
    wait: async () => {
      const span = spans[randomInt(rememberedSpans) % spans.length] ?? 0;
      await new Promise((resolve) => {
        setTimeout(resolve, span);
      });
    },
  };
}

/** Breaker, gate, signature and exchange, in this order; all within one span of time. */
function createAsking(options: HttpDirectoryOptions): Ask {
  const { programme, url, credentials, clock, limits = usualLimits } = options;
  const connection = openHookConnection(url, credentials, limits);
  const breaker = createBreaker(clock);
  const { concurrency: atOnce } = options;
  const gate = createGate({ atOnce, waiting: atOnce * waitingForEach });

  const send: HookConnection['post'] = async (message, budget) => {
    const leave = breaker.admit();
    if (leave === undefined) throw new HookFailure('it failed too often: left alone', false);
    try {
      const body = await connection.post(message, budget);
      leave.succeed();
      return body;
    } catch (error) {
      // An answer of whatever kind came from a hook that is there. What it refuses may be one
      // question, so nobody can shut the directory for all with a question of that kind.
      if (error instanceof HookFailure && error.systemic) leave.fail();
      else leave.succeed();
      throw error;
    }
  };

  return async ({ path, requestId, body }, read, hangUp) => {
    const begun = performance.now();
    const left = (): Milliseconds =>
      milliseconds(Math.max(1, limits.total - (performance.now() - begun)));
    try {
      const post = (): Promise<Uint8Array> => {
        const headers = signatureHeaders(credentials.secrets, body, clock.now());
        return send({ path, body, headers }, left());
      };
      const patience = milliseconds(limits.total * longestWait);
      return read(await inTime(gate, patience, post, hangUp));
    } catch (error) {
      const isKnown =
        error instanceof HookFailure || error instanceof BrokenAnswer || error instanceof GateFull;
      if (!isKnown) throw error;
      const where = `the member directory of ${programme} did not answer ${path}`;
      throw new Unavailable(`${where}, request ${requestId}: ${error.message}`);
    }
  };
}

/**
 * Passes the gate, or rejects: with `GateFull` when its turn has not come within the time, with the
 * signal's reason when nobody waits for it any more by then.
 */
async function inTime<Result>(
  gate: Gate,
  patience: Milliseconds,
  work: () => Promise<Result>,
  hangUp: AbortSignal | undefined,
): Promise<Result> {
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort(new GateFull('too many are asked for already'));
  }, patience);
  const signal = hangUp === undefined ? late.signal : AbortSignal.any([late.signal, hangUp]);
  try {
    return await gate.pass(() => {
      clearTimeout(timer);
      return work();
    }, signal);
  } finally {
    clearTimeout(timer);
  }
}
