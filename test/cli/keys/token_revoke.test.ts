// Owns what `token revoke` leaves in the store; what a running server refuses then is in token_revoke_served.session.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { after, instant, milliseconds } from '../../../src/lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../../src/oauth/client.ts';
import type { Subject } from '../../../src/oauth/member.ts';
import { firstEra } from '../../../src/store/judgement.ts';
import { openFileStore } from '../../../src/store/sqlite/store.ts';
import { aLogin, placeAt } from '../../store/fixtures.ts';
import { isRevoked } from '../../store/login.ts';
import { jetwayEach, programmeText, workFolder } from '../command.ts';

const id = 'partnerapi-00001';
const add = `client add --programme club --name Blue --client-id ${id} --role partner member
  --redirect-uri https://blue.example/cb`.split(/\s+/);

describe('token revoke', () => {
  test('ends those of one client in every programme, and those of one subject that the store does not know', async (t) => {
    const folder = workFolder(t, {
      'programmes/other.yaml': programmeText('Other'),
      'programmes/hooked.yaml': programmeText(
        'Hooked',
        'members: { directory: http, url: "https://members.example" }',
      ),
    });
    const revoke = ['token', 'revoke'];
    const ran = await jetwayEach(folder, [
      add,
      add.map((word) => (word === 'club' ? 'other' : word)),
      [...revoke, '--client', id],
      [...revoke, '--member', 'airline-ann', '--programme', 'hooked'],
    ]);
    assert.deepEqual(
      ran.map(({ code }) => code),
      [0, 0, 0, 0],
    );
    const store = openFileStore({ path: join(folder, 'data/jetway.db'), environment: 'staging' });
    for (const programme of ['club', 'other'] as ProgrammeId[]) {
      const issuedAt = instant(Date.now() - 60_000);
      const own = { client: id as ClientId, era: firstEra, issuedAt };
      const token = { tokenId: 'x', expiresAt: after(issuedAt, milliseconds(3_600_000)), own };
      assert.equal(await store.isStanding(programme, token), false, programme);
    }
    const logins = ['airline-ann', 'airline-bob'].map((subject, n) =>
      aLogin({
        programme: 'hooked' as ProgrammeId,
        place: placeAt(0, n),
        member: { subject: subject as Subject },
        // They began before the revocation.
        era: firstEra,
      }),
    );
    for (const login of logins) await store.startLogin(login);
    assert.deepEqual(await Promise.all(logins.map((login) => isRevoked(store, login))), [
      true,
      false,
    ]);
    await store.close();
  });
});
