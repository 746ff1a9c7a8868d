// What `why` tells of clients that are not who they say, or may not do what they ask (HOSTILE 53).

import { test } from 'node:test';

import type { ThrottleLimit } from '../../../src/oauth/client.ts';
import { askTokens } from '../../support/club.ts';
import { basic, type Case, endpoint, methods, partner, secret, tellAll } from './scene.ts';

const basicWords = 'Authorization: Basic and base64 of identifier:secret';

const cases: readonly Case[] = [
  [
    'no credentials',
    (club) => askTokens(club, partner(), {}),
    'authentication_missing',
    'credentials',
    methods,
    basicWords,
    'no authorization',
    'own',
  ],
  [
    'another scheme',
    (club) => askTokens(club, partner(), { authorization: `Bearer ${secret}` }),
    'authentication_malformed',
    'credentials',
    methods,
    basicWords,
    'the scheme Bearer',
    'own',
  ],
  [
    'credentials without a scheme',
    (club) => askTokens(club, partner(), { authorization: secret }),
    'authentication_malformed',
    'credentials',
    methods,
    basicWords,
    /^an Authorization header without a known scheme/,
    'own',
  ],
  [
    'credentials in two places',
    (club) => askTokens(club, { ...partner(), client_secret: secret }),
    'authentication_ambiguous',
    'credentials',
    'client.authentication.when_both',
    `one of ${basicWords}`,
    'an Authorization header and client_secret',
    'own',
  ],
  [
    'an unknown identifier',
    (club) => askTokens(club, partner(), basic('partnerapi-99999', secret)),
    'client_authentication_failed',
    'client',
    'client.identifier',
    'the identifier of a client of the programme',
    'one that no client has',
  ],
  [
    'identifier and secret the wrong way round',
    (club) => askTokens(club, partner(), basic(secret, 'partnerapi-12345')),
    'client_authentication_failed',
    'client',
    'client.identifier.prefix',
    'the identifier of a client of the programme: "partnerapi-" at the start',
    '23 characters (small letters, signs)',
  ],
  [
    'a wrong secret',
    (club) => askTokens(club, partner(), basic(club.client.id, `${secret} `)),
    'client_authentication_failed',
    'client',
    methods,
    "the client's secret, of which it has 1",
    "the client's secret, with white space around it",
  ],
  [
    'a secret that has ended',
    async (club) => {
      const { keyring, clock } = club;
      const ended = {
        digest: keyring.secretDigest('former-secret'),
        createdAt: clock.now(),
        expiresAt: clock.now(),
      };
      const { id } = await club.addClient({ id: 'partnerapi-20000', more: { secrets: [ended] } });
      await askTokens(club, partner(), basic(id, 'former-secret'));
    },
    'client_authentication_failed',
    'client',
    methods,
    'a secret of the client that has not ended',
    /^one that ended at 20\d\d-/,
  ],
  [
    'a disabled client',
    async (club) => {
      const { basic: authorization } = await club.addClient({
        id: 'partnerapi-20001',
        more: { status: 'disabled' },
      });
      await askTokens(club, partner(), { authorization });
    },
    'client_authentication_failed',
    'client',
    'client',
    'a client that is active',
    'one that is disabled',
  ],
  [
    "another client's identifier",
    (club) => askTokens(club, { ...partner(), client_id: 'partnerapi-54321' }),
    'client_mismatch',
    'client_values',
    `${endpoint}.inputs.client_id.must_equal`,
    'client_id: what is registered for the client',
    '16 characters (small letters, digits, signs)',
    'own',
  ],
  [
    'a header that does not fit',
    (club) => askTokens(club, partner(), { authorization: club.client.basic, 'x-trace': 'ab+cd' }),
    'invalid_header',
    'headers',
    `${endpoint}.inputs.trace.characters`,
    'the header x-trace: ASCII letters and digits',
    'number 3 of 5 characters is "+", which the class alphanumeric does not have',
    'own',
  ],
  [
    'a header that is too long',
    (club) =>
      askTokens(club, partner(), { authorization: club.client.basic, 'x-trace': 'abcdefghi' }),
    'invalid_header',
    'headers',
    `${endpoint}.inputs.trace.length`,
    'the header x-trace: 4 to 8 characters',
    '9 characters (small letters)',
    'own',
  ],
  [
    'more requests than its limit',
    async (club) => {
      const throttle = { limit: 1, window: 60_000 } satisfies ThrottleLimit;
      const { basic: authorization } = await club.addClient({
        id: 'partnerapi-20002',
        more: { throttle },
      });
      for (const _ of [1, 2]) await askTokens(club, partner(), { authorization });
    },
    'throttled',
    'throttle',
    'throttle.limit',
    "at most 1 request within 60 s, the client's own limit",
    'more',
    'own',
  ],
];

test('each refusal of a client names its step, its rule, what was expected and what came', (t) =>
  tellAll(t, cases));
