// Owns records for store tests; every value can be overridden.

import { instant, type Instant } from '../../src/lib/clock.ts';
import type { Digest } from '../../src/lib/digest.ts';
import type { Client, ClientId, ProgrammeId } from '../../src/oauth/client.ts';
import type { Gateway, GatewayId } from '../../src/oauth/gateway.ts';
import type {
  AccessToken,
  AuthorizationCode,
  FamilyId,
  RefreshToken,
  TokenFamily,
  TokenKey,
} from '../../src/oauth/grant.ts';
import type { MemberRecord, Subject } from '../../src/oauth/member.ts';
import type { SigningKeyRecord } from '../../src/oauth/signing_key.ts';
import type { Store } from '../../src/store/contract.ts';
import type { Rotation } from '../../src/store/grants.ts';

export const club = 'executive-club' as ProgrammeId;
export const otherClub = 'second-club' as ProgrammeId;
export const partner = 'partnerapi-00001' as ClientId;
export const otherPartner = 'partnerapi-00002' as ClientId;

/** Seconds after the time at which every test begins. */
export function at(seconds: number): Instant {
  return instant(Date.UTC(2026, 0, 1) + seconds * 1000);
}

export function key(name: string): TokenKey {
  return name as TokenKey;
}

export function familyId(name: string): FamilyId {
  return name as FamilyId;
}

export function aClient(over: Partial<Client> = {}): Client {
  return {
    programme: club,
    id: partner,
    name: 'Example Partner',
    roles: ['member', 'partner'],
    redirectUris: ['https://partner.example/cb', 'https://partner.example/cb?x=1'],
    secrets: [{ digest: 'digest-of-secret' as Digest, createdAt: at(0) }],
    apiKeys: [{ digest: 'digest-of-key' as Digest, createdAt: at(0), expiresAt: at(60) }],
    throttle: { limit: 5, window: 60_000 },
    properties: { instance_url: 'https://api.example', ['__proto__']: 'a name like any other' },
    status: 'active',
    createdAt: at(0),
    ...over,
  };
}

export function aMember(over: Partial<MemberRecord> = {}): MemberRecord {
  return {
    programme: club,
    subject: 'subject-1' as Subject,
    username: 'zoë@example.com',
    passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
    level: 'AUTHN-LEVEL-12',
    membershipNumber: '1234567890123456',
    status: 'active',
    createdAt: at(0),
    ...over,
  };
}

/** Good for two minutes, remembered for an hour. */
export function aCode(over: Partial<AuthorizationCode> = {}): AuthorizationCode {
  return {
    programme: club,
    key: key('code'),
    transaction: 'login-1',
    client: partner,
    redirectUri: 'https://partner.example/cb',
    member: { subject: 'subject-1' as Subject, level: 'AUTHN-LEVEL-12' },
    scope: 'AUTHN-LEVEL-12',
    codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    issuedAt: at(0),
    expiresAt: at(120),
    forgetAt: at(3600),
    ...over,
  };
}

/** Ends after 30 days. */
export function aFamily(over: Partial<TokenFamily> = {}): TokenFamily {
  return {
    id: familyId('family'),
    programme: club,
    client: partner,
    member: { subject: 'subject-1' as Subject, membershipNumber: '1234567890123456' },
    scope: 'AUTHN-LEVEL-12',
    createdAt: at(0),
    endsAt: at(30 * 86_400),
    ...over,
  };
}

/** Good for a day. */
export function aRefreshToken(name: string, over: Partial<RefreshToken> = {}): RefreshToken {
  return { key: key(name), expiresAt: at(86_400), ...over };
}

/** A member's, of `family`, good for half an hour. */
export function anAccessToken(name: string, over: Partial<AccessToken> = {}): AccessToken {
  return {
    programme: club,
    key: key(name),
    client: partner,
    kind: 'member',
    subject: 'subject-1',
    family: familyId('family'),
    scope: 'AUTHN-LEVEL-12',
    issuedAt: at(0),
    expiresAt: at(1800),
    ...over,
  };
}

/** A partner's own, without a family. */
export function aPartnerToken(name: string, over: Partial<AccessToken> = {}): AccessToken {
  const { family: _family, scope: _scope, ...token } = anAccessToken(name, { kind: 'client' });
  return { ...token, subject: `client:${partner}`, ...over };
}

/** From one refresh token to the next, at second 1, with ten seconds for retries. */
export function aRotation(from: string, to: string, over: Partial<Rotation> = {}): Rotation {
  return {
    programme: club,
    client: partner,
    key: key(from),
    successor: aRefreshToken(to),
    access: anAccessToken(`access of ${to}`),
    keptAnswer: `answer with ${to}`,
    retryUntil: at(11),
    now: at(1),
    ...over,
  };
}

export function aSigningKey(kid: string, over: Partial<SigningKeyRecord> = {}): SigningKeyRecord {
  return {
    programme: club,
    kid,
    algorithm: 'ES256',
    publicJwk: `{"kid":"${kid}"}`,
    sealedPrivateJwk: 'sealed',
    createdAt: at(0),
    ...over,
  };
}

export function aGateway(over: Partial<Gateway> = {}): Gateway {
  return {
    programme: club,
    id: 'gateway-1' as GatewayId,
    name: 'Edge',
    secrets: [{ digest: 'digest-of-secret' as Digest, createdAt: at(0), expiresAt: at(60) }],
    status: 'active',
    createdAt: at(0),
    ...over,
  };
}

/** `count` results of the same call with a different number each, all at once. */
export function inParallel<T>(count: number, call: (number: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, number) => call(number)));
}

/** How often each outcome came up. */
export function tally(
  results: readonly { readonly outcome: string }[],
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { outcome } of results) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

export async function findMember(
  store: Store,
  programme: ProgrammeId,
  username: string,
): Promise<MemberRecord | undefined> {
  const [found] = await store.findBy('member', 'username', programme, username);
  return found;
}

/** Adds a key as it is to its programme's. */
export async function addSigningKey(store: Store, added: SigningKeyRecord): Promise<void> {
  await store.changeAll('signing_key', { programme: added.programme }, (keys) => [...keys, added]);
}
