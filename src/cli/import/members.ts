// Owns judging a table of members: each row becomes a member to be, or has faults. No store here.

import { errorAt, type Fault, type Position, quote } from '../../lib/fault.ts';
import {
  hashSchemes,
  iterationsOf,
  pbkdf2Iterations,
  readHash,
} from '../../members/password_hash.ts';
import { normaliseUsername } from '../../members/username.ts';
import type { Programme } from '../../programme/programme.ts';
import {
  levelFaults,
  membershipNumberFaults,
  numberWarnings,
  passwordFaults,
  subjectFaults,
  usernameFaults,
} from '../entities/member_fields.ts';
import type { CsvValue } from './csv.ts';
import { type CsvRow, type CsvTable, readCsvColumns } from './csv_columns.ts';

/** Each member has exactly one of these: the password itself, or a hash of it made elsewhere. */
const secretColumns = ['password', ...hashSchemes] as const;
type SecretColumn = (typeof secretColumns)[number];

const memberColumns: readonly string[] = [
  'username',
  'subject',
  'level',
  'membership_number',
  ...secretColumns,
];

/** A member that nothing in its row speaks against. */
export interface ImportedMember {
  readonly at: Position;
  /** Normalised. */
  readonly username: string;
  readonly subject?: string;
  readonly level?: string;
  readonly membershipNumber?: string;
  readonly secret: { readonly password: string } | { readonly hash: string };
}

export interface JudgedMembers {
  readonly members: readonly ImportedMember[];
  /** Errors and warnings, of the file and of its rows. */
  readonly faults: readonly Fault[];
}

/** Reads and judges a text; never throws. */
export function judgeMembers(file: string, text: string, programme: Programme): JudgedMembers {
  const table = readCsvColumns(file, text, {
    isColumn: (name) => memberColumns.includes(name),
    names: memberColumns,
    required: ['username'],
    example: 'username,password,level',
  });
  const places = { username: new Map<string, number>(), subject: new Map<string, number>() };
  const judged = table.rows.map((row) => judgeRow(row, programme, places));
  return {
    members: judged.flatMap(({ member }) => member ?? []),
    faults: [
      ...table.faults,
      ...tableFaults(file, table),
      ...judged.flatMap(({ faults }) => faults),
      ...weakHashes(table),
    ],
  };
}

/** Hashes with fewer are the first to be guessed of a stolen store. */
const goodPbkdf2Iterations = 100_000;

/** One warning for all of a file. */
function weakHashes({ rows }: CsvTable): readonly Fault[] {
  const weak = rows
    .flatMap(({ values }) => values.get('pbkdf2') ?? [])
    .filter(({ text }) => {
      const count = iterationsOf(text) ?? 0;
      return count >= pbkdf2Iterations.least && count < goodPbkdf2Iterations;
    });
  const [first] = weak;
  if (first === undefined) return [];
  const others = weak.length === 1 ? '' : `, and so have ${weak.length - 1} more below`;
  const message = `this pbkdf2 hash has fewer than ${goodPbkdf2Iterations} iterations${others}`;
  const hint = 'who steals the store guesses them until their members have logged in once';
  return [{ severity: 'warning', at: first.at, path: '', message, hint }];
}

function tableFaults(file: string, { rows, columns, faults }: CsvTable): readonly Fault[] {
  const at = { file, line: 1, column: 1 };
  if (faults.length > 0) return [];
  if (columns.size > 0 && !secretColumns.some((column) => columns.has(column))) {
    const message = `there is no column with passwords: one of ${secretColumns.join(', ')}`;
    return [errorAt(at, [], message)];
  }
  return rows.length === 0 ? [errorAt(at, [], 'there is no member in this file')] : [];
}

/** Lines in which names were seen before. */
interface Places {
  readonly username: Map<string, number>;
  readonly subject: Map<string, number>;
}

function judgeRow(
  row: CsvRow,
  programme: Programme,
  places: Places,
): { readonly member?: ImportedMember; readonly faults: readonly Fault[] } {
  const { at, values } = row;
  const username = values.get('username');
  const { level, number, subject } = fieldsOf(row);
  const secret = readSecret(row);
  const errors = [
    ...(username === undefined ? [errorAt(at, ['username'], 'this member has no username')] : []),
    ...faultsAt(username, (text) => usernameFaults('username', normaliseUsername(text))),
    ...twice(username, 'username', normaliseUsername, places.username),
    ...faultsAt(subject, (text) => subjectFaults('subject', programme, text)),
    ...twice(subject, 'subject', (text) => text, places.subject),
    ...faultsAt(level, (text) => levelFaults('level', programme, text)),
    ...faultsAt(number, (text) => membershipNumberFaults('membership_number', text)),
    ...('faults' in secret ? secret.faults : []),
  ];
  if (username === undefined || 'faults' in secret || errors.length > 0) return { faults: errors };
  const member = {
    at: username.at,
    username: normaliseUsername(username.text),
    ...(subject === undefined ? {} : { subject: subject.text }),
    ...(level === undefined ? {} : { level: level.text }),
    ...(number === undefined ? {} : { membershipNumber: number.text }),
    secret,
  };
  const { at: place } = number ?? username;
  const warnings = numberWarnings(programme, number?.text).map((message): Fault => ({
    severity: 'warning',
    at: place,
    path: '',
    message,
  }));
  return { member, faults: warnings };
}

function fieldsOf({ values }: CsvRow): {
  readonly [Name in 'level' | 'number' | 'subject']: CsvValue | undefined;
} {
  return {
    level: values.get('level'),
    number: values.get('membership_number'),
    subject: values.get('subject'),
  };
}

function faultsAt(
  value: CsvValue | undefined,
  rule: (text: string) => readonly string[],
): readonly Fault[] {
  if (value === undefined) return [];
  return rule(value.text).map((message) => errorAt(value.at, [], message));
}

/** A name that stands in an earlier line already; its first place is remembered. */
function twice(
  value: CsvValue | undefined,
  column: string,
  spelling: (text: string) => string,
  places: Map<string, number>,
): readonly Fault[] {
  if (value === undefined) return [];
  const name = spelling(value.text);
  const earlier = places.get(name);
  if (earlier === undefined) {
    places.set(name, value.at.line);
    return [];
  }
  const message = `${quote(value.text)} is in line ${earlier} already`;
  return [errorAt(value.at, [column], message)];
}

/** The password or hash of a row; what it is never stands in a message. */
function readSecret({
  at,
  values,
}: CsvRow): ImportedMember['secret'] | { readonly faults: readonly Fault[] } {
  const given = secretColumns.flatMap((column) => {
    const value = values.get(column);
    return value === undefined ? [] : [{ column, value }];
  });
  const [only, another] = given;
  if (only === undefined) {
    return { faults: [errorAt(at, [], `this member has none of ${secretColumns.join(', ')}`)] };
  }
  if (another !== undefined) {
    const message = `this member has ${given.map(({ column }) => column).join(' and ')}: one of them is enough`;
    return { faults: [errorAt(another.value.at, [another.column], message)] };
  }
  return judgeSecret(only.column, only.value);
}

function judgeSecret(
  column: SecretColumn,
  { text, at }: CsvValue,
): ImportedMember['secret'] | { readonly faults: readonly Fault[] } {
  if (column === 'password') {
    const faults = passwordFaults('password', text);
    return faults.length === 0
      ? { password: text }
      : { faults: faults.map((message) => errorAt(at, [column], message)) };
  }
  const scheme = readHash(text)?.scheme;
  if (scheme === column) return { hash: text };
  const { least, most } = pbkdf2Iterations;
  const count = iterationsOf(text);
  if (column === 'pbkdf2' && count !== undefined && (count < least || count > most)) {
    const message = `this pbkdf2 hash has ${count} iterations: expected ${least} to ${most}`;
    return { faults: [errorAt(at, [column], message)] };
  }
  const hint = scheme === undefined ? hashHints[column] : `it is one of ${scheme}`;
  return { faults: [errorAt(at, [column], `this is no ${column} hash that is understood`, hint)] };
}

const hashHints = {
  argon2: 'expected a PHC string such as $argon2id$v=19$m=19456,t=2,p=1$salt$hash',
  bcrypt: 'expected $2b$, a cost of 04 to 14, and 53 characters',
  pbkdf2:
    'expected pbkdf2_sha256$iterations$salt$hash or $pbkdf2-sha256$i=iterations$salt$hash, with sha1, sha256 or sha512',
} as const;
