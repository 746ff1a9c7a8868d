// What `why` tells of logins and of a gateway's questions that are refused (HOSTILE 53).

import { test } from 'node:test';

import { loginTarget, partnerTokenOf } from '../../support/club.ts';
import { openLogin, submitLogin } from '../../support/login.ts';
import { ask } from '../../support/wire.ts';
import { type Case, tellAll } from './scene.ts';

const inputs = 'authorize.endpoint.inputs';
const verify = '/executive-club/verify';

const cases: readonly Case[] = [
  [
    'a link without a client',
    (club) => ask(club.url, '/executive-club/auth/login?client_id='),
    'missing_client_id',
    'inputs',
    `${inputs}.client_id`,
    'client_id',
    'client_id without a value',
    'own',
  ],
  [
    'a link of an unknown client',
    (club) => ask(club.url, loginTarget({ id: 'partnerapi-99999' })),
    'unknown_client',
    'client',
    'client.identifier',
    'the identifier of a client of the programme',
    'one that no client has',
  ],
  [
    'a redirect URI that is not registered',
    (club) =>
      ask(
        club.url,
        loginTarget(club.client, { redirect_uri: 'https://partner.example/callbacks' }),
      ),
    'unregistered_redirect_uri',
    'redirect_uri',
    `${inputs}.redirect_uri`,
    'https://partner.example/callback',
    'a URI whose path differs from that of https://partner.example/callback at character 10',
  ],
  [
    'another response_type',
    (club) => ask(club.url, loginTarget(club.client, { response_type: 'token' })),
    'unsupported_response_type',
    'parameters',
    `${inputs}.response_type.allowed`,
    'response_type: one of code',
    '"token"',
    'own',
  ],
  [
    'a wrong password',
    async (club) => {
      const login = await openLogin(club.url, loginTarget(club.client));
      await submitLogin(club.url, login, { ...club.member, password: 'hush' });
    },
    'not_recognised',
    'member',
    'members',
    'the username and password of a member who may log in',
    /^what the directory does not recognise/,
  ],
  [
    'a login page without its login',
    (club) => ask(club.url, '/executive-club/login?transaction=hush'),
    'damaged',
    'transaction',
    'login.pages.damaged',
    'a login that this programme began',
    /^a text that it did not seal/,
  ],
  [
    'a call without a token',
    (club) => ask(club.url, `${verify}/member`),
    'missing_token',
    'credentials',
    'verify',
    'Authorization: Bearer, for member',
    'none',
    'own',
  ],
  [
    'a call with an expired token',
    async (club) => {
      const token = await partnerTokenOf(club);
      club.clock.advance(7200);
      await ask(club.url, `${verify}/client`, { headers: { authorization: `Bearer ${token}` } });
    },
    'invalid_token',
    'token',
    'tokens.access.lifetime',
    'a live access token of the programme',
    /^one that expired /,
  ],
  [
    'a call with the wrong kind of token',
    async (club) => {
      const token = await partnerTokenOf(club);
      await ask(club.url, `${verify}/member`, { headers: { authorization: `Bearer ${token}` } });
    },
    'insufficient_scope',
    'scope',
    'verify',
    'a token of a member',
    'one of a client',
    'own',
  ],
];

test('each refusal of a login or a verification names its step, its rule, and what came', (t) =>
  tellAll(t, cases));
