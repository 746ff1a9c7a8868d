// Owns the member directory behind an HTTP hook: the airline's own member system answers who a
// member is (docs/member-directory.md).

import { type Clock, type Milliseconds, milliseconds } from '../lib/clock.ts';
import { createGate, type Gate, GateFull } from '../lib/gate.ts';
import { randomKey } from '../lib/random.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { Unavailable } from '../oauth/failure.ts';
import type { Subject } from '../oauth/member.ts';
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
import { signatureHeaders } from './hook_signature.ts';
import { visibleUsername } from './username.ts';

/** Version of the contract; `v` of every question. */
const hookVersion = 1;

/** Questions that may wait for one under way to end, for each that may be under way. */
const waitingForEach = 4;

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
  /** Whether a subject could be taken for something else than a member's (C-9). */
  readonly isForeignSubject: (subject: Subject) => boolean;
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
  return {
    async verify(attempt: LoginAttempt): Promise<Verification> {
      const question = {
        programme,
        username: visibleUsername(attempt.typedUsername),
        password: attempt.password,
        client_id: attempt.client,
        customer_ip: attempt.customerAddress ?? null,
        ip_verified: attempt.addressVerified,
      };
      return ask('verify', question, (body) => {
        const answer = readVerification(body);
        if (answer.outcome === 'match' && options.isForeignSubject(answer.member.subject)) {
          throw new BrokenAnswer("member.subject looks like a client's");
        }
        // Who is blocked is told what everybody is told (HOSTILE 16).
        return answer.outcome === 'blocked' ? { outcome: 'no_match' } : answer;
      });
    },
    // The hook is not asked, and costs no hash here: what is declined is malformed, which shows.
    decline: () => Promise.resolve(),
    async isActive(subject) {
      return ask('status', { programme, subject }, (body) => readStatus(body) === 'active');
    },
  };
}

type Ask = <Answer>(
  path: string,
  question: object,
  read: (body: Uint8Array) => Answer,
) => Promise<Answer>;

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

  return async (path, question, read) => {
    const requestId = randomKey(16);
    const begun = performance.now();
    const left = (): Milliseconds =>
      milliseconds(Math.max(1, limits.total - (performance.now() - begun)));
    const body = JSON.stringify({ v: hookVersion, request_id: requestId, ...question });
    try {
      const answer = await inTime(gate, milliseconds(limits.total * longestWait), () => {
        const headers = signatureHeaders(credentials.secrets, body, clock.now());
        return send({ path, body, headers }, left());
      });
      return read(answer);
    } catch (error) {
      const isKnown =
        error instanceof HookFailure || error instanceof BrokenAnswer || error instanceof GateFull;
      if (!isKnown) throw error;
      const where = `the member directory of ${programme} did not answer ${path}`;
      throw new Unavailable(`${where}, request ${requestId}: ${error.message}`);
    }
  };
}

/** Passes the gate, or rejects with `GateFull` when its turn has not come within the time. */
function inTime<Result>(
  gate: Gate,
  patience: Milliseconds,
  work: () => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let gaveUp = false;
    const timer = setTimeout(() => {
      gaveUp = true;
      reject(new GateFull('too many are asked for already'));
    }, patience);
    // Who gave up keeps its place in the queue until its turn comes, and then lets it pass.
    const turn = async (): Promise<void> => {
      clearTimeout(timer);
      if (!gaveUp) resolve(await work());
    };
    gate(turn).catch((error: unknown) => {
      clearTimeout(timer);
      reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
}
