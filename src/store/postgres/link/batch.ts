// Owns gathering the questions of a turn into one statement: alone each would cost the database five to
// ten times as much (FLEET 1.1).

import { inTurn } from '../../../lib/turn.ts';
import { Unavailable } from '../../../oauth/failure.ts';
import type { Link } from './link.ts';
import { OutcomeUnknown, Refused } from './statement.ts';

/** Questions of one statement. */
const largestBatch = 256;
const longestQueue = 10_000;
/** Statements of one kind under way: while they are, later questions gather. */
const mostUnderWay = 2;

/** Of many questions at once: their answers, in their order. */
export type AnswerAll<Question, Answer> = (
  questions: readonly Question[],
  /** See `Link.deadline`. */
  until: number,
) => Promise<readonly Answer[]>;

export interface BatchOptions<Question, Answer> {
  readonly link: Link;
  readonly answer: AnswerAll<Question, Answer>;
  /**
   * The row that a question writes: two questions about one row are never in one statement, which would
   * take one of them. Left out for questions that write nothing.
   */
  readonly rowOf?: (question: Question) => string;
}

interface Asked<Question, Answer> {
  readonly question: Question;
  readonly until: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Asks one question, together with the others of its turn. */
export function batched<Question, Answer>({
  link,
  answer,
  rowOf,
}: BatchOptions<Question, Answer>): (question: Question) => Promise<Answer> {
  let waiting: Asked<Question, Answer>[] = [];
  let underWay = 0;
  let isPlanned = false;

  const plan = (): void => {
    if (isPlanned || underWay >= mostUnderWay || waiting.length === 0) return;
    isPlanned = true;
    inTurn('commits', flush);
  };
  const flush = (): void => {
    isPlanned = false;
    const batch = take();
    if (batch.length === 0) return;
    underWay += 1;
    void settle(batch).finally(() => {
      underWay -= 1;
      plan();
    });
    plan();
  };
  const take = (): Asked<Question, Answer>[] => {
    if (rowOf === undefined) return waiting.splice(0, largestBatch);
    const rows = new Set<string>();
    const batch: Asked<Question, Answer>[] = [];
    const left: Asked<Question, Answer>[] = [];
    for (const asked of waiting) {
      const row = rowOf(asked.question);
      const isNext = batch.length < largestBatch && !rows.has(row);
      (isNext ? batch : left).push(asked);
      rows.add(row);
    }
    waiting = left;
    // One order for all nodes: two statements never wait for each other's rows.
    const name = new Map(batch.map((asked) => [asked, rowOf(asked.question)]));
    return batch.toSorted((one, other) =>
      (name.get(one) ?? '') < (name.get(other) ?? '') ? -1 : 1,
    );
  };
  const settle = async (batch: readonly Asked<Question, Answer>[]): Promise<void> => {
    try {
      const until = Math.min(...batch.map((asked) => asked.until));
      const answers = await answer(
        batch.map(({ question }) => question),
        until,
      );
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      // A question that no statement can hold must not refuse the others.
      if (error instanceof Refused && batch.length > 1) {
        await Promise.all(batch.map((asked) => settle([asked])));
      } else for (const { reject } of batch) reject(error);
    }
  };
  return (question) => {
    if (waiting.length >= longestQueue) {
      return Promise.reject(new Unavailable('store: too many verbs wait'));
    }
    return new Promise((resolve, reject) => {
      waiting.push({ question, until: link.deadline(), resolve, reject });
      plan();
    });
  };
}

/** What a statement that may run twice has come to. */
export interface Repeated<Result> {
  readonly result: Result;
  /** Whether an earlier run may have been committed as well. */
  readonly wasUnknown: boolean;
}

/**
 * Runs a statement that recognises what it has done before, again as long as its outcome is unknown.
 * The last run writes also where it finds the work done: only its own commit waits for the standbys that
 * the first one may not have reached (FLEET 2.4).
 */
export async function untilKnown<Result>(
  until: number,
  run: (isAgain: boolean) => Promise<Result>,
): Promise<Repeated<Result>> {
  for (let wasUnknown = false; ; wasUnknown = true) {
    try {
      return { result: await run(wasUnknown), wasUnknown };
    } catch (error) {
      if (!(error instanceof OutcomeUnknown) || performance.now() >= until) throw error;
    }
  }
}
