// What `why` tells of refresh tokens that are refused.

import { test } from 'node:test';

import type { Subject } from '../../../src/oauth/member.ts';
import { askTokens, programme, refresh, tokensOfLogin } from '../../support/club.ts';
import { type Case, tellAll } from './scene.ts';

const cases: readonly Case[] = [
  [
    'a refresh token that is none',
    (club) => refresh(club, 'hush hush'),
    'invalid_refresh_token',
    'grant',
    'tokens.refresh',
    'a refresh token of the programme',
    /^none that Jetway can have made: 9 characters/,
    'own',
  ],
  [
    'an expired refresh token',
    async (club) => {
      const { refresh_token: token } = await tokensOfLogin(club);
      club.clock.advance(3 * 86_400);
      await refresh(club, token);
    },
    'invalid_refresh_token',
    'grant',
    'tokens.refresh.lifetime',
    'a refresh token within its lifetime',
    'one that expired 2 days ago',
    'own',
  ],
  [
    'a refresh token of a login that is over',
    async (club) => {
      const { refresh_token: token } = await tokensOfLogin(club);
      club.clock.advance(31 * 86_400);
      await refresh(club, token);
    },
    'invalid_refresh_token',
    'grant',
    'tokens.refresh.longest',
    'one whose login goes on',
    'one whose login ended 24 hours ago',
    'own',
  ],
  [
    'a refresh token that was used before, and after that any of its login',
    async (club) => {
      const { refresh_token: token } = await tokensOfLogin(club);
      await refresh(club, token);
      club.clock.advance(60);
      await refresh(club, token);
    },
    'invalid_refresh_token',
    'grant',
    'tokens.refresh.grace',
    'the latest refresh token of its login',
    'one that was used before, of which 1 newer one came, the last 60 seconds ago: its login was ended',
    'own',
  ],
  [
    'a refresh token whose login was ended',
    async (club) => {
      const { refresh_token: token } = await tokensOfLogin(club);
      await refresh(club, token);
      club.clock.advance(60);
      for (const _ of [1, 2]) await refresh(club, token);
    },
    'invalid_refresh_token',
    'grant',
    'tokens.refresh',
    'one whose login goes on',
    /^one whose login was ended/,
    'own',
  ],
  [
    "another client's refresh token",
    async (club) => {
      const { refresh_token: token } = await tokensOfLogin(club);
      const { basic: authorization } = await club.addClient({ id: 'partnerapi-20005' });
      await askTokens(
        club,
        { grant_type: 'refresh_token', refresh_token: token },
        { authorization },
      );
    },
    'invalid_refresh_token',
    'grant',
    'tokens.refresh',
    'one that was issued to this client',
    "another client's",
  ],
  [
    'a refresh token of a member who was disabled',
    async (club) => {
      const { refresh_token: token } = await tokensOfLogin(club);
      const { store, member } = club;
      await store.change('member', programme, member.subject as Subject, (found) => ({
        ...found,
        status: 'disabled',
      }));
      await refresh(club, token);
    },
    'invalid_refresh_token',
    'grant',
    'members',
    'a member who may log in',
    /^one who is disabled or gone/,
  ],
];

test('each refusal of a refresh token names its step, its rule, what was expected and what came', (t) =>
  tellAll(t, cases));
