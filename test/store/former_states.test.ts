// C-9, HOSTILE 29: rows of logins as former versions wrote them read as they did, and are written as they were;
// their numbers say that the refresh tokens of their answers have the issuer as `aud`.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answerIn } from '../../src/store/judgement.ts';
import { answerOf, stateOf } from '../../src/store/sql/state.ts';
import { hasRefreshAudience } from '../../src/token/token_ids.ts';
import { aLogin } from './fixtures.ts';

/** Of `aLogin`, by the number that the version of 25 November 2026 drew for it. */
const states = {
  776135662298111:
    '00000001a7937b64b8caa58f03721bb6bacf5c7878377b525757b494427f890100019b76daa80000001b77400005265c00000000271002c1e42a72e3ff019b7c010400',
  0: '00000001a7937b64b8caa58f03721bb6bacf5c7878377b525757b494427f890100019b76daa80000001b77400005265c00000000271000000000000000019b7c010400',
};

for (const [number, hex] of Object.entries(states)) {
  test(`HOSTILE 29: the state of a former version, whose number is ${number}`, () => {
    const state = Buffer.from(hex, 'hex');
    const answer = answerOf(state, null);
    assert.deepEqual(answer, answerIn(aLogin({ tokenNumber: Number(number) })));
    assert.deepEqual(Buffer.from(stateOf(answer)), state);
    assert.equal(hasRefreshAudience(answer), false);
  });
}
