// Owns strict CSV (RFC 4180), also with the separators of Excel, and the position of every value; it knows no
// columns.

import { byPosition, type Fault } from '../../lib/fault.ts';
import {
  characterFaults,
  errorAtOffset,
  openSource,
  positionOf,
  type YamlSource,
} from '../../lib/yaml/source.ts';
import type { Text } from './table.ts';

export interface Csv {
  /** Without empty lines. */
  readonly records: readonly (readonly Text[])[];
  readonly faults: readonly Fault[];
}

/** Never throws. After a fault, reading continues at the next line. */
export function parseCsv(file: string, text: string): Csv {
  const source = openSource(file, text);
  const foreign = characterFaults(source);
  if (foreign.length > 0) return { records: [], faults: foreign };
  const separator = separatorOf(source.text);
  const records: (readonly Text[])[] = [];
  const faults: Fault[] = [];
  for (let offset = 0; offset < source.text.length;) {
    const { end, values, fault } = readRecord(source, separator, offset);
    offset = end;
    if (fault !== undefined) faults.push(fault);
    else if (values.length > 1 || values[0]?.text !== '') records.push(values);
  }
  return { records, faults: faults.toSorted(byPosition) };
}

type Separator = ',' | ';' | '\t';

/** Where numbers have a comma, Excel separates by a semicolon; the first line names columns, without either. */
function separatorOf(text: string): Separator {
  const [line = ''] = /^.*/.exec(text) ?? [];
  const others = (['\t', ';'] as const).filter((one) => line.includes(one));
  return others.length === 1 && others[0] !== undefined && !line.includes(',') ? others[0] : ',';
}

interface Record {
  readonly values: readonly Text[];
  readonly fault?: Fault;
  readonly end: number;
}

function readRecord(source: YamlSource, separator: Separator, start: number): Record {
  const { text } = source;
  const lineEnd = (offset: number): number => {
    const end = text.indexOf('\n', offset);
    return end < 0 ? text.length : end + 1;
  };
  const broken = (offset: number, message: string, end = lineEnd(offset)): Record => ({
    values: [],
    fault: errorAtOffset(source, offset, [], message),
    end,
  });
  const values: Text[] = [];
  for (let offset = start; ; offset += 1) {
    const isQuoted = text[offset] === '"';
    const begin = isQuoted ? offset + 1 : offset;
    const end = isQuoted ? closingQuote(text, begin) : plainEnd(text, separator, begin);
    if (end < 0) return broken(offset, 'the quote that opens here is never closed', text.length);
    const raw = text.slice(begin, end);
    const stray = isQuoted ? -1 : raw.indexOf('"');
    if (stray >= 0) {
      const message = 'a value that holds a " must stand in quotes, with each " written twice';
      return broken(begin + stray, message);
    }
    values.push({ text: raw.replaceAll('""', '"'), at: positionOf(source, begin) });
    offset = isQuoted ? end + 1 : end;
    // A carriage return is part of a line break here: the character check has refused all others.
    if (text[offset] === '\r') offset += 1;
    if (offset >= text.length || text[offset] === '\n') return { values, end: offset + 1 };
    if (text[offset] !== separator) {
      return broken(offset, `a "${separator}" or the end of the line must follow a closing quote`);
    }
  }
}

const ends = { ',': /[,\r\n]/g, ';': /[;\r\n]/g, '\t': /[\t\r\n]/g } as const;

function plainEnd(text: string, separator: Separator, begin: number): number {
  const end = ends[separator];
  end.lastIndex = begin;
  return end.exec(text)?.index ?? text.length;
}

/** The offset of the closing quote; negative if there is none. */
function closingQuote(text: string, begin: number): number {
  let end = text.indexOf('"', begin);
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  return end;
}
