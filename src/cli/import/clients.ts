// Owns the verb `client import`: registers existing clients with their secrets.

import { isDeepStrictEqual } from 'node:util';

import { errorAt, type Fault, type Position, quote } from '../../lib/fault.ts';
import type { Client, ClientId } from '../../oauth/client.ts';
import type { LoadedProgramme } from '../../programme/language/load.ts';
import type { Programme } from '../../programme/programme.ts';
import { clientIdInput } from '../entities/client_add.ts';
import { type ClientFields, clientFields, hasNoReturn } from '../entities/client_fields.ts';
import { judgeClient, orIncomplete } from '../entities/client_needs.ts';
import { type Input, readFields } from '../entities/fields.ts';
import { apiKeyFault, secretFault, secretWarning } from '../entities/secrets.ts';
import { expectDurableStore, type OpenStore } from '../open_store.ts';
import { configOf, loadCompiled } from '../programmes.ts';
import { columnsOf, type Import, importFile, type ImportOptions, type Judged } from './import.ts';
import { type Row, valueOf, warningAt } from './table.ts';

export type ClientImportOptions = ImportOptions & {
  readonly incomplete?: boolean;
  readonly sharedApiKeys?: boolean;
};

/** Columns besides a client's fields. An import generates no identifier and no secret. */
const otherColumns: readonly Input[] = [
  clientIdInput,
  { name: 'client_secret', required: true, check: secretFault },
  { name: 'api_key', check: apiKeyFault },
];

export const clientColumns: readonly Input[] = columnsOf({
  fields: clientFields,
  others: otherColumns,
});

export async function importClients(path: string, options: ClientImportOptions): Promise<void> {
  const config = configOf(options);
  const { loaded, programme } = loadCompiled(config, options.programme);
  expectDurableStore(config);
  await importFile(config, programme, path, clientImport(loaded, programme, options), options);
}

interface ImportedClient {
  readonly at: Position;
  readonly id: ClientId;
  readonly fields: ClientFields;
  readonly secret: string;
  readonly apiKey?: string;
}

/** The hint for an API key that several clients have. */
const sharing = 'clients of one partner may share one: --shared-api-keys';

function clientImport(
  loaded: LoadedProgramme,
  programme: Programme,
  { incomplete, sharedApiKeys }: ClientImportOptions,
): Import<ImportedClient, ClientFields> {
  const apiKeys = { name: 'api_key', words: 'this api_key', hint: sharing };
  return {
    noun: 'client',
    fields: clientFields,
    others: otherColumns,
    // Verification finds the client by its API key (C-4).
    unique: [{ name: 'client_id' }, ...(sharedApiKeys === true ? [] : [apiKeys])],
    // Some 50,000 clients.
    mostBytes: 16 * 1024 * 1024,
    example: 'client_id,client_secret,name,redirect_uris',
    complaints: (given) => {
      const at = given.get('roles')?.find(({ text }) => text === 'member')?.at;
      const message = 'the role member needs redirect_uris, where members return to after a login';
      return at !== undefined && hasNoReturn(readFields(clientFields, given))
        ? [{ at, message }]
        : [];
    },
    judge: (row, errors) => judge(row, errors, loaded, incomplete === true),
    compare: async (open, client) => {
      const keys = sharedApiKeys === true ? [] : await heldKeyFaults(open, programme, client);
      const { isThere, isTaken } = await compare(open, programme, client);
      const message = `the client identifier ${quote(client.id)} is taken in ${programme.id}, or was before`;
      const taken = errorAt(client.at, [], message, 'identifiers are given out once');
      return { isThere, faults: isTaken ? [...keys, taken] : keys };
    },
    add: ({ store, keyring, clock }, clients) => {
      const fresh = { createdAt: clock.now(), status: 'active' } as const;
      const records = clients.map((client) => recordOf(client, programme, keyring, fresh));
      return store.add('client', records);
    },
  };
}

function judge(
  row: Row,
  errors: readonly Fault[],
  { id: programme, definition }: LoadedProgramme,
  incomplete: boolean,
): Judged<ImportedClient> {
  const id = valueOf(row, 'client_id');
  const secret = valueOf(row, 'client_secret');
  const apiKey = valueOf(row, 'api_key');
  if (id === undefined || secret === undefined || errors.length > 0) return { faults: errors };
  const fields = readFields(clientFields, row.given);
  const judged = { ...fields, apiKeys: [apiKey ?? []].flat() };
  const { missing, warnings } = judgeClient({ id: programme, definition }, judged, (name) => name);
  if (missing.length > 0 && !incomplete) {
    return { faults: missing.map((words) => errorAt(id.at, [], orIncomplete(words))) };
  }
  const secrets = [
    ['secret', secret],
    ['API key', apiKey],
  ] as const;
  const short = secrets.flatMap(([what, value]) => {
    const warning = value && secretWarning(what, value.text);
    return warning === undefined ? [] : [warningAt(value ?? id, warning)];
  });
  const draft = { at: id.at, id: id.text as ClientId, fields, secret: secret.text };
  return {
    draft: apiKey === undefined ? draft : { ...draft, apiKey: apiKey.text },
    faults: [...short, ...[...missing, ...warnings].map((words) => warningAt(id, words))],
  };
}

/** Whether the store has an equal client, or has used its identifier for another. */
async function compare(
  { store, keyring }: OpenStore,
  programme: Programme,
  client: ImportedClient,
): Promise<{ readonly isThere: boolean; readonly isTaken: boolean }> {
  const { id } = client;
  const found = await store.find('client', programme.id, id);
  if (found !== undefined) {
    const isThere = isDeepStrictEqual(found, recordOf(client, programme, keyring, found));
    return { isThere, isTaken: !isThere };
  }
  // C-5: an identifier stays taken after its client was removed.
  return { isThere: false, isTaken: await store.isTaken('client', programme.id, id) };
}

/** Verification finds the client by its API key (C-4): two clients share one only on request. */
async function heldKeyFaults(
  { store, keyring }: OpenStore,
  { id: programme }: Programme,
  { at, id, apiKey }: ImportedClient,
): Promise<readonly Fault[]> {
  if (apiKey === undefined) return [];
  const holders = await store.findBy('client', 'api_key', programme, keyring.secretDigest(apiKey));
  const holder = holders.find((other) => other.id !== id);
  if (holder === undefined) return [];
  const message = `the api_key of ${quote(id)} is that of ${quote(holder.id)} of ${programme} already`;
  return [errorAt(at, [], message, sharing)];
}

/** The client as the store keeps it, with the creation time and status of `before`. */
function recordOf(
  { id, fields, secret, apiKey }: ImportedClient,
  programme: Programme,
  keyring: OpenStore['keyring'],
  { createdAt, status }: Pick<Client, 'createdAt' | 'status'>,
): Client {
  const kept = (text: string): Client['secrets'][number] => ({
    digest: keyring.secretDigest(text),
    createdAt,
  });
  return {
    programme: programme.id,
    id,
    ...fields,
    secrets: [kept(secret)],
    apiKeys: apiKey === undefined ? [] : [kept(apiKey)],
    status,
    createdAt,
  };
}
