// Owns the causes for which a member is not logged in. They name no member.

import type { Cause } from '../../oauth/cause.ts';

const expected = 'the username and password of a member who may log in';

export const notRecognised: Cause = Object.freeze({
  rule: ['members'],
  expected,
  came: 'what the directory does not recognise: unknown, wrong, or of a disabled member',
});

export const oddCredentials: Cause = Object.freeze({
  rule: ['members'],
  expected,
  came: 'what no directory is asked about: too long, or with control characters',
});

export const lockedAccount: Cause = Object.freeze({
  rule: ['login', 'lockout'],
  expected: 'fewer failed attempts at the username',
  came: 'a username that is locked: the password was not looked at (jetway member unlock)',
});

export const tooManyFailures: Cause = Object.freeze({
  rule: ['login', 'address_limit'],
  expected: 'fewer failed logins from the address',
  came: 'an address that has had too many: the password was not looked at',
});

export const blankField: Cause = Object.freeze({
  rule: ['login'],
  expected: 'a username and a password',
  came: 'an empty field',
});
