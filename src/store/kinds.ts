// Owns the description of each kind of registered thing: what the backends, commands and tests know of
// it. A new kind is added here, in `KindTypes` and in `kinds`, and nowhere else in the store.

import { after, earlier, type Instant, milliseconds } from '../lib/clock.ts';
import { type Digest, digest } from '../lib/digest.ts';
import {
  type Client,
  type ClientId,
  publicUse,
  type StoredSecret,
  type Gateway,
  type GatewayId,
} from '../oauth/client.ts';
import type { ClientKey, ClientKeys } from '../oauth/client_certificate.ts';
import type { MaintainedPart, Maintenance } from '../oauth/maintenance.ts';
import type { MemberRecord, Subject } from '../oauth/member.ts';
import type { KeyRecord, SigningKeyRecord, TokenKeyRecord } from '../oauth/signing_key.ts';
import type { AuditMark } from './audit_mark.ts';
import type { TokenOwner } from './grants.ts';

/** Of each kind: its record, its identifier within a programme, and the keys of its look-ups. */
interface KindTypes {
  client: {
    item: Client;
    id: ClientId;
    lookUps: { api_key: Digest; secret: Digest; origin: string };
  };
  member: { item: MemberRecord; id: Subject; lookUps: { username: string } };
  gateway: { item: Gateway; id: GatewayId; lookUps: object };
  signing_key: { item: SigningKeyRecord; id: string; lookUps: object };
  /** Of identity tokens alone. */
  identity_key: { item: SigningKeyRecord; id: string; lookUps: object };
  token_key: { item: TokenKeyRecord; id: string; lookUps: object };
  maintenance: { item: Maintenance; id: MaintainedPart; lookUps: object };
  audit_stream: { item: AuditMark; id: string; lookUps: object };
}

export type Kind = keyof KindTypes;
export type Item<K extends Kind> = KindTypes[K]['item'];
export type Id<K extends Kind> = KindTypes[K]['id'];
export type LookUp<K extends Kind> = keyof KindTypes[K]['lookUps'] & string;
export type LookUpKey<K extends Kind, L extends LookUp<K>> = KindTypes[K]['lookUps'][L] & string;

/** How the items of a kind are found other than by identifier. */
interface LookUpDescription<Held> {
  readonly keysOf: (item: Held) => readonly string[];
  /** Whether a key is held by at most one item of a programme. */
  readonly isUnique: boolean;
}

/** What a backend knows of a kind; every field is a plain value or a pure function. */
export interface KindDescription<K extends Kind> {
  readonly idOf: (item: Item<K>) => Id<K>;
  readonly lookUps: Readonly<Record<LookUp<K>, LookUpDescription<Item<K>>>>;
  /** Whether an identifier may be given to another item once its item was removed. */
  readonly reusesIds: boolean;
  /**
   * Whose tokens die when an item is removed: for ever where `reusesIds` is false, else those issued
   * so far. Absent where a removal takes no tokens along.
   */
  readonly ownerOf?: (id: Id<K>) => TokenOwner;
  /** The secrets whose uses are noted (`recordSecretUse`); absent where none are. */
  readonly usedSecrets?: (item: Item<K>) => readonly Digest[];
  /**
   * Whether a store remembers also that there is no such item: for a kind that every request asks for,
   * by identifiers that no request can choose.
   */
  readonly remembersAbsence?: true;
  /** Whether a store remembers the list of a programme: servers ask again and again whether it has changed. */
  readonly remembersList?: true;
  /** `created`: by `createdAt`, and by registration where that is equal. */
  readonly order: 'registered' | 'created';
  /**
   * The item after the clock was set back from `from` to `to`: what had ended or begun by then stays
   * so. Absent where no time of an item does.
   */
  readonly setBack?: (item: Item<K>, to: Instant, from: Instant) => Item<K>;
}

const keyKind = {
  // Tokens name the key that signed them.
  idOf: ({ kid }: KeyRecord) => kid,
  lookUps: {},
  reusesIds: true,
  remembersList: true,
  order: 'created',
} as const;

export const kinds: { readonly [K in Kind]: KindDescription<K> } = {
  // C-5: an identifier is never given out again. Partners may hold one API key for several clients.
  client: {
    idOf: ({ id }) => id,
    lookUps: {
      api_key: { keysOf: ({ apiKeys }) => apiKeys.map((apiKey) => apiKey.digest), isUnique: false },
      // For clients that name themselves by their secret alone; imported secrets may be alike.
      secret: { keysOf: ({ secrets }) => secrets.map((secret) => secret.digest), isUnique: false },
      // A preflight names no client.
      origin: { keysOf: ({ origins = [] }) => origins, isUnique: false },
    },
    reusesIds: false,
    ownerOf: (client) => ({ client }),
    usedSecrets: ({
      id,
      secrets,
      apiKeys,
      isPublic,
      certificates = [],
      certificateSubject: subject,
      assertionKeys,
      signingSecrets = [],
    }) => [
      ...[...secrets, ...signingSecrets, ...apiKeys].map((secret) => secret.digest),
      ...[...certificates, ...keysOf(assertionKeys)].map(({ thumbprint }) => thumbprint),
      ...(subject === undefined ? [] : [digest(subject)]),
      ...(isPublic === true ? [publicUse(id)] : []),
      ...(assertionKeys !== undefined && 'url' in assertionKeys ? [digest(assertionKeys.url)] : []),
    ],
    order: 'registered',
    setBack: (client, to, from) => ({
      ...client,
      createdAt: earlier(client.createdAt, to),
      secrets: redated(client.secrets, to, from),
      apiKeys: redated(client.apiKeys, to, from),
      ...(client.signingSecrets && { signingSecrets: redated(client.signingSecrets, to, from) }),
    }),
  },
  // C-9: the subject is immutable, the username is not.
  member: {
    idOf: ({ subject }) => subject,
    lookUps: { username: { keysOf: ({ username }) => [username], isUnique: true } },
    reusesIds: true,
    ownerOf: (subject) => ({ subject }),
    order: 'registered',
  },
  gateway: {
    idOf: ({ id }) => id,
    lookUps: {},
    reusesIds: true,
    order: 'registered',
    setBack: (gateway, to, from) => ({
      ...gateway,
      createdAt: earlier(gateway.createdAt, to),
      secrets: redated(gateway.secrets, to, from),
    }),
  },
  signing_key: { ...keyKind, setBack: begun },
  identity_key: { ...keyKind, setBack: begun },
  token_key: { ...keyKind, setBack: begun },
  maintenance: {
    idOf: ({ part }) => part,
    lookUps: {},
    reusesIds: true,
    remembersAbsence: true,
    order: 'registered',
  },
  audit_stream: {
    idOf: ({ stream }) => stream,
    lookUps: {},
    reusesIds: true,
    order: 'registered',
  },
};

function keysOf(held: ClientKeys = { keys: [] }): readonly ClientKey[] {
  return 'keys' in held ? held.keys : [];
}

export const kindNames = Object.keys(kinds) as readonly Kind[];

/**
 * A key that was told to sign goes on signing, and one that servers signed with no more was ended by `to`. One that the clock ahead made and that has not begun
 * begins as long after `to` as it was to wait: by that clock it would begin years from now, and no key
 * is added while one waits.
 */
function begun<Key extends KeyRecord>(key: Key, to: Instant, from: Instant): Key {
  const { createdAt, signsFrom, signedUntil } = key;
  const ended = signedUntil === undefined ? key : { ...key, signedUntil: earlier(signedUntil, to) };
  if (isBetween(signsFrom, to, from)) return { ...ended, signsFrom: to };
  if (signsFrom === undefined || signsFrom <= from || createdAt <= to) return ended;
  // The clock may have been set back before: the key then begins before its own `createdAt`.
  const wait = milliseconds(signsFrom - (signsFrom > createdAt ? createdAt : from));
  return { ...ended, signsFrom: after(to, wait) };
}

function isBetween(time: Instant | undefined, from: Instant, upTo: Instant): boolean {
  return time !== undefined && time > from && time <= upTo;
}

/**
 * Secrets that had ended stay ended. Those that the clock ahead made are made now: the next secret would
 * else count as older than they are, and be retired in their stead. The end of a secret that it replaced
 * comes as long after `to` as it was to come (FAULTS 33).
 */
function redated<Secret extends StoredSecret>(
  secrets: readonly Secret[],
  to: Instant,
  from: Instant,
): readonly Secret[] {
  const wasReplaced = secrets.some(({ createdAt }) => createdAt > to);
  return secrets.map((secret) => {
    const made = { ...secret, createdAt: earlier(secret.createdAt, to) };
    const { expiresAt } = secret;
    if (isBetween(expiresAt, to, from)) return { ...made, expiresAt: to };
    if (expiresAt === undefined || expiresAt <= from || !wasReplaced) return made;
    return { ...made, expiresAt: after(to, milliseconds(expiresAt - from)) };
  });
}
