// What `why` tells of grants and codes that are refused.

import { test } from 'node:test';

import { askTokens, codeFor, redeem } from '../../support/club.ts';
import { type Case, endpoint, partner, tellAll } from './scene.ts';

const cases: readonly Case[] = [
  [
    'no grant_type',
    (club) => askTokens(club, { scope: 'x' }),
    'missing_grant_type',
    'grant_type',
    `${endpoint}.inputs.grant_type.required`,
    'grant_type',
    'no grant_type',
    'own',
  ],
  [
    'an empty grant_type',
    (club) => askTokens(club, { grant_type: '' }),
    'missing_grant_type',
    'grant_type',
    `${endpoint}.inputs.grant_type.required`,
    'grant_type',
    'grant_type without a value',
    'own',
  ],
  [
    'an unknown grant_type',
    (club) => askTokens(club, { grant_type: 'implicit' }),
    'unsupported_grant_type',
    'grant_type',
    'grants',
    'grant_type: one of authorization_code, refresh_token, client_credentials',
    '"implicit"',
    'own',
  ],
  [
    'a grant that the client may not have',
    async (club) => {
      const { basic: authorization } = await club.addClient({
        id: 'partnerapi-20003',
        roles: ['member'],
      });
      await askTokens(club, partner(), { authorization });
    },
    'grant_not_allowed',
    'grant_type',
    'grants.client_credentials.role',
    'a client with the role partner',
    'a client with the role member',
  ],
  [
    'no code',
    (club) => askTokens(club, { grant_type: 'authorization_code' }),
    'missing_parameter',
    'parameters',
    `${endpoint}.inputs.code`,
    'code',
    'no code',
    'own',
  ],
  [
    'a value that is not allowed',
    (club) => askTokens(club, { ...partner(), channel: 'Web' }),
    'invalid_parameter',
    'parameters',
    `${endpoint}.inputs.channel.allowed`,
    'channel: one of web, app',
    'the same in other letter case',
    'own',
  ],
  [
    'a scope that there is not',
    (club) => askTokens(club, { ...partner(), scope: 'AUTHN-LEVEL-99' }),
    'invalid_scope',
    'scope',
    'scope.values',
    'one of AUTHN-LEVEL-10, AUTHN-LEVEL-12, AUTHN-LEVEL-15',
    '"AUTHN-LEVEL-99"',
    'own',
  ],
  [
    "a scope that is not a client's",
    (club) => askTokens(club, { ...partner(), scope: 'AUTHN-LEVEL-10' }),
    'invalid_scope',
    'grant',
    'scope.client',
    'AUTHN-LEVEL-15, which clients have',
    '"AUTHN-LEVEL-10"',
    'own',
  ],
  [
    'a code that was cut',
    (club) => redeem(club, 'a'.repeat(63)),
    'invalid_code',
    'grant',
    'code.length',
    'a code: 64 characters',
    '63 characters (small letters)',
    'own',
  ],
  [
    'an unknown code',
    (club) => redeem(club, 'f'.repeat(64)),
    'invalid_code',
    'grant',
    'code.lifetime',
    'a code of the programme',
    /^a code that the programme does not know/,
  ],
  [
    'an expired code',
    async (club) => {
      const code = await codeFor(club);
      club.clock.advance(300);
      await redeem(club, code);
    },
    'invalid_code',
    'grant',
    'code.lifetime',
    'a code within its lifetime',
    'one that expired 3 minutes ago',
    'own',
  ],
  [
    'a spent code',
    async (club) => {
      const code = await codeFor(club);
      for (const _ of [1, 2]) await redeem(club, code);
    },
    'invalid_code',
    'grant',
    'code',
    /first time/,
    /^one that was used before/,
    'own',
  ],
  [
    "another client's code",
    async (club) => {
      const other = await club.addClient({ id: 'partnerapi-20004' });
      const code = await codeFor(club, {}, other);
      await redeem(club, code);
    },
    'invalid_code',
    'grant',
    'code',
    /this client/,
    'a code of another client',
  ],
  [
    'another redirect URI',
    async (club) =>
      redeem(club, await codeFor(club), { redirect_uri: 'https://partner.example/Callback' }),
    'invalid_code',
    'grant',
    `${endpoint}.inputs.redirect_uri`,
    'the redirect URI of the login request',
    'a URI whose path differs from that of https://partner.example/callback in letter case',
  ],
  [
    'a verifier that does not fit',
    async (club) => {
      const code = await codeFor(club, {
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      });
      await redeem(club, code, { code_verifier: 'y'.repeat(43) });
    },
    'invalid_code',
    'grant',
    `${endpoint}.inputs.code_verifier`,
    /challenge in the login request/,
    'another one, of 43 characters (small letters)',
    'own',
  ],
  [
    'no verifier',
    async (club) =>
      redeem(
        club,
        await codeFor(club, { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }),
      ),
    'invalid_code',
    'grant',
    `${endpoint}.inputs.code_verifier`,
    /challenge in the login request/,
    'none',
    'own',
  ],
];

test('each refusal of a code names its step, its rule, what was expected and what came', (t) =>
  tellAll(t, cases));
