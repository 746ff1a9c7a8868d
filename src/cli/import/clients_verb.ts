// Owns the verb `client import`: clients that exist elsewhere are registered, all of them or none.

import { isDeepStrictEqual } from 'node:util';

import { after, milliseconds } from '../../lib/clock.ts';
import { errorAt, type Fault, quote } from '../../lib/fault.ts';
import type { Client } from '../../oauth/client.ts';
import type { Programme } from '../../programme/programme.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { expectDurableStore, type OpenStore } from '../open_store.ts';
import { configOf, loadCompiled } from '../programmes.ts';
import type { Step } from '../progress.ts';
import { readCsvTable } from './client_csv.ts';
import { readYamlTable } from './client_yaml.ts';
import { type ImportedClient, type ImportRules, judgeImport, sharing } from './clients.ts';
import { importFormatOf, type ImportTable } from './table.ts';
import {
  type Import,
  importName,
  type ImportOptions,
  importRows,
  readImportFile,
  type Standing,
} from './verb.ts';

/** Some 50,000 clients. */
const mostBytes = 16 * 1024 * 1024;

export interface ClientImportOptions extends ImportOptions {
  readonly incomplete?: boolean;
  readonly sharedApiKeys?: boolean;
}

/** `jetway client import FILE`. */
export async function importClients(path: string, options: ClientImportOptions): Promise<void> {
  const config = configOf(options);
  const { loaded, programme } = loadCompiled(config, options.programme);
  expectDurableStore(config);
  const table = await readTable(path);
  const { incomplete = false, sharedApiKeys = false } = options;
  const rules = { programme, definition: loaded.definition, incomplete, sharedApiKeys };
  const { clients, faults } = judgeImport(table, rules);
  const clientImport: Import<ImportedClient> = {
    rows: clients,
    faults: [...table.faults, ...emptyFault(path, table), ...faults],
    noun: ['client', 'clients'],
    findStanding: (open, step) => findStanding(open, rules, clients, step),
    addAll: (open, fresh) => addAll(open, programme, fresh),
  };
  await importRows(config, programme, clientImport, options);
}

async function readTable(path: string): Promise<ImportTable> {
  const named = path === '-' ? 'csv' : importFormatOf(path);
  if (named === undefined) {
    const message = `${quote(path)} is neither a .csv nor a .yaml file`;
    throw new CommandError(exitCodes.usage, message);
  }
  const text = await readImportFile(path, mostBytes);
  // Standard input has no name: a YAML list begins with its first item, a CSV with its columns.
  const isList = /^(?:\s*(?:#|---).*\n)*\s*(?:-\s|\[)/.test(text);
  const format = path === '-' && isList ? 'yaml' : named;
  return (format === 'csv' ? readCsvTable : readYamlTable)(importName(path), text);
}

function emptyFault(path: string, { rows, faults }: ImportTable): readonly Fault[] {
  if (rows.length > 0 || faults.length > 0) return [];
  const at = { file: importName(path), line: 1, column: 1 };
  return [errorAt(at, [], 'there is no client in this file')];
}

/** A time that no revocation reaches but that of a removed client, which has no end. */
const anAge = milliseconds(1000 * 366 * 86_400_000);

async function findStanding(
  { store, keyring, clock }: OpenStore,
  { programme, sharedApiKeys }: ImportRules,
  clients: readonly ImportedClient[],
  step: Step,
): Promise<Standing<ImportedClient>> {
  const unchanged = new Set<ImportedClient>();
  const faults: Fault[] = [];
  const issuedAt = after(clock.now(), anAge);
  for (const client of clients) {
    step();
    const { id, at } = client;
    const found = await store.findClient(programme.id, id);
    // C-5: of an identifier that was given out before, the store tells only that its tokens are dead.
    const question = { client: id, subject: programme.clientSubject(id), issuedAt };
    const free = found === undefined && (await store.isStanding(programme.id, question));
    if (sharedApiKeys !== true) {
      faults.push(...(await heldKeyFaults(store, keyring, programme, client)));
    }
    if (free) continue;
    const same = found && isDeepStrictEqual(found, recordOf(client, programme, keyring, found));
    if (same === true) unchanged.add(client);
    else {
      const message = `the client identifier ${quote(id)} is taken in ${programme.id}, or was before`;
      faults.push(errorAt(at, ['client_id'], message, 'identifiers are given out once'));
    }
  }
  return { unchanged, faults };
}

/** A key tells who calls (C-4): it is one client's alone, unless told otherwise. */
async function heldKeyFaults(
  store: OpenStore['store'],
  keyring: OpenStore['keyring'],
  { id: programme }: Programme,
  { at, id, apiKey }: ImportedClient,
): Promise<readonly Fault[]> {
  if (apiKey === undefined) return [];
  const holders = await store.findClientsByApiKey(programme, keyring.secretDigest(apiKey));
  const holder = holders.find((other) => other.id !== id);
  if (holder === undefined) return [];
  const message = `the api_key of ${quote(id)} is that of ${quote(holder.id)} of ${programme} already`;
  return [errorAt(at, ['api_key'], message, sharing)];
}

/** The client as the store keeps it, made when `before` says, or whenever that was. */
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

async function addAll(
  { store, keyring, clock }: OpenStore,
  programme: Programme,
  clients: readonly ImportedClient[],
): Promise<void> {
  const fresh = { createdAt: clock.now(), status: 'active' } as const;
  const records = clients.map((client) => recordOf(client, programme, keyring, fresh));
  const taken = await store.addClients(records);
  if (taken.length === 0) return;
  throw new CommandError(
    exitCodes.failed,
    `nothing is imported: ${taken.join(', ')} of ${programme.id} came to be taken meanwhile`,
  );
}
