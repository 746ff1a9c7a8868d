// Owns CSV as RFC 4180 has it, strictly, with the place of every value. It knows no columns.

import { byPosition, type Fault, type Position } from '../../lib/fault.ts';
import {
  characterFaults,
  errorAtOffset,
  openSource,
  positionOf,
  type YamlSource,
} from '../../lib/yaml/source.ts';

export interface CsvValue {
  readonly text: string;
  /** Of its first character, inside the quotes if there are any. */
  readonly at: Position;
}

export interface Csv {
  /** Lines with nothing on them are left out. */
  readonly records: readonly (readonly CsvValue[])[];
  readonly faults: readonly Fault[];
}

/** A reader of the whole text; `offset` is what was read. */
interface Reading {
  readonly source: YamlSource;
  readonly faults: Fault[];
  offset: number;
}

/** Reads a text; never throws. What follows a fault in a line is left out, the next line is read. */
export function parseCsv(file: string, text: string): Csv {
  const source = openSource(file, text);
  const foreign = characterFaults(source);
  if (foreign.length > 0) return { records: [], faults: foreign };
  const reading: Reading = { source, faults: [], offset: 0 };
  const records: CsvValue[][] = [];
  while (reading.offset < source.text.length) {
    const record = readRecord(reading);
    if (record !== undefined && (record.length > 1 || record[0]?.text !== '')) records.push(record);
  }
  return { records, faults: reading.faults.toSorted(byPosition) };
}

/** One record and its line break; undefined where it is broken. */
function readRecord(reading: Reading): CsvValue[] | undefined {
  const { text } = reading.source;
  const record: CsvValue[] = [];
  for (;;) {
    const value = text[reading.offset] === '"' ? readQuoted(reading) : readPlain(reading);
    if (value === undefined) return undefined;
    record.push(value);
    if (text[reading.offset] !== ',') break;
    reading.offset += 1;
  }
  reading.offset = lineEnd(reading) + 1;
  return record;
}

function readPlain(reading: Reading): CsvValue | undefined {
  const { source, offset } = reading;
  const found = /[^,\n]*/y;
  found.lastIndex = offset;
  const text = (found.exec(source.text)?.[0] ?? '').replace(/\r$/, '');
  const quoteAt = text.indexOf('"');
  if (quoteAt >= 0) {
    return refuse(
      reading,
      offset + quoteAt,
      'a value that holds a " must stand in quotes, with each " written twice',
    );
  }
  reading.offset += text.length;
  skipReturn(reading);
  return { text, at: positionOf(source, offset) };
}

function readQuoted(reading: Reading): CsvValue | undefined {
  const { source, offset: start } = reading;
  let end = start + 1;
  for (;;) {
    end = source.text.indexOf('"', end);
    if (end < 0) {
      reading.faults.push(
        errorAtOffset(source, start, [], 'the quote that opens here is never closed'),
      );
      reading.offset = source.text.length;
      return undefined;
    }
    if (source.text[end + 1] !== '"') break;
    end += 2;
  }
  reading.offset = end + 1;
  skipReturn(reading);
  if (![undefined, ',', '\n'].includes(source.text[reading.offset])) {
    return refuse(
      reading,
      reading.offset,
      'a "," or the end of the line must follow a closing quote',
    );
  }
  const text = source.text.slice(start + 1, end).replaceAll('""', '"');
  return { text, at: positionOf(source, start + 1) };
}

/** A carriage return is half a line break here: the character check has refused all others. */
function skipReturn(reading: Reading): void {
  if (reading.source.text[reading.offset] === '\r') reading.offset += 1;
}

function lineEnd({ source, offset }: Reading): number {
  const end = source.text.indexOf('\n', offset);
  return end < 0 ? source.text.length : end;
}

/** Tells the fault and goes on at the next line. */
function refuse(reading: Reading, offset: number, message: string): undefined {
  reading.faults.push(errorAtOffset(reading.source, offset, [], message));
  reading.offset = lineEnd(reading) + 1;
  return undefined;
}
