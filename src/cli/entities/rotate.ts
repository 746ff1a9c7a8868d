// Owns the verbs `rotate-secret`, `rotate-api-key`, `retire-secret` and `retire-api-key`, and the steps of a rotation:
// the change, and taking it back. A new secret is shown once, and works beside the old one until the partner has
// changed over.

import { isDeepStrictEqual } from 'node:util';

import type { Config } from '../../config/config.ts';
import { type Instant, type Milliseconds, after } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import { dateOrNull, dateText } from '../../lib/duration.ts';
import type { Client, SigningSecret, StoredSecret } from '../../oauth/client.ts';
import { addSecret, endOlder, liveSecrets } from '../../oauth/secret_rotation.ts';
import type { Programme } from '../../programme/programme.ts';
import { endingOf } from '../../server/ending.ts';
import { failed } from '../../server/exit.ts';
import type { OpenStore } from '../../server/open_store.ts';
import type { Item, LookUp } from '../../store/kinds.ts';
import { KeyTaken } from '../../store/registrations.ts';
import type { Keyring } from '../../token/keyring.ts';
import { sealSigningSecret } from '../../token/signing_secrets.ts';
import type { Values } from '../grammar/options.ts';
import type { rotateApiKeyOptions, rotateSecretOptions } from '../grammar/rows.ts';
import { expectDurableStore } from '../open_store.ts';
import { printResult } from '../output.ts';
import { compileIfGood, configOf } from '../programmes.ts';
import { fullName, sharersShown } from './client_kind.ts';
import { gatewaySheet } from './gateway_kind.ts';
import {
  type ItemVerb,
  type Kind,
  type Selection,
  called,
  changeItem,
  removedMeanwhile,
  withItem,
} from './kind.ts';
import {
  expectLong,
  newApiKey,
  newSecret,
  ownLookUps,
  readGivenSecret,
  secretTaken,
} from './secrets.ts';
import { type Handover, handOver, handoverOf, jsonOf, shown, unshown } from './shown.ts';

export type RotateOptions = Selection &
  Values<readonly [...typeof rotateSecretOptions, ...typeof rotateApiKeyOptions]>;

export type Holder = 'client' | 'gateway';

type ChangeAll<N extends Holder> = (items: readonly Item<N>[]) => readonly Item<N>[];

/** What a rotation replaces, how, and what it prints. */
export interface Rotation<N extends Holder> {
  readonly words: string;
  /** The hint if two secrets are valid already. */
  readonly wayOut: string;
  readonly make: (config: Config, options: RotateOptions) => Promise<string> | string;
  readonly held: (item: Item<N>) => readonly StoredSecret[];
  readonly holding: (item: Item<N>, secrets: readonly StoredSecret[]) => Item<N>;
  /** The new secret as it is kept; its digest alone if left out. */
  readonly keep?: (keyring: Keyring, item: Item<N>, text: string, now: Instant) => StoredSecret;
  /** Changes all items that have one of the secrets, in one step. */
  readonly changeHolders?: (
    open: OpenStore,
    secrets: readonly Digest[],
    change: ChangeAll<N>,
  ) => Promise<readonly Item<N>[]>;
  /** Whether a short one is refused unless told so: it can be guessed from what it has signed (HOSTILE 82). */
  readonly isLong?: true;
  /** See `ownLookUps`. */
  readonly own?: (programme: Programme | undefined) => readonly LookUp<N>[];
  /** Prints the new secret; `others` have it as well. */
  readonly sheet: (item: Item<N>, text: string, others: readonly Item<N>[]) => Handover;
}

export interface Around<N extends Holder> {
  readonly rotation: Rotation<N>;
  readonly kind: Kind<N>;
  readonly open: OpenStore;
  readonly own: readonly LookUp<N>[];
}

/** Changes the item, and every item that shares one of its valid secrets. */
export async function changeAll<N extends Holder>(
  { rotation: { held, changeHolders }, kind, open, own }: Around<N>,
  found: Item<N>,
  change: (item: Item<N>) => Item<N>,
): Promise<readonly Item<N>[]> {
  const live = liveSecrets(held(found), open.clock.now()).map(({ digest }) => digest);
  const changed = (await changeHolders?.(open, live, (items) => items.map(change))) ?? [];
  // A secret that was rotated or removed meanwhile has no holders.
  return changed.some((item) => fullName(item) === fullName(found))
    ? changed
    : [...changed, await changeItem(kind, open, found, change, own)];
}

/**
 * Has the items hold what they held before, if all of them still hold what the rotation wrote, and nobody
 * else holds its secret. If one was changed meanwhile, all stay as they are: what was ended since then
 * would be good again (FAULTS 35).
 */
export async function takeBack<N extends Holder>(
  { rotation: { held, holding, changeHolders, words }, kind, open, own }: Around<N>,
  digest: Digest,
  befores: ReadonlyMap<string, Item<N>>,
  changed: readonly Item<N>[],
): Promise<void> {
  const written = new Map(changed.map((item) => [fullName(item), item]));
  const undo: ChangeAll<N> = (items) => {
    const stands = (item: Item<N>): boolean => {
      const mine = written.get(fullName(item));
      return mine !== undefined && isDeepStrictEqual(held(item), held(mine));
    };
    if (items.length !== written.size || !items.every(stands)) {
      throw failed(`the ${words}s were changed by somebody else meanwhile, and stay as they are`);
    }
    return items.map((item) => holding(item, held(befores.get(fullName(item)) ?? item)));
  };
  if (changeHolders !== undefined) return void (await changeHolders(open, [digest], undo));
  for (const only of changed) {
    await changeItem(kind, open, only, (item) => undo([item])[0] ?? item, own);
  }
}

/** @throws CommandError if the item cannot have another secret */
export function withFresh<N extends Holder>(
  { words, wayOut, held, holding }: Rotation<N>,
  name: string,
  item: Item<N>,
  fresh: StoredSecret,
  overlap: Milliseconds,
): Item<N> {
  const { createdAt: now } = fresh;
  const change = addSecret(held(item), fresh, overlap === 0 ? undefined : after(now, overlap));
  if ('secrets' in change) return holding(item, change.secrets);
  const whose = `${name} of ${item.programme}`;
  const [older] = liveSecrets(held(item), now);
  const ends = older?.expiresAt === undefined ? '' : `, which ends ${dateText(older.expiresAt)}`;
  throw failed(
    change.refusal === 'held_already'
      ? `${whose} has that ${words} already`
      : `${whose} has two valid ${words}s, the older made ${dateText(older?.createdAt ?? now)}${ends}: ${wayOut}`,
  );
}

const waiting = 'wait until the older one ends, or end both with --overlap 0s';

const clientSecret: Rotation<'client'> = {
  words: 'client secret',
  wayOut: 'end the older one with client retire-secret, or both with --overlap 0s',
  make: (_, { secretStdin = false }) => (secretStdin ? readGivenSecret() : newSecret()),
  held: ({ secrets }) => secrets,
  holding: withSecrets,
  own: ownLookUps,
  sheet: (...fresh) => clientSheet('client_secret', clientSecret, ...fresh),
};

const signingSecret: Rotation<'client'> = {
  words: 'signing secret',
  wayOut: 'end the older one with client retire-signing-secret, or both with --overlap 0s',
  make: clientSecret.make,
  isLong: true,
  held: ({ signingSecrets = [] }) => signingSecrets,
  // Each of them was made by `keep`.
  holding: (client, secrets) => {
    if (client.isPublic !== true)
      return { ...client, signingSecrets: secrets as readonly SigningSecret[] };
    throw failed(`client ${client.id} is public: it could not keep a secret, and needs none`);
  },
  keep: sealSigningSecret,
  sheet: (...fresh) => clientSheet('signing_secret', signingSecret, ...fresh),
};

function withSecrets(client: Client, secrets: readonly StoredSecret[]): Client {
  if (client.isPublic !== true) return { ...client, secrets };
  throw failed(`client ${client.id} is public: it could not keep a secret, and needs none`);
}

const ownApiKey: Rotation<'client'> = {
  words: 'API key',
  wayOut: 'end the older one with client retire-api-key, or both with --overlap 0s',
  make: ({ environment }) => newApiKey(environment),
  held: ({ apiKeys }) => apiKeys,
  holding: (client, apiKeys) => ({ ...client, apiKeys }),
  sheet: (...fresh) => clientSheet('api_key', ownApiKey, ...fresh),
};

/** C-5: replaces the key of all clients that share it. */
const apiKey: Rotation<'client'> = {
  ...ownApiKey,
  changeHolders: ({ store }, keys, change) =>
    store.changeAll('client', { lookUp: 'api_key', keys }, change),
};

const gatewaySecret: Rotation<'gateway'> = {
  words: 'gateway secret',
  wayOut: waiting,
  make: newSecret,
  held: ({ secrets }) => secrets,
  holding: (gateway, secrets) => ({ ...gateway, secrets }),
  sheet: gatewaySheet,
};

export const rotateSecret: ItemVerb<'client', RotateOptions> = (...given) =>
  rotate(clientSecret, ...given);
export const rotateSigningSecret: ItemVerb<'client', RotateOptions> = (...given) =>
  rotate(signingSecret, ...given);
export const rotateGatewaySecret: ItemVerb<'gateway', RotateOptions> = (...given) =>
  rotate(gatewaySecret, ...given);
export const rotateApiKey: ItemVerb<'client', RotateOptions> = (kind, id, options) =>
  rotate(options.alone === true ? ownApiKey : apiKey, kind, id, options);

async function rotate<N extends Holder>(
  rotation: Rotation<N>,
  kind: Kind<N>,
  id: string,
  options: RotateOptions,
): Promise<void> {
  const { words } = rotation;
  const config = configOf(options);
  expectDurableStore(config);
  const text = await rotation.make(config, options);
  await withItem(kind, id, options, async (open, found) => {
    const own = rotation.own?.(compileIfGood(config, found.programme)) ?? [];
    const alone = rotation.isLong === true ? (['secret'] as const) : own;
    expectLong(text, alone, options.insecureShortSecret);
    const digest = open.keyring.secretDigest(text);
    const befores = new Map<string, Item<N>>();
    const change = (item: Item<N>): Item<N> => {
      befores.set(fullName(item), item);
      const now = open.clock.now();
      const fresh = rotation.keep?.(open.keyring, item, text, now) ?? { digest, createdAt: now };
      return withFresh(rotation, called(kind, item.id), item, fresh, options.overlap);
    };
    const changed = await changeAll({ rotation, kind, open, own }, found, change).catch(
      (error: unknown) => {
        throw error instanceof KeyTaken ? secretTaken(found.programme) : error;
      },
    );
    const item = changed.find((one) => fullName(one) === fullName(found)) ?? found;
    const others = changed.filter((one) => one !== item);
    await handOver(rotation.sheet(item, text, others), options, async (reason) => {
      const lost = `${reason} and the new ${words} is lost`;
      try {
        // The partner never saw this secret: if it stayed, it would block the next rotation.
        await takeBack({ rotation, kind, open, own }, digest, befores, changed);
        return `${lost}: nothing was changed`;
      } catch (error) {
        const look = `look at it (${kind.noun} show ${found.id}), and make another`;
        return `${lost}, but is not taken back (${endingOf(error).message}): ${look}`;
      }
    });
  });
}

function clientSheet(
  key: string,
  { words, held }: Rotation<'client'>,
  item: Client,
  text: string,
  others: readonly Client[],
): Handover {
  const { id, programme } = item;
  const end = dateOrNull(held(item).find(({ expiresAt }) => expiresAt !== undefined)?.expiresAt);
  const also = `${others.length === 1 ? 'One client shares' : `${others.length} clients share`} it, and had it replaced as well.`;
  return handoverOf(
    [
      `Client ${id} of ${programme} has a new ${words}. It is shown this once.`,
      ...(others.length === 0 ? [] : [also]),
    ],
    [
      shown('client_id', 'client identifier', id),
      shown(key, words, text),
      {
        ...shown('previous_expires_at', 'the old one', end),
        lines: [end === null ? 'has ended' : `is valid until ${end}`],
      },
      ...(others.length === 0 ? [] : [sharersShown('shared_with', 'shared with', others)]),
      unshown('programme', programme),
    ],
  );
}

/** Ends the older of two secrets now; the only one too, of a client that has a certificate. */
export const retireSecret: ItemVerb<'client'> = async (kind, id, options) => {
  const { client, values } = await withItem(kind, id, options, async (around, found) => {
    const changed = await changeItem(kind, around, found, (before) => {
      const change = endOlder(before.secrets, around.clock.now());
      if ('secrets' in change) return { ...before, secrets: change.secrets };
      // The partner has changed over to certificates (RFC 8705) or keys (RFC 7523).
      const { certificates = [], certificateSubject, assertionKeys } = before;
      if (certificates.length > 0 || (certificateSubject ?? assertionKeys)) {
        return { ...before, secrets: [] };
      }
      // Without a secret a partner cannot authenticate; `client disable` does that by its name.
      throw failed(
        `client ${id} has no second valid client secret: make a new one first with client rotate-secret, or shut it out with client disable`,
      );
    });
    return { client: changed, values: await kind.show(around, changed) };
  });
  const made = client.secrets.map(({ createdAt }) => dateText(createdAt)).join(', ');
  const left = made === '' ? 'no client secret' : `one client secret now, made ${made}`;
  const text = `client ${id} of ${client.programme} has ${left}`;
  return printResult(options, jsonOf(values), text);
};

/** Ends the older of two signing secrets now: the newer one signs from then on. */
export const retireSigningSecret: ItemVerb<'client'> = async (kind, id, options) => {
  const { client, values } = await withItem(kind, id, options, async (around, found) => {
    const changed = await changeItem(kind, around, found, (before) => {
      const change = endOlder(before.signingSecrets ?? [], around.clock.now());
      if ('secrets' in change) return { ...before, signingSecrets: change.secrets };
      throw failed(
        `client ${id} has no second valid signing secret: make a new one first with client rotate-signing-secret`,
      );
    });
    return { client: changed, values: await kind.show(around, changed) };
  });
  const made = client.signingSecrets?.map(({ createdAt }) => dateText(createdAt)).join(', ');
  const text = `client ${id} of ${client.programme} has one signing secret now, made ${made}`;
  return printResult(options, jsonOf(values), text);
};

/** C-5: ends the older of two API keys now, for all clients that share it. */
export const retireApiKey: ItemVerb<'client'> = async (kind, id, options) => {
  const { changed, values } = await withItem(kind, id, options, async (open, found) => {
    const now = open.clock.now();
    const [older, newer] = liveSecrets(found.apiKeys, now);
    if (older === undefined || newer === undefined) {
      throw failed(
        `client ${id} has no second valid API key: end the one it has with client rotate-api-key --overlap 0s`,
      );
    }
    const withoutOlder = (client: Client): Client => {
      const live = liveSecrets(client.apiKeys, now);
      const apiKeys = live.filter(({ digest }) => digest !== older.digest);
      if (apiKeys.length > 0) return { ...client, apiKeys };
      throw failed(
        `${fullName(client)} shares that API key and has no other: make one first with client rotate-api-key --alone`,
      );
    };
    const holders = { lookUp: 'api_key', keys: [older.digest] } as const;
    const all = await open.store.changeAll('client', holders, (items) => items.map(withoutOlder));
    const own = all.find((item) => fullName(item) === fullName(found));
    if (own === undefined) throw removedMeanwhile(kind, id);
    return { changed: all, values: await kind.show(open, own) };
  });
  const names = changed.map(fullName).join(', ');
  const text = `the older API key has ended, of ${names}`;
  return printResult(options, jsonOf(values), text);
};
