// Owns what a file of clients comes down to, CSV or YAML: for each client its values, with places.

import { extname } from 'node:path';

import type { Fault, Position } from '../../lib/fault.ts';

/** What can be said of a client, by the names of columns; properties come beside them. */
export const importFields = [
  'client_id',
  'client_secret',
  'name',
  'api_key',
  'redirect_uris',
  'insecure_redirect_uris',
  'roles',
  'business_context',
  'partner_id',
  'throttle_limit',
  'throttle_window',
] as const;
export type ImportField = (typeof importFields)[number];

/** What each client must have: nothing is made up for who has it already. */
export const requiredFields = ['client_id', 'client_secret', 'name'] as const;

/** Fields that hold several values. */
export const listFields: ReadonlySet<string> = new Set([
  'redirect_uris',
  'insecure_redirect_uris',
  'roles',
]);

export interface ImportValue {
  readonly text: string;
  readonly at: Position;
}

export interface ImportRow {
  readonly at: Position;
  /** A field that nothing is said of is left out. */
  readonly values: ReadonlyMap<ImportField, readonly ImportValue[]>;
  readonly properties: ReadonlyMap<string, ImportValue>;
}

export interface ImportTable {
  readonly rows: readonly ImportRow[];
  /** Fields that the file could say something of; what is missing from it altogether is a fault. */
  readonly fields: ReadonlySet<ImportField>;
  readonly faults: readonly Fault[];
}

export type ImportFormat = 'csv' | 'yaml';

/** The format that a file's name tells; undefined for any other. */
export function importFormatOf(path: string): ImportFormat | undefined {
  const extension = extname(path).toLowerCase();
  if (extension === '.csv') return 'csv';
  return extension === '.yaml' || extension === '.yml' ? 'yaml' : undefined;
}

/** The words of a text, which spaces or line breaks separate, each with its place. */
export function wordsOf({ text, at }: ImportValue): readonly ImportValue[] {
  return [...text.matchAll(/\S+/g)].map((match) => {
    const lines = text.slice(0, match.index).split('\n');
    const last = lines.at(-1) ?? '';
    const place =
      lines.length === 1
        ? { ...at, column: at.column + last.length }
        : { ...at, line: at.line + lines.length - 1, column: last.length + 1 };
    return { text: match[0], at: place };
  });
}
