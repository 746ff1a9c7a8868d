// Owns the verb `member import`: adds existing members with their passwords.

import { isDeepStrictEqual } from 'node:util';

import { errorAt, type Fault, type Position, quote } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
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
import { type Input, listOf, readFields } from '../entities/fields.ts';
import {
  type MemberFields,
  memberFields,
  numberWarnings,
  subjectInput,
  warnOfDirectory,
} from '../entities/member_fields.ts';
import { passwordFault } from '../entities/secrets.ts';
import { expectDurableStore, type OpenStore } from '../open_store.ts';
import { configOf, loadCompiled } from '../programmes.ts';
import type { Step } from '../progress.ts';
import { type Import, importFile, type ImportOptions, type Judged } from './import.ts';
import { type Row, type Value, valueOf, warningAt } from './table.ts';

/** Each member has exactly one of these: the password, or an existing hash of it. */
const secretColumns = ['password', ...hashSchemes] as const;
type SecretColumn = (typeof secretColumns)[number];

const otherColumns: readonly Input[] = [
  subjectInput,
  { name: 'password', check: passwordFault },
  ...hashSchemes.map((name) => ({ name })),
];

export async function importMembers(path: string, options: ImportOptions): Promise<void> {
  const config = configOf(options);
  const { loaded, programme } = loadCompiled(config, options.programme);
  expectDurableStore(config);
  await importFile(config, programme, path, memberImport(programme), options);
  warnOfDirectory(loaded.definition);
}

type Secret = { readonly password: string } | { readonly hash: string };

interface ImportedMember {
  readonly at: Position;
  readonly subject?: string;
  readonly fields: MemberFields;
  readonly secret: Secret;
}

function memberImport(programme: Programme): Import<ImportedMember, MemberFields> {
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
    judge: (row, errors) => judge(row, errors, programme),
    warnings: weakHashes,
    compare: (open, member) => compare(open, programme, member),
    add: (open, members, step) => addAll(open, programme, members, step),
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

function judge(row: Row, checked: readonly Fault[], programme: Programme): Judged<ImportedMember> {
  const secret = readSecret(row);
  const errors = 'message' in secret ? [...checked, secret] : checked;
  const username = valueOf(row, 'username');
  if (username === undefined || 'message' in secret || errors.length > 0) return { faults: errors };
  const fields = readFields(memberFields, row.given);
  const place = valueOf(row, 'membership_number') ?? username;
  const warnings = numberWarnings(programme, fields.membershipNumber);
  return {
    draft: present({ at: username.at, fields, subject: valueOf(row, 'subject')?.text, secret }),
    faults: warnings.map((message) => warningAt(place, message)),
  };
}

/** The password or hash of a row; no message ever quotes it. */
function readSecret(row: Row): Secret | Fault {
  const given = secretColumns.flatMap((column) => {
    const value = valueOf(row, column);
    return value === undefined ? [] : [{ column, value }];
  });
  const [only, another] = given;
  if (only === undefined) {
    return errorAt(row.at, [], `this member has none of ${secretColumns.join(', ')}`);
  }
  if (another !== undefined) {
    const columns = given.map(({ column }) => column).join(' and ');
    return errorAt(another.value.at, [], `this member has ${columns}: one of them is enough`);
  }
  const { column, value } = only;
  return column === 'password' ? { password: value.text } : readHashOf(column, value);
}

function readHashOf(
  column: Exclude<SecretColumn, 'password'>,
  { text, at }: Value,
): Secret | Fault {
  const scheme = readHash(text)?.scheme;
  if (scheme === column) return { hash: text };
  const { least, most } = pbkdf2Iterations;
  const count = iterationsOf(text);
  if (column === 'pbkdf2' && count !== undefined && (count < least || count > most)) {
    return errorAt(
      at,
      [],
      `this pbkdf2 hash has ${count} iterations: expected ${least} to ${most}`,
    );
  }
  const hint = scheme === undefined ? hashHints[column] : `it is one of ${scheme}`;
  return errorAt(at, [], `this is no ${column} hash that is understood`, hint);
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
  member: ImportedMember,
): Promise<{ readonly isThere: boolean; readonly faults: readonly Fault[] }> {
  const { at, subject } = member;
  const { username } = member.fields;
  const [named] = await store.findBy('member', 'username', id, username);
  if (named !== undefined && (await isSame(member, named))) return { isThere: true, faults: [] };
  const taken = (what: string, value: string): Fault =>
    errorAt(at, [], `the ${what} ${quote(value)} is taken in ${id}`);
  const faults = named === undefined ? [] : [taken('username', username)];
  if (subject === undefined) return { isThere: false, faults };
  const holder = await store.find('member', id, subject as Subject);
  const isTaken = holder !== undefined && holder.subject !== named?.subject;
  return { isThere: false, faults: isTaken ? [...faults, taken('subject', subject)] : faults };
}

/** Whether the stored member equals the file's, including the password. */
async function isSame(member: ImportedMember, kept: MemberRecord): Promise<boolean> {
  const { secret, fields, subject = kept.subject } = member;
  return (
    kept.subject === subject &&
    listOf(memberFields).every(
      ([name]) => name === 'status' || isDeepStrictEqual(kept[name], fields[name]),
    ) &&
    ('hash' in secret
      ? kept.passwordHash === secret.hash
      : await checkPassword(secret.password, kept.passwordHash))
  );
}

/** The rows of one write: a running server's own writes wait no longer than that. */
const addedAtOnce = 1000;

/** Hashes every password before adding the first member: hashing is slow and may be interrupted. */
async function addAll(
  { store, clock }: OpenStore,
  { id }: Programme,
  members: readonly ImportedMember[],
  step: Step,
): Promise<readonly string[]> {
  const records: MemberRecord[] = [];
  for (const { secret, subject, fields } of members) {
    records.push({
      programme: id,
      ...fields,
      subject: (subject ?? randomKey(16)) as Subject,
      passwordHash: 'hash' in secret ? secret.hash : await hashPassword(secret.password),
      createdAt: clock.now(),
    });
    step();
  }
  for (let from = 0; from < records.length; from += addedAtOnce) {
    const taken = new Set(await store.add('member', records.slice(from, from + addedAtOnce)));
    if (taken.size === 0) continue;
    for (const { subject } of records.slice(0, from)) {
      await store.remove('member', id, subject, clock.now());
    }
    return records
      .filter(({ subject }) => taken.has(subject))
      .map(({ username }) => quote(username));
  }
  return [];
}
