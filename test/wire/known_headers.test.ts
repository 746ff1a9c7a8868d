// What a transcript (known_headers.transcript) cannot say of headers that were let in before: that they are known, and
// at one programme alone (G-17, HOSTILE 39).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ProvenHeaders } from '../../src/token/proven_headers.ts';
import { askTokens, openClub, programme, unknownClient } from '../support/club.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import { basic, letIn, partnerToken, plain } from '../support/partner_token.ts';
import { type Answer, post } from '../support/wire.ts';

test('G-17: a header that was let in is known at the next request', async (t) => {
  const club = await openClub(t);
  const find = t.mock.method(ProvenHeaders.prototype, 'find');
  for (const known of [undefined, club.client.id]) {
    assert.deepEqual(plain(await askTokens(club, partnerToken)), letIn);
    assert.equal(find.mock.calls.at(-1)?.result?.id, known);
  }
});

test('HOSTILE 39: what a header proved at one programme is nothing to another', async (t) => {
  const encoded = (credentials: string): string =>
    `client: { authentication: { credentials: ${credentials} } }`;
  const jetway = await startJetway(t, {
    programmes: {
      [programme]: shippedProgramme(programme, encoded('raw')),
      'gold-club': shippedProgramme(programme, encoded('form'), 'base_path: /gold-club'),
    },
  });
  const { id } = await jetway.addClient({ secret: 'a%41b' });
  await jetway.addClient({ id, secret: 'a%41b', programme: 'gold-club' });
  const asked = async (base: string, secret: string): Promise<Answer> =>
    plain(await post(jetway.url, `/${base}/api/grant`, partnerToken, basic(`${id}:${secret}`)));
  for (let sent = 0; sent < 2; sent += 1) {
    assert.deepEqual(await asked(programme, 'a%41b'), letIn);
    assert.deepEqual(await asked('gold-club', 'a%41b'), unknownClient);
    assert.deepEqual(await asked('gold-club', 'a%2541b'), letIn);
    assert.deepEqual(await asked(programme, 'a%2541b'), unknownClient);
  }
});
