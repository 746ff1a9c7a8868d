// Owns records for store tests; every value can be overridden.

import { hash } from 'node:crypto';

import { after, instant, type Instant, milliseconds } from '../../src/lib/clock.ts';
import { type Digest, digest } from '../../src/lib/digest.ts';
import type { Client, ClientId, ProgrammeId, Gateway, GatewayId } from '../../src/oauth/client.ts';
import {
  type Answer,
  type AuthorizationCode,
  type CodeKey,
  codeKey,
  type Era,
  type Place,
} from '../../src/oauth/grant.ts';
import type { MemberRecord, Subject } from '../../src/oauth/member.ts';
import { placeAfter } from '../../src/oauth/place.ts';
import type { SigningKeyRecord } from '../../src/oauth/signing_key.ts';
import type { Store } from '../../src/store/contract.ts';
import type { NewLogin, StandingQuestion } from '../../src/store/grants.ts';

export const club = 'executive-club' as ProgrammeId;
export const otherClub = 'second-club' as ProgrammeId;
export const partner = 'partnerapi-00001' as ClientId;
export const otherPartner = 'partnerapi-00002' as ClientId;

/** Seconds after the time at which every test begins. */
export function at(seconds: number): Instant {
  return instant(Date.UTC(2026, 0, 1) + seconds * 1000);
}

export function key(name: string): CodeKey {
  return codeKey(name);
}

/** A place of the millisecond that is `seconds` after `at(0)`; `n` tells apart places that are drawn then. */
export function placeAt(seconds: number, n = 0): Place {
  return (placeAfter(instant(at(seconds) - 1)) + n) as Place;
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
    properties: { tier: 'gold', ['__proto__']: 'a name like any other' },
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
    redirectUri: digest('https://partner.example/cb'),
    member: {
      subject: 'subject-1' as Subject,
      level: 'AUTHN-LEVEL-12',
      properties: { tier: 'gold' },
    },
    nonce: 'n-0S6_WzA2Mj',
    repeatsRedirectUri: true,
    resource: 'https://orders.example.com/',
    scope: 'AUTHN-LEVEL-12',
    codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    issuedAt: at(0),
    expiresAt: at(120),
    forgetAt: at(3600),
    ...over,
  };
}

const day = milliseconds(86_400_000);

/** Began at second 0 and ends after 30 days; its first tokens are good for half an hour and a day. */
export function aLogin(over: Partial<NewLogin> = {}): NewLogin {
  return {
    programme: club,
    place: placeAt(0),
    client: partner,
    member: {
      subject: 'subject-1' as Subject,
      membershipNumber: '1234567890123456',
      properties: { tier: 'gold', ['__proto__']: 'Zoë’s' },
    },
    scope: 'AUTHN-LEVEL-12',
    endsAt: at(30 * 86_400),
    loginDigest: cut('login', 12),
    generation: 1,
    refreshDigest: cut('first', 16),
    nonce: cut('nonce', 12),
    keyNumber: 0,
    answeredAt: at(0),
    accessSpan: milliseconds(1_800_000),
    refreshSpan: day,
    retrySpan: milliseconds(10_000),
    tokenNumber: 1,
    forgetAt: at(86_400),
    ...over,
  };
}

/** One login for each name, for tests that write many of anything; its place tells no time. */
export function loginNamed(name: string, over: Partial<NewLogin> = {}): NewLogin {
  const place = hash('sha256', name, 'buffer').readUIntBE(0, 6) as Place;
  return aLogin({ place, ...over });
}

/** The answer to a refresh at second 1, after `from`; `name` gives its nonce. */
export function anAnswer(from: Answer, name: string, over: Partial<Answer> = {}): Answer {
  const nonce = cut(name, 12);
  const answeredAt = over.answeredAt ?? at(1);
  return {
    generation: from.generation + 1,
    refreshDigest: successorOf(from.refreshDigest, nonce),
    nonce,
    keyNumber: from.keyNumber,
    answeredAt,
    accessSpan: from.accessSpan,
    refreshSpan: from.refreshSpan,
    retrySpan: from.retrySpan,
    tokenNumber: from.tokenNumber + 1,
    forgetAt: after(answeredAt, from.refreshSpan),
    ...over,
  };
}

/** In these tests a refresh token's own digest stands for its secret. */
export function successorOf(refreshDigest: string, nonce: string): string {
  return cut(`${refreshDigest} ${nonce}`, 16);
}

/** The first bytes of a digest, one character a byte. */
function cut(text: string, bytes: number): string {
  return hash('sha256', text, 'buffer').toString('latin1', 0, bytes);
}

/** A client's own token of half an hour, issued in `era`. */
export function aTokenOfItsOwn(
  era: Era,
  over: Partial<NonNullable<StandingQuestion['own']>> = {},
): StandingQuestion & Required<Pick<StandingQuestion, 'own'>> {
  const own = { client: partner, era, issuedAt: at(0), ...over };
  return {
    tokenId: `own ${own.issuedAt} ${era}`,
    expiresAt: instant(own.issuedAt + 1_800_000),
    own,
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

/** Sweeps until nothing has gone for a while; how much has. */
export async function sweepAll(
  store: Pick<Store, 'sweep'>,
  now: Instant,
  limit = 100,
): Promise<number> {
  let swept = 0;
  for (let idle = 0; idle < 12;) {
    const went = await store.sweep(now, limit);
    idle = went === 0 ? idle + 1 : 0;
    swept += went;
  }
  return swept;
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
