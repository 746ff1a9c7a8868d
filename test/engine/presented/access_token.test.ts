// Tests of what a proven access token is held against: the row of its login (TOKENS 6, docs/decisions/031).

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { findStandingToken } from '../../../src/engine/presented/access_token.ts';
import type { Service } from '../../../src/engine/service.ts';
import type { Subject } from '../../../src/oauth/member.ts';
import { placeText } from '../../../src/oauth/place.ts';
import type { MemberAccess } from '../../../src/token/sealed/access_plaintext.ts';
import { openAccess, sealAccess } from '../../../src/token/sealed/access_text.ts';
import {
  type Club,
  type ClubOptions,
  openClub,
  programme,
  tokensOfLogin,
} from '../../support/club.ts';

interface Scene extends Club {
  readonly service: Service;
  readonly isGood: (token: string) => Promise<boolean>;
}

async function openScene(t: TestContext, options: ClubOptions = {}): Promise<Scene> {
  const club = await openClub(t, options);
  const service = club.services.get(programme);
  assert.ok(service);
  const isGood = async (token: string): Promise<boolean> =>
    typeof (await findStandingToken(service, token, club.clock.now())) !== 'string';
  return { ...club, service, isGood };
}

/** A token of a login, sealed by the club's own key, with some of its facts changed. */
async function sealed(scene: Scene, change: (access: MemberAccess) => object): Promise<string> {
  const { access_token: token } = await tokensOfLogin(scene);
  const opened = openAccess(token, scene.service.tokenKeys.find);
  assert.equal(opened?.access.kind, 'member');
  return sealAccess(opened.key, { ...opened.access, ...change(opened.access) });
}

test('a sealed token of a generation that the store does not know of is refused', async (t) => {
  const scene = await openScene(t);
  assert.equal(await scene.isGood(await sealed(scene, () => ({}))), true);
  const ahead = await sealed(scene, ({ generation }) => ({ generation: generation + 1 }));
  assert.equal(await scene.isGood(ahead), false);
});

test('a sealed token of another login of that place is refused', async (t) => {
  const scene = await openScene(t);
  const other = await sealed(scene, ({ loginTag }) => ({ loginTag: loginTag ^ 1 }));
  assert.equal(await scene.isGood(other), false);
});

test('a JWT is held against the row of its own member and client', async (t) => {
  const scene = await openScene(t, { over: 'tokens: { access: { format: jwt } }' });
  const { service, client, member, clock } = scene;
  const family = await familyOfLogin(scene);
  const now = clock.now();
  const claims = {
    issuer: service.programme.issuer,
    audience: service.programme.audience,
    clientId: client.id,
    subject: member.subject,
    tokenId: '1',
    issuedAt: now,
    expiresAt: now,
    family,
  };
  const signed = async (change: object): Promise<boolean> => {
    const expiresAt = (now + 60_000) as typeof now;
    const token = await service.signAccess?.(now, { ...claims, expiresAt, ...change });
    return scene.isGood(token ?? '');
  };
  assert.equal(await signed({}), true);
  assert.equal(await signed({ subject: 'another' as Subject }), false);
  assert.equal(await signed({ clientId: 'partnerapi-00002' }), false);
  assert.equal(await signed({ family: placeText(1 as never) }), false);
});

/** The claim `family` of a new login's JWT. */
async function familyOfLogin(scene: Scene): Promise<string> {
  const { access_token: token } = await tokensOfLogin(scene);
  const [, body = ''] = token.split('.');
  const { family } = JSON.parse(Buffer.from(body, 'base64url').toString()) as { family: string };
  return family;
}

test('an identifier that no token has room for is none', async (t) => {
  const over = 'client: { identifier: { prefix: null, characters: alphanumeric, length: null } }';
  const { service } = await openScene(t, { over });
  const { isIdentifier } = service.programme.clients;
  assert.deepEqual(
    [255, 256].map((length) => isIdentifier('x'.repeat(length))),
    [true, false],
  );
});
