// Owns statements about one row, written once for every SQL backend, and PostgreSQL's texts of them.

import type { Column, Table } from './table.ts';

type Type = Column['type'];

/** `:name` in the text stands for a parameter. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** In the order of their first use. */
  readonly parameters: readonly string[];
  readonly types: readonly Type[];
  readonly isRead: boolean;
  /** The parameters that name the row which it writes; an INSERT is known again by them. */
  readonly row: readonly string[];
  /** Whether it goes on while the disk of a file is full: it frees space, or takes away rights. */
  readonly isUrgent: boolean;
}

interface StatementOptions {
  readonly row?: readonly string[];
  /** Of parameters that are no columns of `like`. */
  readonly types?: Readonly<Record<string, Type>>;
  readonly isUrgent?: boolean;
}

const parameter = /(?<!:):(\w+)/g;

/** A parameter that is named as a column of `like` has its type. */
export function statement(
  name: string,
  like: Readonly<Record<string, Column>>,
  text: string,
  { row = [], types = {}, isUrgent = false }: StatementOptions = {},
): Statement {
  const parameters = [...new Set([...text.matchAll(parameter)].map(([, one = '']) => one))];
  const typeOf = (one: string): Type => {
    const type = types[one] ?? like[one]?.type;
    if (type === undefined) throw new Error(`statement ${name}: parameter ${one} has no type`);
    return type;
  };
  const isRead = /^\s*SELECT/.test(text);
  return { name, text, parameters, types: parameters.map(typeOf), isRead, row, isUrgent };
}

/** SQL that inserts a whole row of a table, if `condition` holds; `conflict` follows the values. */
export function insertText(
  { name, names }: { readonly name: string; readonly names: readonly string[] },
  conflict: string,
  condition?: string,
): string {
  const marks = names.map((one) => `:${one}`).join(', ');
  const source =
    condition === undefined ? `VALUES (${marks})` : `SELECT ${marks} WHERE ${condition}`;
  return `INSERT INTO ${name} (${names.join(', ')}) ${source} ${conflict}`;
}

/** SQL for an INSERT that has the new row replace the row of its key. */
export function replacing({ names, key }: Pick<Table, 'names' | 'key'>): string {
  const others = names.filter((name) => !key.includes(name));
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE
    SET ${others.map((name) => `${name} = excluded.${name}`).join(', ')}`;
}

/** The text with `write` of each parameter in its place. */
export function withParameters(text: string, write: (name: string) => string): string {
  return text.replaceAll(parameter, (_, name: string) => write(name));
}

export const arrayTypes = { text: 'text', integer: 'bigint', blob: 'bytea' } as const;

/** SQL of a FROM item of the parameters as arrays: a row of each question, and its number `n` from 1. */
export function askedRows(
  { parameters, types }: Pick<Statement, 'parameters' | 'types'>,
  first = 1,
): string {
  const columns = types.map((type, index) => `$${first + index}::${arrayTypes[type]}[]`).join(', ');
  const names = parameters.map((one) => `_${one}`).join(', ');
  return `unnest(${columns}) WITH ORDINALITY AS asked(${names}, n)`;
}

/** The text about the rows of `asked`. */
export function overAsked(text: string): string {
  return withParameters(text, (name) => `asked._${name}`);
}

/** The text with rows of `from` joined to the row that an UPDATE or DELETE changes. */
export function joined(text: string, from: string, condition = ''): string {
  const verb = /^\s*DELETE/.test(text) ? 'USING' : 'FROM';
  return text.replace(/\bWHERE\b/, () => `${verb} ${from} WHERE${condition}`);
}

/** The text of an INSERT with rows of `from` in place of its values or, with a condition, of its one row. */
export function insertedFrom(text: string, from: string): string {
  const ofValues = /\bVALUES \(([^)]*)\)/;
  if (ofValues.test(text)) {
    return text.replace(ofValues, (_, list: string) => `SELECT ${list} FROM ${from} ORDER BY n`);
  }
  return text
    .replace(/\bWHERE\b/, () => `FROM ${from} WHERE`)
    .replace(/\bON CONFLICT\b/, () => 'ORDER BY n ON CONFLICT');
}

/**
 * PostgreSQL's text about many rows at once. What it returns begins with the number of the question; of an
 * INSERT with the columns of `row`, since nothing else tells which rows it has made.
 * @param beside columns of the one row of `epoch`, which a SELECT reads along: where `join` is LEFT, also
 *   for a question without rows, whose columns are all NULL
 */
export function overRows(asked: Statement, beside: string, join: 'CROSS' | 'LEFT'): string {
  const { text, row } = asked;
  const rows = askedRows(asked);
  const body = overAsked(text);
  if (asked.isRead) {
    return `SELECT asked.n, ${beside}, found.* FROM epoch CROSS JOIN ${rows}
    ${join} JOIN LATERAL (${body}) AS found${join === 'LEFT' ? ' ON true' : ''}`;
  }
  if (isInsert(asked)) return `${insertedFrom(body, rows)} RETURNING ${row.join(', ')}`;
  return `${joined(body, rows)} RETURNING asked.n`;
}

/** PostgreSQL's text about one row, whose parameters are single values. */
export function overOne(asked: Statement, beside: string, join: 'CROSS' | 'LEFT'): string {
  const { text, parameters, types } = asked;
  const body = withParameters(text, (name) => {
    const index = parameters.indexOf(name);
    return `$${index + 1}::${arrayTypes[types[index] ?? 'text']}`;
  });
  if (!asked.isRead) return `${body} RETURNING 1`;
  const found = `(${body}) AS found${join === 'LEFT' ? ' ON true' : ''}`;
  return `SELECT 1, ${beside}, found.* FROM epoch ${join} JOIN ${found}`;
}

export function isInsert({ text }: Statement): boolean {
  return /^\s*INSERT/.test(text);
}
