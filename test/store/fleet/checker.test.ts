// Owns the proof that the fleet campaign's checker finds every kind of wrong history, and none in right
// ones.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { judgeHistory, untilFault } from '../../../scripts/fleet/checker.ts';
import {
  type Act,
  type History,
  type Request,
  tellHistory,
} from '../../../scripts/fleet/history.ts';

/** One request as text: what is asked, of which generation of tokens, and what came of it, if anything. */
function requestOf(text: string, invoked: number, completed: number): Request {
  const [asked = '', came = ''] = text.trim().split(/ |(?==)/);
  const [, kind = '', number = ''] = /^([a-z]+)(\d*)$/.exec(asked) ?? [];
  const acts: Readonly<Record<string, Act>> = {
    issue: { kind: 'issue', code: 'C' },
    spend: { kind: 'spend', code: 'C' },
    own: { kind: 'own' },
    refresh: { kind: 'refresh', token: `R${number}` },
    verify: { kind: 'verify', token: `A${number}` },
    revoke: { kind: 'revoke', token: `R${number}` },
  };
  const act = acts[kind];
  if (act === undefined) throw new Error(`no request: ${text}`);
  if (came === '') return { act, node: 1, invoked, completed: Infinity };
  const next = came.slice(1);
  const made =
    kind === 'own' ? { access: `A${next}` } : { access: `A${next}`, refresh: `R${next}` };
  const outcome = came.startsWith('=') ? made : (came as 'done' | 'valid' | 'refused');
  return { act, node: 1, invoked, completed, outcome };
}

/** Requests one after another, or two at once where `&` stands between them; `grace:` may come first. */
function historyOf(text: string): History {
  const [, grace, all = ''] = /^(grace: )?(.*)$/.exec(text) ?? [];
  const requests = all.split(', ').flatMap((turn, index) => {
    const at = index * 10;
    const [first = '', second] = turn.split(' & ');
    if (second === undefined) return [requestOf(first, at, at + 5)];
    return [requestOf(first, at, at + 9), requestOf(second, at + 1, at + 8)];
  });
  return { hasGrace: grace !== undefined, requests };
}

const login = 'issue done, spend=1';

const possible: Readonly<Record<string, string>> = {
  'a login, its refreshes and its end': `${login}, refresh1=2, verify1 valid, verify2 valid, revoke2 done, verify2 refused, refresh2 refused`,
  'a retry is told the answer that was lost': `grace: ${login}, refresh1, refresh1=2, refresh2=3`,
  'two requests at once are told one answer': `grace: ${login}, refresh1=2 & refresh1=2`,
  'an unanswered spend has spent the code': 'issue done, spend, spend refused',
  'an unanswered spend has done nothing': 'issue done, spend, spend=1',
  'a late request is reuse, long after it was sent': `grace: ${login}, refresh1, refresh1=2, refresh2=3, verify3 valid, refresh3 refused`,
  'of two spends at once the other ends the login': 'issue done, spend=1 & spend refused',
  'an unanswered revocation counts': `${login}, revoke1, verify1 valid, verify1 refused`,
  "a client's own token": 'own=1, verify1 valid',
};

const impossible: Readonly<Record<string, string>> = {
  'a code is spent twice': `${login}, spend=2`,
  'a code is spent twice at once': 'issue done, spend=1 & spend=2',
  'an acknowledged code is unknown': 'issue done, spend refused',
  'two successors of one refresh token': `grace: ${login}, refresh1=2 & refresh1=3`,
  'a retry is told another answer': `grace: ${login}, refresh1=2, refresh1=3`,
  'an acknowledged refresh token is unknown': `grace: ${login}, refresh1=2, refresh2 refused`,
  'an acknowledged access token is unknown': `${login}, verify1 refused`,
  'a rotated token lives after a failover': `${login}, refresh1=2, refresh1=3`,
  'reuse does not end the login': `${login}, refresh1=2, refresh1 refused, verify2 valid`,
  'a retry within the grace period is taken for reuse': `grace: ${login}, refresh1, refresh1 refused`,
  'a revoked token is good': `${login}, revoke1 done, verify1 valid`,
  'a revoked login is refreshed': `${login}, revoke1 done, refresh1=2`,
  'a revocation is seen, and then gone': `${login}, revoke1, verify1 refused, verify1 valid`,
  "a client's own token is lost": 'own=1, verify1 valid, verify1 refused',
};

for (const [verdict, histories] of Object.entries({ possible, impossible })) {
  describe(`it is ${verdict} that one correct server has answered so`, () => {
    for (const [name, text] of Object.entries(histories)) {
      const history = historyOf(text);
      test(name, () => assert.equal(judgeHistory(history), verdict, tellHistory(history)));
    }
  });
}

test('what is shown ends with the answer that no correct server gives', () => {
  const lost = 'refresh1, refresh1=2, refresh2 refused, refresh2 refused, verify2 refused';
  assert.equal(
    tellHistory(untilFault(historyOf(`grace: ${login}, ${lost}`))),
    [
      '  with grace',
      '  0 to 5 ms at node 1: {"kind":"issue","code":"C"} → "done"',
      '  10 to 15 ms at node 1: {"kind":"spend","code":"C"} → {"access":"A1","refresh":"R1"}',
      '  20 to Infinity ms at node 1: {"kind":"refresh","token":"R1"} → "unknown"',
      '  30 to 35 ms at node 1: {"kind":"refresh","token":"R1"} → {"access":"A2","refresh":"R2"}',
      '  40 to 45 ms at node 1: {"kind":"refresh","token":"R2"} → "refused"',
    ].join('\n'),
  );
});

test('many requests without an answer are decided', () => {
  const retries = Array.from({ length: 40 }, () => 'refresh1').join(', ');
  const history = historyOf(`grace: ${login}, ${retries}, refresh1 refused`);
  assert.equal(judgeHistory(history), 'impossible');
});
