// Owns tests of the rows of a migrated store file: what was registered and granted before keeps its state.

import assert from 'node:assert/strict';

import type { Digest } from '../../../../src/lib/digest.ts';
import type { ClientId } from '../../../../src/oauth/client.ts';
import type { SigningKeyRecord } from '../../../../src/oauth/signing_key.ts';
import { rowSum } from '../../../../src/store/sql/table.ts';
import { allDamage } from '../../../../src/store/sqlite/care/check.ts';
import { migrate } from '../../../../src/store/sqlite/file/migrate.ts';
import {
  aClient,
  aCode,
  aFamily,
  aGateway,
  aMember,
  anAccessToken,
  aPartnerToken,
  aRefreshToken,
  aRotation,
  aSigningKey,
  at,
  club,
  familyId,
  key,
  otherClub,
  otherPartner,
  partner,
  findMember,
} from '../../fixtures.ts';
import { findAccess, findCode, findRefresh, retried, rotate } from '../../login.ts';
import { edit, withMigrated, withOlder } from './older_file.ts';

const thirdPartner = 'partnerapi-00003' as ClientId;

withMigrated('FAULTS 26: every row is found with the values it had', async (store) => {
  const disabled = aClient({ id: otherPartner, status: 'disabled' });
  const third = aClient({ id: thirdPartner, apiKeys: [], secrets: [] });
  assert.deepEqual(await store.list('client', club), [aClient(), disabled, third]);
  assert.notDeepEqual(
    await store.add('client', [aClient({ id: 'partnerapi-00009' as ClientId })]),
    [],
  );
  const uses = await store.secretUses(club, partner);
  assert.deepEqual([...uses], [['digest-of-secret', at(2)]]);
  assert.deepEqual(await store.list('gateway', club), [aGateway()]);
  assert.deepEqual(await store.list('client', otherClub), [aClient({ programme: otherClub })]);
  assert.deepEqual(await store.list('member', club), [aMember()]);
  const other = aMember({ programme: otherClub, username: 'other' });
  assert.deepEqual(await findMember(store, otherClub, 'other'), other);
  assert.deepEqual(await store.list('signing_key', club), [
    aSigningKey('first', {
      createdAt: at(1),
      signsFrom: at(1),
      retiresAt: at(60),
    }),
    aSigningKey('second', { algorithm: 'RS256', createdAt: at(2), signsFrom: at(2) }),
  ]);
  const {
    scope: _scope,
    codeChallenge: _challenge,
    ...bare
  } = aCode({
    programme: otherClub,
    key: key('bare'),
    transaction: 'login bare',
  });
  assert.deepEqual(await findCode(store, 'bare', 1, otherClub), bare);
  assert.deepEqual(await findAccess(store, 'partner', 1), aPartnerToken('partner'));
  const access = anAccessToken('access live', { family: familyId('live') });
  assert.deepEqual(await findAccess(store, 'access live', 1), access);
  assert.equal(await findAccess(store, 'access revoked', 1), undefined);
  assert.deepEqual(await findRefresh(store, 'second live', 1), {
    ...aRefreshToken('second live'),
    family: aFamily({ id: familyId('live') }),
    revoked: false,
    rotated: false,
  });
});

withMigrated('FAULTS 28: a revocation ends what an older Jetway granted', async (store) => {
  const living = async (): Promise<readonly boolean[]> => [
    (await findCode(store, 'unspent', 1)) !== undefined,
    (await findAccess(store, 'partner', 1)) !== undefined,
    (await findAccess(store, 'access live', 1)) !== undefined,
    (await findRefresh(store, 'second live', 1))?.revoked === false,
    await store.isStanding(club, { client: partner, subject: 'x', issuedAt: at(10 ** 6) }),
  ];
  assert.deepEqual(await living(), [true, true, true, true, true]);
  await store.revokeAll(club, { client: partner });
  assert.deepEqual(await living(), [false, false, false, false, false]);
});

withMigrated('FAULTS 26: rotations, spent codes and retries continue', async (store) => {
  const revoked = await findRefresh(store, 'first revoked', 2);
  assert.equal(revoked?.revoked, true);
  assert.deepEqual(await rotate(store, 'first live', 'x', 5), retried('second live'));
  const family = aFamily({ id: familyId('new') });
  const spend = (name: string) => store.spendCode(club, partner, key(name), { family }, at(5));
  assert.deepEqual(await spend('unspent'), { outcome: 'spent' });
  assert.deepEqual(await spend('code live'), { outcome: 'replayed', family: 'live' });
  const next = aRotation('second live', 'third', { now: at(6) });
  assert.deepEqual(await store.rotateRefreshToken(next), { outcome: 'unknown' });
  await store.revokeAll(club, { subject: 'subject-1' });
  assert.equal(
    await store.isStanding(club, { client: partner, subject: 'subject-1', issuedAt: at(6) }),
    false,
  );
});

withMigrated('FAULTS 28: tokens of an ended era are dead, later tokens are not', async (store) => {
  const isLive = async (name: string): Promise<readonly boolean[]> => [
    (await findCode(store, `unspent ${name}`, 7)) !== undefined,
    (await findAccess(store, `partner ${name}`, 7)) !== undefined,
    (await findAccess(store, `access ${name}`, 7)) !== undefined,
    (await findRefresh(store, `first ${name}`, 7))?.revoked === false,
    await store.isStanding(club, {
      client: thirdPartner,
      subject: 'subject-1',
      family: familyId(name),
      issuedAt: at(6),
    }),
  ];
  assert.deepEqual(await isLive('early'), [false, false, false, false, false]);
  assert.deepEqual(await isLive('late'), [true, true, true, true, true]);
  assert.equal(await findAccess(store, 'access ended', 7), undefined);
  const retry = { client: thirdPartner };
  assert.deepEqual(await rotate(store, 'first late', 'x', 7, retry), retried('second late'));
  const jwt = { client: partner, subject: `client:${partner}`, issuedAt: at(6) };
  const end = { expiresAt: at(1800) };
  assert.equal(await store.isStanding(club, { ...jwt, tokenId: 'jti-1', ...end }), false);
  assert.equal(await store.isStanding(club, { ...jwt, tokenId: 'jti-2', ...end }), true);
  const shown = await store.findAttempts(club, 'locked' as Digest, at(7));
  assert.deepEqual(shown, { failures: 1, lockedUntil: at(1_000_006) });
});

withMigrated(
  'FAULTS 28: rows without an era are revoked up to an instant, and later rows are not',
  async (store) => {
    assert.equal((await findRefresh(store, 'second live', 4))?.revoked, true);
    const jwt = { client: partner, subject: `client:${partner}` };
    assert.equal(await store.isStanding(club, { ...jwt, issuedAt: at(3) }), false);
    assert.equal(await store.isStanding(club, { ...jwt, issuedAt: at(4) }), true);
    const era = await store.era();
    assert.equal(await store.isStanding(club, { ...jwt, issuedAt: at(3), era }), true);
    await store.saveAccessToken(aPartnerToken('new'));
    assert.ok(await findAccess(store, 'new', 4));
  },
  (older) => {
    const values = [club, `client ${partner}`, at(3)];
    older.prepare('INSERT INTO revocation VALUES (?, ?, ?, ?)').run(...values, rowSum(values));
  },
);

withOlder('FAULTS 6: rows that did not fit their sums still do not', (path) => {
  edit(path, (database) => {
    database.exec(`UPDATE code SET login = login || 'x' WHERE key IN ('unspent', 'unspent late');
      UPDATE family SET revoked_at = NULL WHERE key = 'revoked';
      UPDATE access_token SET kind = 'client' WHERE key IN ('access live', 'access late')`);
    migrate(database);
    const expected = 'rows do not fit their checksums: 2 of code, 1 of family, 2 of access_token';
    assert.deepEqual(allDamage(database), [expected]);
  });
});

withMigrated('C-4: clients are found by their API keys', async (store) => {
  const holder = (programme: typeof club) =>
    store.findBy('client', 'api_key', programme, 'digest-of-key' as Digest);
  assert.deepEqual(
    (await holder(club)).map(({ id }) => id),
    [otherPartner, partner].toSorted(),
  );
  assert.deepEqual(await holder(otherClub), [aClient({ programme: otherClub })]);
  await store.change('client', club, partner, (client) => ({ ...client, apiKeys: [] }));
  assert.deepEqual(
    (await holder(club)).map(({ id }) => id),
    [otherPartner],
  );
  await store.remove('client', club, otherPartner, at(9));
  assert.deepEqual(await holder(club), []);
});

withMigrated(
  'HOSTILE 56: a master key that opens no signing key of the file is refused',
  async (store) => {
    const asked: string[] = [];
    const opens = (answer: boolean) => (signingKey: SigningKeyRecord) => {
      asked.push(`${signingKey.programme} ${signingKey.kid}`);
      return answer;
    };
    assert.equal(await store.ensureKeyCheck('wrong', opens(false)), undefined);
    assert.equal(await store.ensureKeyCheck('right', opens(true)), 'right');
    assert.equal(await store.ensureKeyCheck('wrong', opens(true)), 'right');
    assert.deepEqual(asked, ['executive-club first', 'executive-club first']);
  },
);
