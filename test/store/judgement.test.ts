// Owns the table of what a presented refresh token comes to, and of when tokens and logins end.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { instant, milliseconds } from '../../src/lib/clock.ts';
import type { Answer, LoginState } from '../../src/oauth/grant.ts';
import {
  accessEnd,
  judgeRefresh,
  loginIsOver,
  type PresentedRefresh,
  refreshEnd,
} from '../../src/store/judgement.ts';
import { aLogin, at, otherPartner } from './fixtures.ts';
import { tokenOf } from './login.ts';

const verdicts = {
  o: 'rotate',
  r: 'retry',
  X: 'reuse',
  A: 'ahead',
  '-': 'unknown',
} as const;
type Letter = keyof typeof verdicts;

/** Milliseconds from the answer to each column of the tables: around each bound, before, at and after it. */
const times = [
  [-60_001, -60_000, -59_999], // as far ahead of the clock as an answer may be
  [-1, 0, 1], // the answer
  [9_999, 10_000, 10_001], // the end of retries
  [99_999, 100_000, 100_001], // the refresh token's end
  [199_999, 200_000, 200_001], // the login's end
].flat();

/** The presented token's generation beside the login's, and whether its secret is right. */
type Case = `${'newer' | 'current' | 'former' | 'older'} ${'right' | 'wrong'}`;
type Table = Readonly<Record<Case, string>>;

const table: Table = {
  'newer right': '  AAA AAA AAA AAA A--',
  'newer wrong': '  AAA AAA AAA AAA A--',
  'current right': 'ooo ooo ooo o-- ---',
  'current wrong': 'AAA AAA AAA AAA A--',
  'former right': ' -rr rrr rrX XXX X--',
  'former wrong': ' --- --- --X XXX X--',
  'older right': '  XXX XXX XXX XXX X--',
  'older wrong': '  XXX XXX XXX XXX X--',
};
const formerReused = 'XXX XXX XXX XXX X--';
const withoutGrace: Table = {
  ...table,
  'former right': formerReused,
  'former wrong': formerReused,
};
/** Four bytes hold no later generation: no use changes anything. */
const atTheLast: Table = { ...table, 'current right': '--- --- --- --- ---' };
const nothing = Object.fromEntries(
  Object.keys(table).map((name) => [name, '--- --- --- --- ---']),
) as Table;

const last = 2 ** 32 - 1;

/** Every presented generation worth asking beside the login's generation `g`. */
function generationsBeside(g: number): readonly number[] {
  return [...new Set([0, 1, g - 2, g - 1, g, g + 1, last])].filter((p) => p >= 0 && p <= last);
}

function caseOf(presented: number, g: number, secret: 'right' | 'wrong'): Case {
  if (presented > g) return `newer ${secret}`;
  if (presented === g) return `current ${secret}`;
  return presented === g - 1 ? `former ${secret}` : `older ${secret}`;
}

/** A login in generation `g` with its bounds where the columns have them. */
function aState(g: number, over: Partial<LoginState> = {}): LoginState {
  return {
    ...aLogin({
      generation: g,
      refreshSpan: milliseconds(100_000),
      retrySpan: milliseconds(10_000),
      endsAt: at(200),
    }),
    revoked: false,
    ...over,
  };
}

/** A token whose secret is that of its generation, as far as the login can tell; or is not. */
function presentedIn(
  state: LoginState,
  generation: number,
  secret: 'right' | 'wrong',
): PresentedRefresh {
  const { refreshDigest } = state;
  const other = `${refreshDigest.slice(0, -1)}!`;
  const successor = secret === 'right' ? refreshDigest : other;
  return {
    ...tokenOf({ ...state, generation, refreshDigest: successor }),
    successorDigest: () => successor,
  };
}

/** Asks every presented generation, secret and time; compares with the table, line by line. */
function expectTable(
  state: LoginState,
  expected: Table,
  change: (presented: PresentedRefresh) => PresentedRefresh = (presented) => presented,
): void {
  for (const generation of generationsBeside(state.generation)) {
    for (const secret of ['right', 'wrong'] as const) {
      const name = caseOf(generation, state.generation, secret);
      const presented = change(presentedIn(state, generation, secret));
      const found = times.map((ms) =>
        judgeRefresh(state, presented, instant(state.answeredAt + ms)),
      );
      const letters = expected[name].replaceAll(' ', '').split('') as Letter[];
      assert.deepEqual(
        found,
        letters.map((letter) => verdicts[letter]),
        `${generation} beside ${state.generation}: ${name}`,
      );
    }
  }
}

describe('G-19: a presented refresh token is judged by generation, secrets and time', () => {
  for (const g of [1, 2, 3, 1000, last - 1]) {
    test(`generation ${g}`, () => expectTable(aState(g), table));
    test(`generation ${g}, without grace`, () =>
      expectTable(aState(g, { retrySpan: milliseconds(0) }), withoutGrace));
  }
  test('the last generation', () => expectTable(aState(last), atTheLast));

  const gates: readonly (readonly [
    string,
    Partial<LoginState>,
    ((presented: PresentedRefresh) => PresentedRefresh)?,
  ])[] = [
    ['another client', {}, (token) => ({ ...token, client: otherPartner })],
    [
      'another login of that place',
      {},
      // The digest of a token covers its login secret.
      (token) => ({
        ...token,
        loginDigest: `${token.loginDigest.slice(0, -1)}!`,
        refreshDigest: `${token.refreshDigest.slice(0, -1)}!`,
      }),
    ],
    ['a cut login secret', {}, (token) => ({ ...token, loginDigest: '', refreshDigest: '' })],
    ['a revoked login', { revoked: true }],
    ['a login without refresh tokens', { refreshDigest: '' }],
  ];
  for (const [name, over, change] of gates) {
    test(`HOSTILE 31: ${name}: nothing changes, whatever is presented`, () => {
      for (const g of [1, 3, last]) expectTable(aState(g, over), nothing, change);
    });
  }

  test('HOSTILE 29: an unknown login is unknown', () => {
    assert.equal(judgeRefresh(undefined, tokenOf(aLogin()), at(0)), 'unknown');
  });
});

describe('bounds that lie beyond each other', () => {
  test('the login’s end cuts refresh token and retries', () => {
    const span = milliseconds(300_000);
    expectTable(aState(3, { refreshSpan: span, retrySpan: span }), {
      ...table,
      'current right': 'ooo ooo ooo ooo o--',
      'former right': ' -rr rrr rrr rrr r--',
      'former wrong': ' --- --- --- --- ---',
    });
  });

  test('no token’s end cuts retries', () => {
    const spans = { refreshSpan: milliseconds(1), retrySpan: milliseconds(100_000) };
    expectTable(aState(3, spans), {
      ...table,
      'current right': 'ooo oo- --- --- ---',
      'former right': ' -rr rrr rrr rrX X--',
      'former wrong': ' --- --- --- --X X--',
    });
  });

  test('without its key a retry is unknown, and reuse is reuse', () => {
    expectTable(aState(3), { ...table, 'former right': table['former wrong'] }, (presented) => ({
      ...presented,
      successorDigest: () => undefined,
    }));
  });
});

test('a retry is told from the answer that the login has', () => {
  const state = aState(3);
  const asked: Answer[] = [];
  const presented: PresentedRefresh = {
    ...presentedIn(state, 2, 'right'),
    successorDigest: (answer) => {
      asked.push(answer);
      return state.refreshDigest;
    },
  };
  assert.equal(judgeRefresh(state, presented, at(5)), 'retry');
  assert.deepEqual(asked, [state]);
});

test('HOSTILE 30: a time in which no server answered is no part of a retry window', () => {
  const state = aState(3, { answeredAt: at(0), retrySpan: milliseconds(10_000) });
  const judged = (seconds: number, ...outages: readonly number[]): string => {
    const spans = outages.flatMap((from, index) =>
      index % 2 === 0 ? { from: at(from), to: at(outages[index + 1] ?? from) } : [],
    );
    return judgeRefresh(state, presentedIn(state, 2, 'right'), at(seconds), spans);
  };
  // Four of ten seconds had passed when it stopped, or the record of the time was older than the answer.
  assert.deepEqual([judged(106, 4, 100), judged(106.001, 4, 100)], ['retry', 'reuse']);
  assert.deepEqual([judged(110, -20, 100), judged(110.001, -20, 100)], ['retry', 'reuse']);
  // The window had ended before, or the answer came after.
  assert.deepEqual([judged(100, 10.001, 100), judged(10, -5, 0)], ['reuse', 'retry']);
  assert.equal(judged(10.001, -5, 0), 'reuse');
  // Several: each adds what no other has covered, as long as the window is open by then.
  const both = [judged(126, 4, 100, 103, 123), judged(126.001, 4, 100, 103, 123)];
  assert.deepEqual(both, ['retry', 'reuse']);
  const overlapping = [50, 123, 4, 100, 60, 70];
  assert.deepEqual(
    [judged(129, ...overlapping), judged(129.001, ...overlapping)],
    ['retry', 'reuse'],
  );
  assert.deepEqual(
    [judged(106, 4, 100, 106.001, 123), judged(107, 4, 100, 106.001, 123)],
    ['retry', 'reuse'],
  );
});

test('G-23: tokens end with their span or their login, whichever is first', () => {
  const state = aState(1, { accessSpan: milliseconds(1000), refreshSpan: milliseconds(2000) });
  assert.deepEqual([accessEnd(state), refreshEnd(state)], [at(1), at(2)]);
  const short = { ...state, endsAt: at(0.5) };
  assert.deepEqual([accessEnd(short), refreshEnd(short)], [at(0.5), at(0.5)]);
});

test('a login is over a minute after the last of its tokens', () => {
  const over = [59_999, 60_000].map((ms) =>
    loginIsOver({ forgetAt: at(100) }, instant(at(100) + ms)),
  );
  assert.deepEqual(over, [false, true]);
});
