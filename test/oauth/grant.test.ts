// A login with an answer is written field by field: none may be forgotten.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Answer, answered, type Login } from '../../src/oauth/grant.ts';
import { aLogin } from '../store/fixtures.ts';

/** A field that is lacking here does not compile. */
type Optional<Of> = {
  [Name in keyof Of as object extends Pick<Of, Name> ? Name : never]-?: Of[Name];
};

test('a login with an answer has every field of both, and no other', () => {
  const { member, scope, ...required } = aLogin();
  assert.ok(member !== undefined && scope !== undefined);
  assert.deepEqual(answered(required, required), required);
  const ofLogin: Optional<Login> = { member, scope, resource: 'urn:a', keepsRefresh: true };
  const ofAnswer: Optional<Answer> = { ownScope: 'a' };
  assert.deepEqual(answered({ ...required, ...ofLogin }, { ...required, ...ofAnswer }), {
    ...required,
    ...ofLogin,
    ...ofAnswer,
  });
});
