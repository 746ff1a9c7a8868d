// Owns the verb `audit find`.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

import { type Criteria, findEvents, type FoundEvent } from '../../audit/find.ts';
import { identifierDigests } from '../../audit/identifiers.ts';
import { shownPath } from '../../config/programme_files.ts';
import { normaliseUsername } from '../../members/username.ts';
import { say } from '../../server/ending.ts';
import { failed } from '../../server/exit.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { findOptions } from '../grammar/rows.ts';
import { print, printData } from '../output.ts';
import { configOf } from '../programmes.ts';
import { auditOf } from './site.ts';

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
