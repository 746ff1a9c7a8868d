// What a transcript (token_forms.transcript) cannot say of tokens of a form of their own: what a store is told, and
// how an operator is told of a token that has become good.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { deadToken } from '../../src/engine/causes/token.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { isLive, openClub, programme, refresh, tokensIn, tokensOfLogin } from '../support/club.ts';

/** A form with dots, as JWTs have them. */
const forms = `
tokens:
  access: { form: { prefix: eyJ.a., characters: base64url, length: 40 } }
  refresh: { form: { characters: digits, length: 40 } }
`;

test('the store is told neither a token nor what it stands for', async (t) => {
  const told: string[] = [];
  const memory = openMemoryStore();
  const store = new Proxy(memory, {
    get: (target, name) => {
      const verb: unknown = Reflect.get(target, name);
      if (typeof verb !== 'function') return verb;
      return (...given: unknown[]): unknown => {
        told.push(
          JSON.stringify([name, given], (_, one: unknown) =>
            typeof one === 'bigint' ? `${one}` : one,
          ),
        );
        return Reflect.apply(verb, target, given);
      };
    },
  });
  const club = await openClub(t, { over: forms, store });
  const tokens = await tokensOfLogin(club);
  const next = tokensIn(await refresh(club, tokens.refresh_token));
  assert.ok(await isLive(club, next.access_token));
  const all = told.join('\n');
  assert.equal(told.filter((call) => call.startsWith('["keepText"')).length, 4);
  for (const token of [tokens, next].flatMap((one) => [one.access_token, one.refresh_token])) {
    assert.ok(!all.includes(token) && !all.includes(token.slice(-20)));
  }
  // Sealed access tokens begin with a letter and the number of their key, refresh tokens with rA.
  assert.doesNotMatch(all, /"(?:mA|rA)[\w-]{40}/);
});

test('what proves itself by now, since a key was reloaded meanwhile, is not told as expired', async (t) => {
  const club = await openClub(t);
  const { access_token: token } = await tokensOfLogin(club);
  const service = club.services.get(programme);
  assert.ok(service);
  const { came } = await deadToken(service, 'unproven', token, club.clock.now());
  assert.doesNotMatch(came, /expired 0/);
});
