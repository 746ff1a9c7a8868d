// Owns the verb `audit find`.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

import { type Criteria, findEvents, type FoundEvent } from '../../audit/find.ts';
import { identifierDigests } from '../../audit/identifiers.ts';
import { shownPath } from '../../config/programme_files.ts';
import { parseDuration } from '../../lib/duration.ts';
import { quote } from '../../lib/fault.ts';
import { normaliseUsername } from '../../members/username.ts';
import { say } from '../../server/ending.ts';
import { failed, wrongUsage } from '../../server/exit.ts';
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
    since: readTime('--since', options.since),
    until: readTime('--until', options.until),
  };
}

/** A date, a time, or a duration before now. */
function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ago = parseDuration(text);
  if (ago !== undefined) return Date.now() - ago;
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.test(text);
  const time = isTime ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw wrongUsage(
    `${name} must be a time such as 2026-11-23 or 2026-11-23T09:30:00Z, or a duration such as 2h, not ${quote(text)}`,
  );
}

function lineOf({ facts }: FoundEvent): string {
  const { seq: _seq, size: _size, mac: _mac, time, event, ...others } = facts;
  const told = Object.entries(others).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [String(time), String(event), ...told].join('  ');
}
