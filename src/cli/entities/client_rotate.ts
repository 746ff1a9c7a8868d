// Owns the verbs `client rotate-secret` and `client rotate-api-key`: a new one, shown once, beside
// the old one, which goes on for as long as the partner needs to change over.

import type { Config } from '../../config/config.ts';
import { after, type Instant, milliseconds, type Milliseconds } from '../../lib/clock.ts';
import { parseDuration } from '../../lib/duration.ts';
import { quote } from '../../lib/fault.ts';
import type { Client, StoredSecret } from '../../oauth/client.ts';
import { addSecret, liveSecrets } from '../../oauth/secret_rotation.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { expectDurableStore, type OpenStore, withStore } from '../open_store.ts';
import { OutputLost, type OutputOptions, print, printJson } from '../output.ts';
import { configOf } from '../programmes.ts';
import { dateText, sheet } from '../table.ts';
import { newApiKey, newSecret, readGivenSecret } from './client_secret.ts';
import { changeClient, selectClient, type Selection } from './select.ts';

export interface RotateSecretOptions extends Selection {
  readonly overlap: string;
  readonly secretStdin?: boolean;
}

export interface RotateApiKeyOptions extends Selection {
  readonly overlap: string;
  /** Leaves other clients that share the key with what they have. */
  readonly alone?: boolean;
}

/** What is rotated. */
interface Kind {
  readonly held: 'secrets' | 'apiKeys';
  readonly words: string;
  readonly json: string;
  /** What an operator can do whose client has two already. */
  readonly wayOut: string;
}

const secretKind: Kind = {
  held: 'secrets',
  words: 'client secret',
  json: 'client_secret',
  wayOut: 'end the older one with client retire-secret, or both with --overlap 0s',
};

const apiKeyKind: Kind = {
  held: 'apiKeys',
  words: 'API key',
  json: 'api_key',
  wayOut: 'wait until the older one ends, or end both with --overlap 0s',
};

/** Old secrets that nobody remembers are what rotation is against. */
const longestOverlap = milliseconds(366 * 86_400_000);

/** `jetway client rotate-secret CLIENT_ID`. */
export async function rotateSecret(id: string, options: RotateSecretOptions): Promise<void> {
  const overlap = readOverlap(options.overlap);
  const config = configOf(options);
  expectDurableStore(config);
  const text = options.secretStdin === true ? await readGivenSecret() : newSecret();
  await rotate(config, id, { kind: secretKind, text, overlap, alone: true }, options);
}

/** `jetway client rotate-api-key CLIENT_ID`: of all clients that share the key (C-5). */
export async function rotateApiKey(id: string, options: RotateApiKeyOptions): Promise<void> {
  const overlap = readOverlap(options.overlap);
  const config = configOf(options);
  const text = newApiKey(config.environment);
  const { alone = false } = options;
  await rotate(config, id, { kind: apiKeyKind, text, overlap, alone }, options);
}

interface Fresh {
  readonly kind: Kind;
  readonly text: string;
  readonly overlap: Milliseconds;
  readonly alone: boolean;
}

async function rotate(config: Config, id: string, fresh: Fresh, options: Selection): Promise<void> {
  await withStore(config, async (open) => {
    const found = await selectClient(config, open, id, options);
    const befores = new Map<string, Client>();
    const change = (client: Client): Client => {
      befores.set(nameOf(client), client);
      return withFresh(client, fresh, open);
    };
    const changed = await changeAll(open.store, found, fresh, open.clock.now(), change);
    try {
      await deliver(found, changed, fresh, options);
    } catch (error) {
      if (!(error instanceof OutputLost)) throw error;
      const { held, words } = fresh.kind;
      // A secret that nobody has seen would stand in the way of the next one.
      const undo = (client: Client): Client => ({
        ...client,
        [held]: befores.get(nameOf(client))?.[held] ?? client[held],
      });
      const digest = open.keyring.secretDigest(fresh.text);
      await (changed.length > 1
        ? open.store.changeKeyHolders([digest], undo)
        : changeClient(open.store, found, undo));
      const message = `${error.message} and the new ${words} is lost: nothing was changed`;
      throw new CommandError(exitCodes.failed, message);
    }
  });
}

function nameOf({ programme, id }: Client): string {
  return `${programme}/${id}`;
}

/** Changes the client, and with it all that share a key of it which is good now. */
async function changeAll(
  store: OpenStore['store'],
  found: Client,
  { alone }: Fresh,
  now: Instant,
  change: (client: Client) => Client,
): Promise<readonly Client[]> {
  const keys = alone ? [] : liveSecrets(found.apiKeys, now).map(({ digest }) => digest);
  const changed = await store.changeKeyHolders(keys, change);
  // Nobody holds a key any more that was rotated or taken away meanwhile.
  return changed.some((client) => nameOf(client) === nameOf(found))
    ? changed
    : [...changed, await changeClient(store, found, change)];
}

/** @throws CommandError where the client can have no further one */
function withFresh(
  client: Client,
  { kind, text, overlap }: Fresh,
  { keyring, clock }: OpenStore,
): Client {
  const now = clock.now();
  const secret: StoredSecret = { digest: keyring.secretDigest(text), createdAt: now };
  const endsAt = overlap === 0 ? undefined : after(now, overlap);
  const change = addSecret(client[kind.held], secret, endsAt);
  if ('refusal' in change) throw refused(client, kind, change.refusal, now);
  return { ...client, [kind.held]: change.secrets };
}

function refused(client: Client, kind: Kind, refusal: string, now: Instant): CommandError {
  const whose = `client ${client.id} of ${client.programme}`;
  if (refusal === 'held_already') {
    return new CommandError(exitCodes.failed, `${whose} has that ${kind.words} already`);
  }
  const [older] = liveSecrets(client[kind.held], now);
  const ends = older?.expiresAt === undefined ? '' : `, which ends ${dateText(older.expiresAt)}`;
  return new CommandError(
    exitCodes.failed,
    `${whose} has two ${kind.words}s that are good, the older made ${dateText(older?.createdAt ?? now)}${ends}: ${kind.wayOut}`,
  );
}

async function deliver(
  found: Client,
  changed: readonly Client[],
  { kind, text }: Fresh,
  { json }: OutputOptions,
): Promise<void> {
  const { id, programme } = found;
  const client = changed.find((one) => nameOf(one) === nameOf(found)) ?? found;
  const others = changed.filter((one) => one !== client).toSorted(byName);
  const old = client[kind.held].find(({ expiresAt }) => expiresAt !== undefined)?.expiresAt;
  if (json === true) {
    const sharedWith = others.map((one) => ({ programme: one.programme, client_id: one.id }));
    return printJson({
      client_id: id,
      [kind.json]: text,
      programme,
      previous_expires_at: old === undefined ? null : dateText(old),
      ...(sharedWith.length === 0 ? {} : { shared_with: sharedWith }),
    });
  }
  const rows = [
    ['client identifier', [id]],
    [kind.words, [text]],
    ['the old one', [old === undefined ? 'has ended' : `is good until ${dateText(old)}`]],
    ['shared with', others.map(nameOf)],
  ] as const;
  const told = `Client ${id} of ${programme} has a new ${kind.words}. It is shown this once.`;
  const also = `${others.length === 1 ? 'One client shares' : `${others.length} clients share`} it, and had it replaced as well.`;
  return print([told, ...(others.length === 0 ? [] : [also]), '', sheet(rows)].join('\n'));
}

function byName(one: Client, other: Client): number {
  return nameOf(one) < nameOf(other) ? -1 : 1;
}

/** Reads `--overlap`; throws a usage error. */
export function readOverlap(text: string): Milliseconds {
  const overlap = parseDuration(text);
  if (overlap !== undefined && overlap <= longestOverlap) return overlap;
  throw new CommandError(
    exitCodes.usage,
    `--overlap must be a duration of at most 366d, such as 30d, not ${quote(text)}`,
  );
}
