// Owns the verb `member import`: adds existing members with their passwords.

import { isDeepStrictEqual } from 'node:util';

import { errorAt, type Fault, quote } from '../../lib/fault.ts';
import { randomKey } from '../../lib/random.ts';
import { checkPassword, hashPassword } from '../../members/password.ts';
import {
  hashSchemes,
  iterationsOf,
  pbkdf2Iterations,
  readHash,
} from '../../members/password_hash.ts';
import { normaliseUsername } from '../../members/username.ts';
import type { MemberRecord, Subject } from '../../oauth/member.ts';
import type { Programme } from '../../programme/programme.ts';
import { say } from '../../server/ending.ts';
import { failed } from '../../server/exit.ts';
import type { OpenStore } from '../../server/open_store.ts';
import { type Input, listOf, textsOf } from '../entities/fields.ts';
import {
  addedAtOnce,
  type MemberFields,
  memberFields,
  numberWarnings,
  subjectInput,
  warnOfDirectory,
} from '../entities/member_fields.ts';
import { passwordFault } from '../entities/secrets.ts';
import type { Step } from '../progress.ts';
import { type Entry, type Import, importFile, type ImportOptions } from './import.ts';
import { type Row, textIn, type Value, valueOf, warningAt } from './table.ts';

type MemberRow = Entry<MemberFields>;

/** Each member has exactly one of these: the password, or an existing hash of it. */
const secretColumns = ['password', ...hashSchemes] as const;
type SecretColumn = (typeof secretColumns)[number];

const otherColumns: readonly Input[] = [
  subjectInput,
  { name: 'password', check: passwordFault },
  ...hashSchemes.map((name) => ({ name })),
];

export async function importMembers(path: string, options: ImportOptions): Promise<void> {
  warnOfDirectory(await importFile(path, options, memberImport));
}

function memberImport(programme: Programme): Import<MemberFields> {
  return {
    noun: 'member',
    fields: memberFields,
    others: otherColumns,
    unique: [{ name: 'username', spelling: normaliseUsername }, { name: 'subject' }],
    // Some 500,000 members.
    mostBytes: 64 * 1024 * 1024,
    example: 'username,password,level',
    tableFaults: ({ columns }) =>
      columns.size === 0 || secretColumns.some((column) => columns.has(column))
        ? []
        : [`there is no column with passwords: one of ${secretColumns.join(', ')}`],
    errors: secretFaults,
    judge: (row) => {
      const place = valueOf(row, 'membership_number') ?? valueOf(row, 'username') ?? row;
      return numberWarnings(programme, row.item.membershipNumber).map((message) =>
        warningAt(place, message),
      );
    },
    warnings: weakHashes,
    compare: (open, row) => compare(open, programme, row),
    add: (open, rows, step) => addMembers(open, programme, rows, step),
  };
}

/** Hashes with fewer iterations are the first that a thief of the store guesses. */
const goodPbkdf2Iterations = 100_000;

function weakHashes(rows: readonly Row[]): readonly Fault[] {
  const weak = rows.flatMap((row) => {
    const value = valueOf(row, 'pbkdf2');
    const count = iterationsOf(value?.text ?? '') ?? 0;
    return count >= pbkdf2Iterations.least && count < goodPbkdf2Iterations ? (value ?? []) : [];
  });
  const [first] = weak;
  if (first === undefined) return [];
  const others = weak.length === 1 ? '' : `, and so have ${weak.length - 1} more below`;
  const message = `this pbkdf2 hash has fewer than ${goodPbkdf2Iterations} iterations${others}`;
  const hint = 'who steals the store guesses them until their members have logged in once';
  return [warningAt(first, message, hint)];
}

/** What is wrong with the password or hash of a row; no message ever quotes it. */
function secretFaults(row: Row): readonly Fault[] {
  const given = secretColumns.flatMap((column) => {
    const value = valueOf(row, column);
    return value === undefined ? [] : [{ column, value }];
  });
  const [only, another] = given;
  if (only === undefined) {
    return [errorAt(row.at, [], `this member has none of ${secretColumns.join(', ')}`)];
  }
  if (another !== undefined) {
    const columns = given.map(({ column }) => column).join(' and ');
    return [errorAt(another.value.at, [], `this member has ${columns}: one of them is enough`)];
  }
  return only.column === 'password' ? [] : hashFaults(only.column, only.value);
}

function hashFaults(
  column: Exclude<SecretColumn, 'password'>,
  { text, at }: Value,
): readonly Fault[] {
  const scheme = readHash(text)?.scheme;
  if (scheme === column) return [];
  const { least, most } = pbkdf2Iterations;
  const count = iterationsOf(text);
  if (column === 'pbkdf2' && count !== undefined && (count < least || count > most)) {
    const message = `this pbkdf2 hash has ${count} iterations: expected ${least} to ${most}`;
    return [errorAt(at, [], message)];
  }
  const hint = scheme === undefined ? hashHints[column] : `it is one of ${scheme}`;
  return [errorAt(at, [], `this is no ${column} hash that is understood`, hint)];
}

const hashHints = {
  argon2: 'expected a PHC string such as $argon2id$v=19$m=19456,t=2,p=1$salt$hash',
  bcrypt: 'expected $2b$, a cost of 04 to 14, and 53 characters',
  pbkdf2:
    'expected pbkdf2_sha256$iterations$salt$hash or $pbkdf2-sha256$i=iterations$salt$hash, with sha1, sha256 or sha512',
} as const;

/** Looks for the member by its username, and by its subject if the file sets one. */
async function compare(
  { store }: OpenStore,
  { id }: Programme,
  row: MemberRow,
): Promise<readonly Fault[] | 'unchanged'> {
  const { username } = row.item;
  const [named] = await store.findBy('member', 'username', id, username);
  if (named !== undefined && (await isSame(row, named))) return 'unchanged';
  const [subject] = textsOf(row.given, 'subject') as Subject[];
  const holder = subject && (await store.find('member', id, subject));
  const taken = [
    ...(named === undefined ? [] : [['username', username] as const]),
    ...(holder === undefined || holder.subject === named?.subject
      ? []
      : [['subject', holder.subject] as const]),
  ];
  const { at } = valueOf(row, 'username') ?? row;
  return taken.map(([what, value]) =>
    errorAt(at, [], `the ${what} ${quote(value)} is taken in ${id}`),
  );
}

/** Whether the stored member equals the file's, including the password. */
async function isSame(row: MemberRow, kept: MemberRecord): Promise<boolean> {
  const [subject = kept.subject] = textsOf(row.given, 'subject');
  const password = valueOf(row, 'password');
  return (
    kept.subject === subject &&
    listOf(memberFields).every(
      ([name]) => name === 'status' || isDeepStrictEqual(kept[name], row.item[name]),
    ) &&
    (password === undefined
      ? kept.passwordHash === hashIn(row)
      : await checkPassword(password.text, kept.passwordHash))
  );
}

/** The hash of a row without a password. */
function hashIn({ given }: Row): string {
  return hashSchemes.flatMap((scheme) => textsOf(given, scheme)).join('');
}

/**
 * Hashes every password before adding the first member: hashing is slow and may be interrupted.
 * @throws CommandError if only some of many are added
 */
export async function addMembers(
  { store, clock }: OpenStore,
  { id }: Programme,
  rows: readonly MemberRow[],
  step: Step,
): Promise<readonly string[]> {
  const records: MemberRecord[] = [];
  for (const row of rows) {
    const password = valueOf(row, 'password');
    records.push({
      programme: id,
      ...row.item,
      subject: (textIn(row, 'subject') || randomKey(16)) as Subject,
      passwordHash: password === undefined ? hashIn(row) : await hashPassword(password.text),
      createdAt: clock.now(),
    });
    step();
  }
  const { length } = records;
  if (length > addedAtOnce) {
    say(
      `${length} members are added in parts of ${addedAtOnce}: if this is cut off, import the file again`,
    );
  }
  for (let from = 0; from < length; from += addedAtOnce) {
    const taken = new Set(await store.add('member', records.slice(from, from + addedAtOnce)));
    if (taken.size === 0) continue;
    const names = records
      .filter(({ subject }) => taken.has(subject))
      .map(({ username }) => quote(username));
    if (from === 0) return names;
    throw failed(
      `${from} of ${length} members are imported, and none of the rest: ${names.join(', ')} came to be taken in ${id} meanwhile; import the file again without them, which passes over those that are there`,
    );
  }
  return [];
}
