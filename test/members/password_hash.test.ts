// Tests of the password hashes that members bring along, by the vectors of those who made them up.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkPassword } from '../../src/members/password.ts';
import { readHash } from '../../src/members/password_hash.ts';

const rfc7914 =
  '4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d';
const sha256Tag = Buffer.from(rfc7914, 'hex').toString('base64');
const sha1Tag = Buffer.from('4b007901b765489abead49d926f721d065a429c1', 'hex').toString('base64');
const plain = (base64: string): string => base64.replaceAll('=', '');

const argon2i = 'c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA';
const argon2id = 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
const blowfish = 'CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';

/** Scheme, password, hash, and whose vector it is. */
const vectors = `
argon2 | password | $argon2i$v=19$m=65536,t=2,p=1$${argon2i} | phc-winner-argon2, src/test.c, argon2i
argon2 | password | $argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$${argon2id} | phc-winner-argon2, src/test.c, argon2id
argon2 | password | $argon2id$v=19$t=2,p=1,m=65536$c29tZXNhbHQ=$${argon2id}= | HOSTILE 89: the same in another order, padded
bcrypt | U*U | $2a$05$${blowfish} | crypt_blowfish 1.3, wrapper.c
bcrypt | U*U | $2y$05$${blowfish} | crypt_blowfish 1.3, wrapper.c, as $2y$
pbkdf2 | Password | pbkdf2_sha256$80000$NaCl$${sha256Tag} | RFC 7914 11, as Django
pbkdf2 | Password | $pbkdf2-sha256$i=80000,l=64$TmFDbA$${plain(sha256Tag)} | RFC 7914 11, as PHC
pbkdf2 | Password | $pbkdf2-sha256$80000$TmFDbA$${plain(sha256Tag).replaceAll('+', '.')} | RFC 7914 11, as passlib
pbkdf2 | Password | $pbkdf2-sha256$i=80000,l=64$TmFDbA==$${sha256Tag} | HOSTILE 89: RFC 7914 11, as PHC, padded
pbkdf2 | password | pbkdf2_sha1$4096$salt$${sha1Tag} | RFC 6070, as Django
pbkdf2 | password | $pbkdf2$4096$c2FsdA$${plain(sha1Tag)} | RFC 6070, as passlib`
  .trim()
  .split('\n')
  .map((line) => line.split(' | '));

for (const [scheme = '', password = '', text = '', what = ''] of vectors) {
  test(`${scheme}: ${what}`, async () => {
    assert.equal(readHash(text)?.scheme, scheme);
    assert.equal(await checkPassword(password, text), true);
    assert.equal(await checkPassword(`${password}x`, text), false);
    assert.equal(await checkPassword('', text), false);
  });
}

test('what is broken, unknown or would cost too much is no hash', () => {
  const bcrypt = '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW';
  const argon2 = vectors[1]?.[2] ?? '';
  const django = vectors[5]?.[2] ?? '';
  assert.equal(readHash(bcrypt)?.scheme, 'bcrypt');
  for (const text of [
    '',
    'password',
    '$1$salt$qJH7.N4xYta3aEG/dfqo/0',
    '5f4dcc3b5aa765d61d8327deb882cf99',
    bcrypt.slice(0, -1),
    `${bcrypt}x`,
    bcrypt.replace('$12$', '$31$'),
    bcrypt.replace('$12$', '$03$'),
    bcrypt.replace('$2b$', '$2x$'),
    argon2.replace('v=19', 'v=16'),
    argon2.replace('m=65536', 'm=999999'),
    argon2.replace('m=65536', 'm=7'),
    argon2.replace('t=2', 't=99'),
    argon2.replace('p=1', 'p=0'),
    argon2.replace('$v=19', ''),
    argon2.replace('m=65536,t=2', 't=2'),
    argon2.replace('m=65536,t=2', 'm=65536,m=65536,t=2'),
    argon2.replace('t=2,p=1', 't=2,t=2'),
    argon2.replace('p=1', 'p=1,keyid=a'),
    django.replace('80000', '1'),
    django.replace('80000', '99999999'),
    django.replace('sha256', 'md5'),
    'pbkdf2_sha256$80000$NaCl$c2hvcnQ=',
    `${django}\n`,
  ]) {
    assert.equal(readHash(text), undefined, text);
  }
});
