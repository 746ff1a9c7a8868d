// Owns the verbs `rotate-secret`, `rotate-api-key` and `retire-secret`. A new secret is shown once,
// and works beside the old one until the partner has changed over.

import type { Config } from '../../config/config.ts';
import { after, milliseconds, type Milliseconds } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import { parseDuration } from '../../lib/duration.ts';
import { quote } from '../../lib/fault.ts';
import type { Client, StoredSecret } from '../../oauth/client.ts';
import { addSecret, endOlder, liveSecrets } from '../../oauth/secret_rotation.ts';
import type { Item } from '../../store/kinds.ts';
import { failed, wrongUsage } from '../exit.ts';
import { expectDurableStore, type OpenStore } from '../open_store.ts';
import { printResult } from '../output.ts';
import { configOf, loadIfGood } from '../programmes.ts';
import { dateOrNull, dateText } from '../table.ts';
import { fullName, sharersShown } from './client_kind.ts';
import { gatewaySheet } from './gateway_kind.ts';
import { called, changeItem, type ItemVerb, type Kind, type Selection, withItem } from './kind.ts';
import { expectOwnSecret, newApiKey, newSecret, readGivenSecret } from './secrets.ts';
import { type Handover, handOver, handoverOf, jsonOf, shown, unshown } from './shown.ts';

export type RotateOptions = Selection & {
  readonly overlap: string;
  readonly secretStdin?: boolean;
  /** Other clients that share the API key keep theirs. */
  readonly alone?: boolean;
};

type Holder = 'client' | 'gateway';

/** What a rotation replaces, how, and what it prints. */
interface Rotation<N extends Holder> {
  readonly words: string;
  /** The hint if two secrets are valid already. */
  readonly wayOut: string;
  readonly make: (config: Config, options: RotateOptions) => Promise<string> | string;
  readonly held: (item: Item<N>) => readonly StoredSecret[];
  readonly holding: (item: Item<N>, secrets: readonly StoredSecret[]) => Item<N>;
  /** Changes all items that have one of the secrets, in one step. */
  readonly changeHolders?: (
    open: OpenStore,
    secrets: readonly Digest[],
    change: (item: Item<N>) => Item<N>,
  ) => Promise<readonly Item<N>[]>;
  /** Prints the new secret; `others` have it as well. */
  readonly sheet: (item: Item<N>, text: string, others: readonly Item<N>[]) => Handover;
}

const waiting = 'wait until the older one ends, or end both with --overlap 0s';

const clientSecret: Rotation<'client'> = {
  words: 'client secret',
  wayOut: 'end the older one with client retire-secret, or both with --overlap 0s',
  make: (_, { secretStdin = false }) => (secretStdin ? readGivenSecret() : newSecret()),
  held: ({ secrets }) => secrets,
  holding: withSecrets,
  sheet: (...fresh) => clientSheet('client_secret', clientSecret, ...fresh),
};

function withSecrets(client: Client, secrets: readonly StoredSecret[]): Client {
  if (client.isPublic !== true) return { ...client, secrets };
  throw failed(`client ${client.id} is public: it could not keep a secret, and needs none`);
}

const ownApiKey: Rotation<'client'> = {
  words: 'API key',
  wayOut: waiting,
  make: ({ environment }) => newApiKey(environment),
  held: ({ apiKeys }) => apiKeys,
  holding: (client, apiKeys) => ({ ...client, apiKeys }),
  sheet: (...fresh) => clientSheet('api_key', ownApiKey, ...fresh),
};

/** C-5: replaces the key of all clients that share it. */
const apiKey: Rotation<'client'> = {
  ...ownApiKey,
  changeHolders: ({ store }, keys, change) =>
    store.changeAll('client', { lookUp: 'api_key', keys }, (clients) => clients.map(change)),
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
  const { words, held, holding } = rotation;
  const overlap = readOverlap(options.overlap);
  const config = configOf(options);
  expectDurableStore(config);
  const text = await rotation.make(config, options);
  await withItem(kind, id, options, async (open, found) => {
    const loaded = options.secretStdin === true ? loadIfGood(config, found.programme) : undefined;
    if (loaded !== undefined) await expectOwnSecret(open, loaded, text, String(found.id));
    const digest = open.keyring.secretDigest(text);
    const befores = new Map<string, Item<N>>();
    const changed = await changeAll(rotation, kind, open, found, (item) => {
      befores.set(fullName(item), item);
      const fresh = { digest, createdAt: open.clock.now() };
      return withFresh(rotation, called(kind, item.id), item, fresh, overlap);
    });
    const item = changed.find((one) => fullName(one) === fullName(found)) ?? found;
    const others = changed.filter((one) => one !== item);
    await handOver(rotation.sheet(item, text, others), options, async (reason) => {
      // The partner never saw this secret: if it stayed, it would block the next rotation.
      const undo = (one: Item<N>): Item<N> => holding(one, held(befores.get(fullName(one)) ?? one));
      await (others.length > 0
        ? rotation.changeHolders?.(open, [digest], undo)
        : changeItem(kind, open, found, undo));
      return `${reason} and the new ${words} is lost: nothing was changed`;
    });
  });
}

/** Changes the item, and every item that shares one of its valid secrets. */
async function changeAll<N extends Holder>(
  { held, changeHolders }: Rotation<N>,
  kind: Kind<N>,
  open: OpenStore,
  found: Item<N>,
  change: (item: Item<N>) => Item<N>,
): Promise<readonly Item<N>[]> {
  const live = liveSecrets(held(found), open.clock.now()).map(({ digest }) => digest);
  const changed = (await changeHolders?.(open, live, change)) ?? [];
  // A secret that was rotated or removed meanwhile has no holders.
  return changed.some((item) => fullName(item) === fullName(found))
    ? changed
    : [...changed, await changeItem(kind, open, found, change)];
}

/** @throws CommandError if the item cannot have another secret */
function withFresh<N extends Holder>(
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

/** With a longer overlap, operators would forget to end the old secret. */
const longestOverlap = milliseconds(366 * 86_400_000);

function readOverlap(text: string): Milliseconds {
  const overlap = parseDuration(text);
  if (overlap !== undefined && overlap <= longestOverlap) return overlap;
  throw wrongUsage(`--overlap must be a duration of at most 366d, such as 30d, not ${quote(text)}`);
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
