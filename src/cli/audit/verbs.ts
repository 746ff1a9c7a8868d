// Owns the verbs `audit find`, `audit verify` and `audit hash`, and what they read of a configuration: where the stream
// is, and its keys.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

import type { Entry } from '../../audit/chain.ts';
import { isFile } from '../../audit/files.ts';
import { type Criteria, type FoundEvent, findEvents } from '../../audit/find.ts';
import { identifierDigests, identifierKinds } from '../../audit/identifiers.ts';
import { type Finding, type Verdict, verifyFiles, verifyStream } from '../../audit/verify.ts';
import type { Config } from '../../config/config.ts';
import type { AuditSettings } from '../../config/log_keys.ts';
import { masterKeyPath } from '../../config/master_key.ts';
import { shownPath } from '../../config/programme_files.ts';
import { quote } from '../../lib/fault.ts';
import { normaliseUsername } from '../../members/username.ts';
import { streamMarkOf } from '../../server/audit/stream_mark.ts';
import { say } from '../../server/ending.ts';
import { failed, wrongUsage } from '../../server/exit.ts';
import { masterKeyOf, openStore, storeExists } from '../../server/open_store.ts';
import { type Keyring, createKeyring } from '../../token/keyring.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { findOptions, verifyOptions } from '../grammar/rows.ts';
import { type OutputOptions, type VerbOptions, print, printData, printResult } from '../output.ts';
import { configOf } from '../programmes.ts';
import { counted } from '../table.ts';

/** @throws CommandError where there is no stream; the master key's errors where that cannot be read */
export function auditOf(config: Config): {
  readonly settings: AuditSettings;
  readonly keyring: Keyring;
} {
  const { audit: settings } = config;
  if (settings === undefined) throw failed('the configuration has no audit stream (audit)');
  // Reading the key would make one, of a store to come.
  if (!storeExists(config) && !existsSync(masterKeyPath(config) ?? '')) {
    throw failed('there is no store yet, and so no audit stream');
  }
  return { settings, keyring: createKeyring(masterKeyOf(config)) };
}

type FindOptions = GivenWithConfig<typeof findOptions>;

/** Prints events as they are found; ends with exit code 1 where there is none, or a file cannot be read. */
export async function findAudit(options: FindOptions): Promise<void> {
  const { settings, keyring } = auditOf(configOf(options));
  const criteria = criteriaOf(options, identifierDigests(keyring));
  let count = 0;
  let isCutShort = false;
  const onTrouble = (file: string, why: string): void => {
    isCutShort = true;
    say(`${shownPath(file)} ${why}`);
  };
  const events = existsSync(dirname(settings.file))
    ? findEvents(settings.file, criteria, onTrouble)
    : [];
  for await (const found of events) {
    count += found.length;
    const lines = found.map(options.json === true ? ({ text }) => text : lineOf);
    await (options.json === true ? printData : print)(lines.join('\n'));
  }
  if (count === 0) say('there is no such event');
  if (count === 0 || isCutShort) throw failed('');
}

function criteriaOf(
  options: FindOptions,
  identify: ReturnType<typeof identifierDigests>,
): Criteria {
  const { event, programme, client, member, address, requestId, command } = options;
  const { since, until } = options;
  const wanted = (names: readonly string[], ...values: readonly (string | undefined)[]) => {
    const given = values.filter((value) => value !== undefined);
    return given.length === 0 ? [] : [{ names, values: given }];
  };
  return {
    facts: [
      ...wanted(['event'], event),
      ...wanted(['programme'], programme),
      ...wanted(['client'], client),
      ...wanted(['request'], requestId),
      ...wanted(['command'], command),
      ...(address === undefined ? [] : wanted(['address'], identify('address', address))),
      ...(member === undefined
        ? []
        : wanted(
            ['member', 'username'],
            identify('member', member),
            identify('username', normaliseUsername(member)),
          )),
    ],
    since,
    until,
  };
}

function lineOf({ facts }: FoundEvent): string {
  const { seq: _seq, size: _size, mac: _mac, time, event, ...others } = facts;
  const told = Object.entries(others).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [String(time), String(event), ...told].join('  ');
}

/** Prints what is broken, and ends with exit code 1 if anything is. */
export async function verifyAudit(
  files: readonly string[],
  options: GivenWithConfig<typeof verifyOptions>,
): Promise<void> {
  const { expect: expected } = options;
  const config = configOf(options);
  const { settings, keyring } = auditOf(config);
  const missing = files.find((file) => !isFile(file));
  if (missing !== undefined) throw failed(`there is no file ${shownPath(missing)}`);
  const { auditChain: key } = keyring;
  const verdict =
    files.length === 0
      ? await verifyWhole(config, settings.file, key, expected)
      : await verifyFiles(files, key, expected);
  await printResult(options, viewOf(verdict), linesOf(verdict).join('\n'));
  if (verdict.broken > 0) throw failed('');
}

/**
 * Verifies the stream to the newest line that its store knows of. A store that cannot be asked is no break:
 * the chain is verified without it, and a note says what that leaves open.
 */
async function verifyWhole(
  config: Config,
  file: string,
  key: Uint8Array,
  expected: Entry | undefined,
): Promise<Verdict> {
  let known: Entry | undefined;
  let unasked: string | undefined;
  try {
    if (storeExists(config)) known = await knownTo(config);
    else unasked = 'there is none';
  } catch (error) {
    unasked = error instanceof Error ? error.message : String(error);
  }
  const verdict = await verifyStream(file, key, { expected, known });
  if (unasked === undefined) return verdict;
  const what = `the store cannot be asked for the newest line (${unasked}): lines that were cut off at the end do not show`;
  return { ...verdict, notes: [...verdict.notes, { file, what }] };
}

async function knownTo(config: Config): Promise<Entry | undefined> {
  const { store } = await openStore(config);
  try {
    return (await streamMarkOf(store, config)).known;
  } finally {
    await store.close();
  }
}

function viewOf({ oldest, newest, ...verdict }: Verdict): object {
  return {
    whole: verdict.broken === 0,
    oldest: oldest?.seq ?? null,
    newest: newest === undefined ? null : textOf(newest),
    ...verdict,
  };
}

function linesOf({ files, lines, oldest, newest, broken, breaks, notes }: Verdict): string[] {
  const told = [...notes, ...breaks].map(textOfFinding);
  const rest = broken - breaks.length;
  if (rest > 0) told.push(`and ${rest} more`);
  if (broken > 0) {
    return [...told, `The audit stream is broken: ${counted(broken, 'place')}.`];
  }
  if (oldest === undefined || newest === undefined) return [...told, 'There is no line yet.'];
  return [
    ...told,
    `The audit stream is whole: lines ${oldest.seq} to ${newest.seq}, ${lines} in ${counted(files.length, 'file')}.`,
    `Newest: ${textOf(newest)}`,
  ];
}

function textOfFinding({ file, line, what }: Finding): string {
  return `${shownPath(file)}${line === undefined ? '' : `:${line}`}: ${what}`;
}

/** A link as operators note it elsewhere. */
function textOf({ seq, mark }: Entry): string {
  return `${seq}:${mark}`;
}

/** Prints the digest that stands in the stream for an identifier. */
export function hashIdentifier(
  name: string,
  text: string,
  options: OutputOptions & VerbOptions,
): Promise<void> {
  const kind = identifierKinds.find((one) => one === name);
  if (kind === undefined) {
    throw wrongUsage(`there is no kind ${quote(name)}: one of ${identifierKinds.join(', ')}`);
  }
  const { keyring } = auditOf(configOf(options));
  const value = kind === 'username' ? normaliseUsername(text) : text;
  const digest = identifierDigests(keyring)(kind, value);
  return printResult(options, { kind, digest }, digest);
}
