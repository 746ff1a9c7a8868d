// Owns the verb `client import`: clients that exist elsewhere are registered, all of them or none.

import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

import { shownPath } from '../config/programme_files.ts';
import { after, milliseconds } from '../lib/clock.ts';
import { byPosition, errorAt, type Fault, formatFault, quote } from '../lib/fault.ts';
import { readTextFile, UnreadableFile } from '../lib/read_file.ts';
import type { Client } from '../oauth/client.ts';
import { compileProgramme } from '../programme/compile.ts';
import type { Programme } from '../programme/programme.ts';
import { CommandError, exitCodes } from './exit.ts';
import { type ImportedClient, judgeImport } from './import_clients.ts';
import { readCsvTable } from './import_csv.ts';
import { importFormatOf, type ImportTable } from './import_table.ts';
import { readYamlTable } from './import_yaml.ts';
import { type OutputOptions, print, printJson, warn } from './output.ts';
import {
  configOf,
  expectDurableStore,
  loadNamed,
  type OpenStore,
  storeStands,
  withStore,
} from './workplace.ts';

export interface ImportClientsOptions extends OutputOptions {
  readonly config: string;
  readonly programme: string;
  readonly dryRun?: boolean;
}

/** Some 50,000 clients. */
const mostBytes = 16 * 1024 * 1024;

/** `jetway client import FILE`. */
export async function importClients(path: string, options: ImportClientsOptions): Promise<void> {
  const config = configOf(options);
  const { id, definition } = loadNamed(config, options.programme);
  const programme = compileProgramme(id, definition, config.publicUrl);
  expectDurableStore(config);
  const table = readTable(path);
  const { clients, faults } = judgeImport(table, { programme, definition });
  const found = [...table.faults, ...emptyFault(path, table), ...faults];
  const { dryRun = false } = options;
  const settle = async (open?: OpenStore): Promise<ImportCount> => {
    const standing = open === undefined ? none : await findStanding(open, programme, clients);
    report(found, standing.faults);
    const fresh = clients.filter((client) => !standing.unchanged.has(client));
    if (!dryRun && open !== undefined) await addAll(open, programme, fresh);
    return { imported: fresh.length, unchanged: standing.unchanged.size };
  };
  // A dry run makes no store, and there is nobody in one that is still to be made.
  const count = dryRun && !storeStands(config) ? await settle() : await withStore(config, settle);
  await tell(programme, count, options);
}

interface ImportCount {
  readonly imported: number;
  readonly unchanged: number;
}

function readTable(path: string): ImportTable {
  const format = importFormatOf(path);
  if (format === undefined) {
    const message = `${quote(path)} is neither a .csv nor a .yaml file`;
    throw new CommandError(exitCodes.usage, message);
  }
  const file = shownPath(path);
  try {
    const text = readTextFile(path, mostBytes);
    if ((statSync(path).mode & 0o077) !== 0) {
      warn(`${file} holds secrets, and others can read it: chmod 600 it, and delete it afterwards`);
    }
    return format === 'csv' ? readCsvTable(file, text) : readYamlTable(file, text);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new CommandError(exitCodes.usage, `${file} ${error.message}`);
  }
}

function emptyFault(path: string, { rows, faults }: ImportTable): readonly Fault[] {
  if (rows.length > 0 || faults.length > 0) return [];
  const at = { file: shownPath(path), line: 1, column: 1 };
  return [errorAt(at, [], 'there is no client in this file')];
}

interface Standing {
  /** Those that the store has exactly like this: an import that was cut off can be run again. */
  readonly unchanged: ReadonlySet<ImportedClient>;
  readonly faults: readonly Fault[];
}

const none: Standing = { unchanged: new Set(), faults: [] };

/** A time that no revocation reaches but that of a removed client, which has no end. */
const anAge = milliseconds(1000 * 366 * 86_400_000);

async function findStanding(
  { store, keyring, clock }: OpenStore,
  programme: Programme,
  clients: readonly ImportedClient[],
): Promise<Standing> {
  const unchanged = new Set<ImportedClient>();
  const faults: Fault[] = [];
  const issuedAt = after(clock.now(), anAge);
  for (const client of clients) {
    const { id, at } = client;
    const found = await store.findClient(programme.id, id);
    // C-5: of an identifier that was given out before, the store tells only that its tokens are dead.
    const question = { client: id, subject: programme.clientSubject(id), issuedAt };
    const free = found === undefined && (await store.isStanding(programme.id, question));
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

/** Prints what was found in the file and in the store; ends the command if any of it is an error. */
function report(inFile: readonly Fault[], inStore: readonly Fault[]): void {
  const faults = [...inFile, ...inStore].toSorted(byPosition);
  for (const fault of faults) console.error(formatFault(fault));
  const errors = faults.filter(({ severity }) => severity === 'error').length;
  if (errors === 0) return;
  // A file that is right, and comes too late, is no wrong usage.
  const exitCode = errors === inStore.length ? exitCodes.failed : exitCodes.usage;
  const message = `nothing is imported: ${errors} ${errors === 1 ? 'error' : 'errors'}`;
  throw new CommandError(exitCode, message);
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

function tell(
  { id }: Programme,
  { imported, unchanged }: ImportCount,
  { json, dryRun = false }: ImportClientsOptions,
): Promise<void> {
  if (json === true) return printJson({ programme: id, imported, unchanged, dry_run: dryRun });
  const clients = `${imported} ${imported === 1 ? 'client' : 'clients'}`;
  const rest = unchanged === 0 ? '' : `; ${unchanged} of the file are there already, like this`;
  return print(
    dryRun
      ? `${clients} would be imported into ${id}${rest}; nothing is written`
      : `${imported} ${imported === 1 ? 'client is' : 'clients are'} imported into ${id}${rest}`,
  );
}
