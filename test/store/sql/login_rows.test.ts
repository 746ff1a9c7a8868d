// Owns what rows of logins hold beside what every login has.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Era } from '../../../src/oauth/grant.ts';
import { loginRow } from '../../../src/store/sql/login_rows.ts';
import { aLogin } from '../fixtures.ts';

test('a login has details only if there are any, and its nonce is none', () => {
  const { member: _, ...plain } = aLogin();
  const era = 1 as Era;
  assert.equal(loginRow(plain, era).details, null);
  assert.equal(loginRow({ ...plain, keepsRefresh: true }, era).details, '{"keepsRefresh":true}');
});
