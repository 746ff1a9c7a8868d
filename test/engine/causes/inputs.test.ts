// What `why` tells of requests that cannot be read.

import { test } from 'node:test';

import { askTokens, paths } from '../../support/club.ts';
import { ask } from '../../support/wire.ts';
import { basic, type Case, endpoint, partner, secret, tellAll } from './scene.ts';

const form = 'application/x-www-form-urlencoded';

const cases: readonly Case[] = [
  [
    'a wrong method',
    (club) => ask(club.url, paths.grant, { method: 'PUT' }),
    'method_not_allowed',
    'arrival',
    `${endpoint}.methods`,
    'POST',
    'another method',
    'own',
  ],
  [
    'JSON in place of a form',
    (club) =>
      ask(club.url, paths.grant, {
        method: 'POST',
        headers: { ...basic('a', 'b'), 'content-type': 'application/json; charset=utf-8' },
        body: '{"code":"hush-hush"}',
      }),
    'unsupported_media_type',
    'inputs',
    `${endpoint}.read`,
    form,
    'application/json; charset=utf-8',
    'own',
  ],
  [
    'a Content-Type that is none',
    (club) =>
      ask(club.url, paths.grant, {
        method: 'POST',
        headers: { 'content-type': secret },
        body: 'x',
      }),
    'unsupported_media_type',
    'inputs',
    `${endpoint}.read`,
    form,
    'a Content-Type of 23 characters (small letters, signs)',
    'own',
  ],
  [
    'a body that is too large',
    (club) => askTokens(club, { x: 'x'.repeat(70_000) }),
    'body_too_large',
    'inputs',
    undefined,
    'a body of at most 64 KiB',
    'a longer one',
    'own',
  ],
  [
    'a body that cannot be decoded',
    (club) =>
      ask(club.url, paths.grant, {
        method: 'POST',
        headers: { 'content-type': form },
        body: 'code=%zz',
      }),
    'malformed_body',
    'inputs',
    `${endpoint}.read`,
    'a form body that can be decoded',
    /^a parameter is not percent-encoded/,
    'own',
  ],
  [
    'a repeated parameter',
    (club) =>
      ask(club.url, paths.grant, {
        method: 'POST',
        headers: { 'content-type': form },
        body: 'scope=a&scope=b&scope=c',
      }),
    'repeated_parameter',
    'inputs',
    `${endpoint}.repeated`,
    'each once',
    '"scope" 3 times',
    'own',
  ],
  [
    'a parameter in the query',
    (club) =>
      ask(club.url, `${paths.grant}?scope=x`, {
        method: 'POST',
        headers: { 'content-type': form },
      }),
    'misplaced_parameter',
    'inputs',
    `${endpoint}.read`,
    'scope in the body',
    'scope in the query',
    'own',
  ],
  [
    'an unknown parameter',
    (club) => askTokens(club, { ...partner(), utm_source: 'x' }),
    'unknown_parameter',
    'inputs',
    `${endpoint}.unknown`,
    'no parameters but the declared ones',
    'the parameter "utm_source"',
    'own',
  ],
  [
    'a secret for the name of a parameter',
    (club) => askTokens(club, { '{"client_secret":"a-secret-of-some-length"}': '' }),
    'unknown_parameter',
    'inputs',
    `${endpoint}.unknown`,
    /declared/,
    /^the parameter a name of 43 characters \(small letters, signs\)$/,
    'own',
  ],
];

test('each refusal of what cannot be read names its step, its rule, what was expected and what came', (t) =>
  tellAll(t, cases));
