// Owns the steps of a rotation of secrets or API keys: the change, and taking it back.

import { isDeepStrictEqual } from 'node:util';

import type { Config } from '../../config/config.ts';
import { after, type Instant, type Milliseconds } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import { dateText } from '../../lib/duration.ts';
import type { StoredSecret } from '../../oauth/client.ts';
import { addSecret, liveSecrets } from '../../oauth/secret_rotation.ts';
import type { Programme } from '../../programme/programme.ts';
import { failed } from '../../server/exit.ts';
import type { OpenStore } from '../../server/open_store.ts';
import type { Item, LookUp } from '../../store/kinds.ts';
import type { Keyring } from '../../token/keyring.ts';
import type { Values } from '../grammar/options.ts';
import type { rotateApiKeyOptions, rotateSecretOptions } from '../grammar/rows.ts';
import { fullName } from './client_kind.ts';
import { changeItem, type Kind, type Selection } from './kind.ts';
import type { Handover } from './shown.ts';

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
