// Owns members in the file store, each kept whole as JSON beside the names it is found by.

import type { DatabaseSync } from 'node:sqlite';

import { frozen } from '../../lib/frozen.ts';
import type { MemberRecord } from '../../oauth/member.ts';
import type { Store } from '../contract.ts';
import { sameMember, usernameTaken } from '../judgement.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import { type Freshness, Remembered } from './commits/freshness.ts';
import type { Revoker } from './revocations.ts';
import { expectSum, rowSum } from './sums.ts';

type MemberVerbs = Pick<
  Store,
  | 'addMember'
  | 'findMember'
  | 'findMemberBySubject'
  | 'listMembers'
  | 'changeMember'
  | 'removeMember'
>;

/** The members' verbs. */
export function fileMembers(
  database: DatabaseSync,
  queue: CommitQueue,
  revoke: Revoker,
  fresh: Freshness,
): MemberVerbs {
  const { named, find, list, add, change, remove } = memberRows(database);
  const known = new Remembered<MemberRecord>(fresh, mostKnown);
  return {
    addMember: (member) => queue.write(() => (add(member) ? 'added' : 'taken')),
    findMember: (programme, username) => queue.read(() => named(programme, username)),
    findMemberBySubject: (programme, subject) =>
      queue.read(() => known.get(programme, subject, () => frozen(find(programme, subject)))),
    listMembers: (programme) => queue.read(() => list(programme)),
    changeMember: (programme, subject, alter) =>
      queue.writeFromReserve(() => {
        const before = find(programme, subject);
        if (before === undefined) return undefined;
        const after = sameMember(before, alter(before));
        const holder = named(programme, after.username);
        if (holder && holder.subject !== subject) throw usernameTaken(after.username);
        known.take(programme, subject);
        return change(after);
      }),
    removeMember: (programme, subject) =>
      queue.writeFromReserve(() => {
        if (!remove(programme, subject)) return false;
        revoke(programme, { subject });
        return true;
      }),
  };
}

/** More members than this in use at once are read again. */
const mostKnown = 10_000;

interface Row {
  readonly programme: string;
  readonly subject: string;
  readonly username: string;
  readonly record: string;
  readonly sum: number;
}

interface MemberRows {
  readonly named: (programme: string, username: string) => MemberRecord | undefined;
  readonly find: (programme: string, subject: string) => MemberRecord | undefined;
  readonly list: (programme: string) => readonly MemberRecord[];
  /** False when username or subject is taken. */
  readonly add: (member: MemberRecord) => boolean;
  readonly change: (after: MemberRecord) => MemberRecord;
  /** False when there is none. */
  readonly remove: (programme: string, subject: string) => boolean;
}

function memberRows(database: DatabaseSync): MemberRows {
  const columns = 'programme, subject, username, record, sum';
  const from = `SELECT ${columns} FROM member WHERE programme = ?`;
  const selectNamed = database.prepare(`${from} AND username = ?`);
  const select = database.prepare(`${from} AND subject = ?`);
  const all = database.prepare(`${from} ORDER BY position`);
  const insert = database.prepare(
    `INSERT INTO member (${columns}) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const update = database.prepare(
    'UPDATE member SET username = ?, record = ?, sum = ? WHERE programme = ? AND subject = ?',
  );
  const drop = database.prepare('DELETE FROM member WHERE programme = ? AND subject = ?');
  return {
    named: (programme, username) => {
      const row = selectNamed.get(programme, username) as Row | undefined;
      return row && memberOf(row);
    },
    find: (programme, subject) => {
      const row = select.get(programme, subject) as Row | undefined;
      return row && memberOf(row);
    },
    list: (programme) => (all.all(programme) as unknown as Row[]).map(memberOf),
    add: (member) => {
      const { programme, subject, username } = member;
      const values = [programme, subject, username, JSON.stringify(member)];
      return insert.run(...values, rowSum(values)).changes === 1;
    },
    change: (after) => {
      const { programme, subject, username } = after;
      const record = JSON.stringify(after);
      const sum = rowSum([programme, subject, username, record]);
      update.run(username, record, sum, programme, subject);
      return JSON.parse(record) as MemberRecord;
    },
    remove: (programme, subject) => drop.run(programme, subject).changes === 1,
  };
}

function memberOf({ programme, subject, username, record, sum }: Row): MemberRecord {
  expectSum('member', sum, [programme, subject, username, record]);
  return JSON.parse(record) as MemberRecord;
}
