// Owns the proof that the fleet campaign's checker finds every kind of wrong history, and none in right
// ones.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { judgeHistory, shortest } from '../../../scripts/fleet/checker.ts';
import {
  type Act,
  type History,
  type Outcome,
  type Request,
  tellHistory,
} from '../../../scripts/fleet/history.ts';

const tokens = (generation: number): Outcome => ({
  access: `A${generation}`,
  refresh: `R${generation}`,
});
const issue: Act = { kind: 'issue', code: 'C' };
const spend: Act = { kind: 'spend', code: 'C' };
const own: Act = { kind: 'own' };
const refresh = (generation: number): Act => ({ kind: 'refresh', token: `R${generation}` });
const verify = (generation: number): Act => ({ kind: 'verify', token: `A${generation}` });
const revoke = (generation: number): Act => ({ kind: 'revoke', token: `R${generation}` });

type Told = readonly [act: Act, outcome?: Outcome];

function request([act, outcome]: Told, invoked: number, completed: number): Request {
  return outcome === undefined
    ? { act, node: 1, invoked, completed: Infinity }
    : { act, node: 1, invoked, completed, outcome };
}

/** Requests one after another. */
function inTurn(...told: readonly Told[]): readonly Request[] {
  return told.map((one, index) => request(one, index * 10, index * 10 + 5));
}

/** Two requests at once, after what came before. */
function beside(before: readonly Request[], ...told: readonly Told[]): readonly Request[] {
  const now = before.length * 10;
  return [...before, ...told.map((one, index) => request(one, now + index, now + 9 - index))];
}

const login: readonly Told[] = [
  [issue, 'done'],
  [spend, tokens(1)],
];

const graced = (requests: readonly Request[]): History => ({ hasGrace: true, requests });
const strict = (requests: readonly Request[]): History => ({ hasGrace: false, requests });

const possible: Readonly<Record<string, History>> = {
  'a login, its refreshes and its end': strict(
    inTurn(
      ...login,
      [refresh(1), tokens(2)],
      [verify(1), 'valid'],
      [verify(2), 'valid'],
      [revoke(2), 'done'],
      [verify(2), 'refused'],
      [refresh(2), 'refused'],
    ),
  ),
  'a retry is told the answer that was lost': graced(
    inTurn(...login, [refresh(1)], [refresh(1), tokens(2)], [refresh(2), tokens(3)]),
  ),
  'two requests at once are told one answer': graced(
    beside(inTurn(...login), [refresh(1), tokens(2)], [refresh(1), tokens(2)]),
  ),
  'an unanswered spend has spent the code': strict(
    inTurn([issue, 'done'], [spend], [spend, 'refused']),
  ),
  'an unanswered spend has done nothing': strict(
    inTurn([issue, 'done'], [spend], [spend, tokens(1)]),
  ),
  'a late request is reuse, long after it was sent': graced(
    inTurn(
      ...login,
      [refresh(1)],
      [refresh(1), tokens(2)],
      [refresh(2), tokens(3)],
      [verify(3), 'valid'],
      [refresh(3), 'refused'],
    ),
  ),
  'of two spends at once the other ends the login': strict(
    beside(inTurn([issue, 'done']), [spend, tokens(1)], [spend, 'refused']),
  ),
  'an unanswered revocation counts': strict(
    inTurn(...login, [revoke(1)], [verify(1), 'valid'], [verify(1), 'refused']),
  ),
  "a client's own token": strict(inTurn([own, { access: 'A1' }], [verify(1), 'valid'])),
};

const impossible: Readonly<Record<string, History>> = {
  'a code is spent twice': strict(inTurn(...login, [spend, tokens(2)])),
  'a code is spent twice at once': strict(
    beside(inTurn([issue, 'done']), [spend, tokens(1)], [spend, tokens(2)]),
  ),
  'an acknowledged code is unknown': strict(inTurn([issue, 'done'], [spend, 'refused'])),
  'two successors of one refresh token': graced(
    beside(inTurn(...login), [refresh(1), tokens(2)], [refresh(1), tokens(3)]),
  ),
  'a retry is told another answer': graced(
    inTurn(...login, [refresh(1), tokens(2)], [refresh(1), tokens(3)]),
  ),
  'an acknowledged refresh token is unknown': graced(
    inTurn(...login, [refresh(1), tokens(2)], [refresh(2), 'refused']),
  ),
  'an acknowledged access token is unknown': strict(inTurn(...login, [verify(1), 'refused'])),
  'a rotated token lives after a failover': strict(
    inTurn(...login, [refresh(1), tokens(2)], [refresh(1), tokens(3)]),
  ),
  'reuse does not end the login': strict(
    inTurn(...login, [refresh(1), tokens(2)], [refresh(1), 'refused'], [verify(2), 'valid']),
  ),
  'a retry within the grace period is taken for reuse': graced(
    inTurn(...login, [refresh(1)], [refresh(1), 'refused']),
  ),
  'a revoked token is good': strict(inTurn(...login, [revoke(1), 'done'], [verify(1), 'valid'])),
  'a revoked login is refreshed': strict(
    inTurn(...login, [revoke(1), 'done'], [refresh(1), tokens(2)]),
  ),
  'a revocation is seen, and then gone': strict(
    inTurn(...login, [revoke(1)], [verify(1), 'refused'], [verify(1), 'valid']),
  ),
  "a client's own token is lost": strict(
    inTurn([own, { access: 'A1' }], [verify(1), 'valid'], [verify(1), 'refused']),
  ),
};

describe('one correct server could have answered so', () => {
  for (const [name, history] of Object.entries(possible)) {
    test(name, () => assert.equal(judgeHistory(history), 'possible', tellHistory(history)));
  }
});

describe('no correct server could have answered so', () => {
  for (const [name, history] of Object.entries(impossible)) {
    test(name, () => assert.equal(judgeHistory(history), 'impossible', tellHistory(history)));
  }
});

test('what is shown is the end of a long history, without readings that matter to nothing', () => {
  const rounds = Array.from({ length: 30 }, (_, index): readonly Told[] => [
    [refresh(index + 1), tokens(index + 2)],
    [verify(index + 2), 'valid'],
  ]);
  const lost: readonly Told[] = [
    [refresh(31)],
    [verify(31), 'valid'],
    [refresh(31), tokens(32)],
    [refresh(32), 'refused'],
    [refresh(32), 'refused'],
  ];
  const history = graced(inTurn(...login, ...rounds.flat(), ...lost));
  const shown = shortest(history);
  assert.deepEqual(
    shown.requests.map(({ act, outcome }) => [act, outcome]),
    [
      [refresh(30), tokens(31)],
      [refresh(31), undefined],
      [refresh(31), tokens(32)],
      [refresh(32), 'refused'],
    ],
  );
  assert.equal(
    tellHistory(shown),
    [
      '  ms            (with grace)',
      '  0–5          node 1  refresh refresh1 → refresh2 and access3',
      '  20–          node 1  refresh refresh2 → unknown',
      '  40–45        node 1  refresh refresh2 → refresh4 and access5',
      '  50–55        node 1  refresh refresh4 → refused',
    ].join('\n'),
  );
});

test('many requests without an answer are decided', () => {
  const retries = Array.from({ length: 40 }, (): Told => [refresh(1)]);
  const history = graced(inTurn(...login, ...retries, [refresh(1), 'refused']));
  assert.equal(judgeHistory(history), 'impossible');
});
