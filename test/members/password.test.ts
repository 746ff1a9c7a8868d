// Tests of member passwords: argon2id digests in PHC form.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  checkPassword,
  hashPassword,
  isUpToDate,
  hashRandomPassword,
} from '../../src/members/password.ts';

test('a password is kept as argon2id with OWASP’s parameters and checked against that', async () => {
  const phc = await hashPassword('correct horse');
  assert.match(phc, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await checkPassword('correct horse', phc), true);
  for (const wrong of ['', 'correct hors', 'correct horse ', 'Correct horse', phc]) {
    assert.equal(await checkPassword(wrong, phc), false, wrong);
  }
});

test('the same password is kept differently each time', async () => {
  assert.notEqual(await hashPassword('x'), await hashPassword('x'));
});

test('a password may hold any character, and a keyboard’s way to compose them does not count', async () => {
  const phc = await hashPassword('pässwörd \u{1f511}\u0000');
  assert.equal(await checkPassword('pa\u0308sswo\u0308rd \u{1f511}\u0000', phc), true);
  assert.equal(await checkPassword('password \u{1f511}\u0000', phc), false);
  assert.equal(await checkPassword('pässwörd \u{1f511}', phc), false);
});

// From the tests of the reference implementation (phc-winner-argon2, src/test.c).
const foreign =
  '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

test('a digest made elsewhere, with other parameters, is checked with those', async () => {
  assert.equal(await checkPassword('password', foreign), true);
  assert.equal(await checkPassword('Password', foreign), false);
});

test('what is no hash is an error, never a match', async () => {
  const phc = await hashPassword('x');
  for (const broken of ['', 'x', `${phc}$`, ` ${phc}`, phc.replace(/\$[^$]*$/, '$')]) {
    await assert.rejects(checkPassword('x', broken), /no password hash/, broken);
  }
});

test('only what is made here and now is up to date', async () => {
  assert.equal(isUpToDate(await hashPassword('x')), true);
  assert.equal(isUpToDate(hashRandomPassword('x')), true);
  assert.equal(isUpToDate(foreign), false);
});

test('a password as random as a key is hashed at once, and checked as any other is', async () => {
  const phc = hashRandomPassword('pässwörd');
  assert.match(phc, /^\$argon2id\$v=19\$m=64,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.deepEqual(
    await Promise.all(['pässwörd', 'passwort'].map((password) => checkPassword(password, phc))),
    [true, false],
  );
});
