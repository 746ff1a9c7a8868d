// What two of a client's own tokens beside members' have in common (HOSTILE 95), which no transcript can tell.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeJwt, decodeProtectedHeader } from 'jose';

import { openClub, tokensOfLogin } from '../support/club.ts';

test('HOSTILE 95: JWTs of a client’s own tell nobody that they came with logins of one member', async (t) => {
  const club = await openClub(t, {
    over: [
      'tokens: { access: { format: jwt } }',
      'token_response: { fields: { own: client_token } }',
    ],
  });
  const told = async (): Promise<Record<string, unknown>> => {
    const { own } = (await tokensOfLogin(club)) as unknown as { readonly own: string };
    const facts = [decodeProtectedHeader(own), decodeJwt(own)].flatMap((part) =>
      Object.entries(part),
    );
    return Object.fromEntries(facts);
  };
  const [one, other] = [await told(), await told()];
  // What all tokens of the client have in common by themselves.
  const usual = new Set('alg typ kid iss aud sub client_id scope iat exp'.split(' '));
  const others = Object.entries(one).filter(([name]) => !usual.has(name));
  assert.deepEqual(
    others.map(([name]) => name),
    ['owner', 'beside', 'jti', 'family'],
  );
  for (const [name, value] of others) {
    assert.notEqual(other[name], value, name);
  }
});
