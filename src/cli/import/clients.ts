// Owns the verb `client import`: registers existing clients with their secrets.

import { isDeepStrictEqual } from 'node:util';

import { errorAt, type Fault, quote } from '../../lib/fault.ts';
import type { Client, ClientId } from '../../oauth/client.ts';
import type { Programme } from '../../programme/programme.ts';
import type { OpenStore } from '../../server/open_store.ts';
import type { LookUp } from '../../store/kinds.ts';
import { sealSigningSecret } from '../../token/signing_secrets.ts';
import { toldColliding } from '../entities/address_fields.ts';
import { collisionFaults, collisionWarnings } from '../entities/callback_names.ts';
import { type ClientFields, clientFields, hasNoReturn } from '../entities/client_fields.ts';
import { judgeClient, needsNoSecret, orIncomplete } from '../entities/client_needs.ts';
import { textsOf } from '../entities/fields.ts';
import { findHolder, ownLookUps } from '../entities/secrets.ts';
import type { Values } from '../grammar/options.ts';
import type { importClientsOptions } from '../grammar/rows.ts';
import { otherColumns, shortKeys, weakKeys } from './client_keys.ts';
import { type Entry, type Import, importFile, type ImportOptions } from './import.ts';
import { type Row, textIn, valueOf, warningAt } from './table.ts';

type ClientImportOptions = ImportOptions & Values<typeof importClientsOptions>;

type ClientRow = Entry<ClientFields>;

export async function importClients(path: string, options: ClientImportOptions): Promise<void> {
  await importFile(path, options, (programme) => clientImport(programme, options));
}

/** The hint for an API key that several clients have. */
const sharing = 'clients of one partner may share one: --shared-api-keys';

const alone = 'clients are found by it';

const redirectUriColumns = clientFields.redirectUris.inputs.map(({ name }) => name);
const collidingHint =
  'take it out of the query, or name the callback under colliding_redirect_uris too';

function clientImport(
  programme: Programme,
  { incomplete = false, sharedApiKeys = false }: ClientImportOptions,
): Import<ClientFields> {
  const own = ownLookUps(programme);
  const apiKeys = { name: 'api_key', words: 'this api_key', hint: sharing };
  return {
    noun: 'client',
    fields: clientFields,
    others: otherColumns,
    // Verification finds the client by its API key (C-4).
    unique: [
      { name: 'client_id' },
      ...(sharedApiKeys ? [] : [apiKeys]),
      ...(own.includes('secret')
        ? [{ name: 'client_secret', words: 'this client_secret', hint: alone }]
        : []),
    ],
    // Some 50,000 clients.
    mostBytes: 16 * 1024 * 1024,
    example: 'client_id,client_secret,name,redirect_uris',
    errors: (row) => {
      const role = row.given.get('roles')?.find(({ text }) => text === 'member');
      const message = 'the role member needs redirect_uris, where members return to after a login';
      const isStuck = role !== undefined && hasNoReturn(row.item);
      return [
        ...(isStuck ? [errorAt(role.at, [], message)] : []),
        ...secretFaults(row, programme),
        ...shortKeys(row, own),
      ];
    },
    newErrors: ({ given, item, at }) => {
      const texts = redirectUriColumns.flatMap((column) => given.get(column) ?? []);
      return collisionFaults(programme, item.redirectUris, toldColliding(given)).map(
        ([uri, fault]) => {
          const place = texts.find(({ text }) => text === uri);
          return errorAt(place?.at ?? at, [], `${quote(uri)} ${fault}`, collidingHint);
        },
      );
    },
    judge: (row) => [
      ...judge(row, programme, own, incomplete),
      ...collisionWarnings(programme, { redirectUris: toldColliding(row.given) }).map((words) =>
        warningAt(row, words),
      ),
    ],
    compare: async (open, row) => {
      const keys = [
        ...(sharedApiKeys ? [] : await heldKeyFaults(open, programme, row)),
        ...(await heldSecretFaults(open, programme, row)),
      ];
      const taken = await compare(open, programme, row);
      if (taken === 'unchanged') return keys.length === 0 ? taken : keys;
      return [...keys, ...taken];
    },
    add: ({ store, keyring, clock }, rows) => {
      const fresh = { createdAt: clock.now(), status: 'active' } as const;
      return store.add(
        'client',
        rows.map((row) => recordOf(row, programme, keyring, fresh)),
        sharedApiKeys ? own : [...own, 'api_key'],
      );
    },
  };
}

/** What the dialect needs of the client and it lacks; secrets that can be guessed. */
function judge(
  row: ClientRow,
  programme: Programme,
  own: readonly LookUp<'client'>[],
  incomplete: boolean,
): readonly Fault[] {
  const judged = {
    ...row.item,
    apiKeys: row.given.get('api_key') ?? [],
    signingSecrets: row.given.get('signing_secret') ?? [],
  };
  const { missing, warnings } = judgeClient(programme, judged, (name) => name);
  const { at } = valueOf(row, 'client_id') ?? row;
  if (missing.length > 0 && !incomplete) {
    return missing.map((words) => errorAt(at, [], orIncomplete(words)));
  }
  return [
    ...weakKeys(row, own),
    ...[...missing, ...warnings].map((words) => warningAt({ at }, words)),
  ];
}

function noneOf(column: string): string {
  return `a public client can have no ${column}`;
}

/** The lack of a secret where nothing takes its place, or a secret that a public client cannot have. */
function secretFaults(
  { given, at, item: client }: ClientRow,
  programme: Programme,
): readonly Fault[] {
  if (client.isPublic === true && given.has('signing_secret')) {
    return [errorAt(at, [], noneOf('signing_secret'))];
  }
  // Present, without a value, where its text was refused.
  if (!given.has('client_secret')) {
    return needsNoSecret(programme, client)
      ? []
      : [errorAt(at, [], 'this client has no client_secret')];
  }
  return client.isPublic === true ? [errorAt(at, [], noneOf('client_secret'))] : [];
}

/** A secret by which another client is found. */
async function heldSecretFaults(
  open: OpenStore,
  programme: Programme,
  row: Row,
): Promise<readonly Fault[]> {
  const secret = valueOf(row, 'client_secret');
  const id = textIn(row, 'client_id');
  const holder = secret && (await findHolder(open, programme, secret.text, id));
  if (holder === undefined) return [];
  const message = `the client_secret of ${quote(id)} is that of ${quote(holder.id)} of ${programme.id} already`;
  return [errorAt(secret?.at ?? row.at, [], message, alone)];
}

/** Whether the store has an equal client, or has used its identifier for another. */
async function compare(
  { store, keyring }: OpenStore,
  programme: Programme,
  row: ClientRow,
): Promise<readonly Fault[] | 'unchanged'> {
  const id = textIn(row, 'client_id') as ClientId;
  let isTaken = false;
  // C-5: an identifier stays taken after its client was removed.
  const found = await store.find('client', programme.id, id, () => {
    isTaken = true;
  });
  if (found !== undefined && isDeepStrictEqual(found, recordOf(row, programme, keyring, found))) {
    return 'unchanged';
  }
  const message = `the client identifier ${quote(id)} is taken in ${programme.id}, or was before`;
  const { at } = valueOf(row, 'client_id') ?? row;
  return isTaken || found !== undefined
    ? [errorAt(at, [], message, 'identifiers are given out once')]
    : [];
}

/** Verification finds the client by its API key (C-4): two clients share one only on request. */
async function heldKeyFaults(
  { store, keyring }: OpenStore,
  { id: programme }: Programme,
  row: Row,
): Promise<readonly Fault[]> {
  const apiKey = valueOf(row, 'api_key');
  if (apiKey === undefined) return [];
  const digest = keyring.secretDigest(apiKey.text);
  const holders = await store.findBy('client', 'api_key', programme, digest);
  const { at, text: id } = valueOf(row, 'client_id') ?? apiKey;
  const holder = holders.find((other) => other.id !== id);
  if (holder === undefined) return [];
  const message = `the api_key of ${quote(id)} is that of ${quote(holder.id)} of ${programme} already`;
  return [errorAt(at, [], message, sharing)];
}

/** The client as the store keeps it, with what only the store knows of `before`. */
function recordOf(
  row: ClientRow,
  { id: programme }: Programme,
  keyring: OpenStore['keyring'],
  before: Pick<Client, 'createdAt' | 'status' | 'signingSecrets'>,
): Client {
  const { createdAt, status, signingSecrets: held = [] } = before;
  const kept = (column: string): Client['secrets'] =>
    textsOf(row.given, column).map((text) => ({ digest: keyring.secretDigest(text), createdAt }));
  const id = textIn(row, 'client_id') as ClientId;
  // Each sealing differs: the same secret stays as it was sealed.
  const signingSecrets = textsOf(row.given, 'signing_secret').map((text) => {
    const fresh = sealSigningSecret(keyring, { programme, id }, text, createdAt);
    return held.find(({ digest }) => digest === fresh.digest) ?? fresh;
  });
  return {
    programme,
    id,
    ...row.item,
    secrets: kept('client_secret'),
    ...(signingSecrets.length === 0 ? {} : { signingSecrets }),
    apiKeys: kept('api_key'),
    status,
    createdAt,
  };
}
