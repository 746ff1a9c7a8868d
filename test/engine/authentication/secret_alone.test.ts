// Owns what guesses of a secret that alone names its client cost; who is let in is in secret_alone.transcript.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Client } from '../../../src/oauth/client.ts';
import { askTokens, type Club, openClub, unknownClient } from '../../support/club.ts';
import { letIn, partnerToken, plain } from '../../support/partner_token.ts';
import type { Answer } from '../../support/wire.ts';

const over = `client: { authentication: { methods: [secret], failure_limit: { limit: 3, window: 1m } } }
token_endpoints: { grant: { inputs: { client_id: null, client_secret: { in: header, name: X-Api-Secret } } } }
throttle: off
`;

async function ask(club: Club, secret: string): Promise<Answer> {
  return plain(await askTokens(club, partnerToken, { authorization: '', 'x-api-secret': secret }));
}

const first = { id: 'partnerapi-00001', secret: 'first-secret-0123456789' };

test('HOSTILE 40: unknown, ended and disabled cost the same, and get the same answer', async (t) => {
  const club = await openClub(t, { over });
  const { keyring, clock } = club;
  await club.addClient(first);
  const stored = (text: string, more: Partial<Client['secrets'][number]> = {}) => ({
    secrets: [{ digest: keyring.secretDigest(text), createdAt: clock.now(), ...more }],
  });
  const ended = stored('an-ended-secret-0123456789', { expiresAt: clock.now() });
  await club.addClient({ id: 'partnerapi-00002', more: ended });
  const disabled = { status: 'disabled', ...stored('a-disabled-secret-0123456789') } as const;
  await club.addClient({ id: 'partnerapi-00003', more: disabled });
  const made = t.mock.method(club.keyring, 'secretDigest');
  const cost = async (secret: string, answer: Answer): Promise<number> => {
    const before = made.mock.callCount();
    assert.deepEqual(await ask(club, secret), answer);
    return made.mock.callCount() - before;
  };
  const usual = await cost(first.secret, letIn);
  for (const secret of [
    'unknown-secret-0123456789',
    'an-ended-secret-0123456789',
    'a-disabled-secret-0123456789',
  ]) {
    assert.equal(await cost(secret, unknownClient), usual);
  }
});
