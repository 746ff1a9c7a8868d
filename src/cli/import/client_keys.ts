// Owns the columns of a client's secret and API key in imports, and how long these must be.

import { errorAt, type Fault, quote } from '../../lib/fault.ts';
import type { LookUp } from '../../store/kinds.ts';
import { clientFields, clientIdInput } from '../entities/client_fields.ts';
import { type Input, newInputsOf, textsOf } from '../entities/fields.ts';
import {
  apiKeyFault,
  longer,
  secretFault,
  secretWarning,
  shortFault,
} from '../entities/secret_rules.ts';
import { type Row, valueOf, warningAt } from './table.ts';

const columns = {
  client_secret: { noun: 'secret', check: secretFault },
  signing_secret: { noun: 'signing secret', check: secretFault },
  api_key: { noun: 'API key', check: apiKeyFault },
} as const;
type Column = keyof typeof columns;
const names = Object.keys(columns) as readonly Column[];

/** The column that names those of a row that may be short (HOSTILE 82). */
const insecure = 'insecure_short';

const keyInputs: readonly Input[] = [
  ...names.map((name) => ({ name, check: columns[name].check })),
  {
    name: insecure,
    many: true,
    quoted: true,
    check: (text) =>
      names.some((name) => name === text)
        ? undefined
        : `must be ${names.join(' or ')}, not ${quote(text)}`,
  },
];

/** Columns besides a client's fields. An import generates no identifier and no secret. */
export const otherColumns: readonly Input[] = [clientIdInput, ...keyInputs];

export const clientColumns: readonly Input[] = [...otherColumns, ...newInputsOf(clientFields)];

type OwnLookUps = readonly LookUp<'client'>[];

/** Whether the column's text alone names its client, or can be guessed from what it has signed. */
function namesAlone(column: Column, own: OwnLookUps): boolean {
  return column !== 'client_secret' || own.includes('secret');
}

/** Errors of keys that can be guessed, unless this client may have them. */
export function shortKeys(row: Row, own: OwnLookUps): readonly Fault[] {
  const allowed = textsOf(row.given, insecure);
  return names.flatMap((column) => {
    const value = valueOf(row, column);
    if (value === undefined || !namesAlone(column, own) || allowed.includes(column)) return [];
    const fault = shortFault(value.text);
    const hint = `${longer}, or allow it for this client: ${insecure}: ${column}`;
    return fault === undefined ? [] : [errorAt(value.at, [], `this ${column} ${fault}`, hint)];
  });
}

/** Warnings of those that this client may have, and of short secrets beside an identifier. */
export function weakKeys(row: Row, own: OwnLookUps): readonly Fault[] {
  return names.flatMap((column) => {
    const value = valueOf(row, column);
    if (value === undefined) return [];
    const { noun } = columns[column];
    const fault = namesAlone(column, own) ? shortFault(value.text) : undefined;
    const warning =
      fault === undefined ? secretWarning(noun, value.text) : `INSECURE: the ${noun} ${fault}`;
    return warning === undefined ? [] : [warningAt(value, warning)];
  });
}
