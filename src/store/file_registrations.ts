// Owns clients and members in the file store, each kept whole as JSON beside the names it is found by.

import type { DatabaseSync } from 'node:sqlite';

import type { Client } from '../oauth/client.ts';
import type { MemberRecord } from '../oauth/member.ts';
import type { CommitQueue } from './commit_queue.ts';
import type { Store } from './contract.ts';
import { sameClient, sameMember, usernameTaken } from './judgement.ts';

type ClientVerbs = Pick<Store, 'addClient' | 'findClient' | 'listClients' | 'changeClient'>;

/** The clients' verbs. */
export function fileClients(database: DatabaseSync, queue: CommitQueue): ClientVerbs {
  const insert = database.prepare(
    'INSERT INTO client (programme, id, record) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const select = database.prepare('SELECT record FROM client WHERE programme = ? AND id = ?');
  const list = database.prepare('SELECT record FROM client WHERE programme = ? ORDER BY position');
  const update = database.prepare('UPDATE client SET record = ? WHERE programme = ? AND id = ?');
  const find = (programme: string, id: string): Client | undefined => {
    const row = select.get(programme, id) as Row | undefined;
    return row && clientOf(row);
  };
  return {
    addClient: (client) =>
      queue.write(() => {
        const { changes } = insert.run(client.programme, client.id, JSON.stringify(client));
        return changes === 1 ? 'added' : 'taken';
      }),
    findClient: (programme, id) => queue.read(() => find(programme, id)),
    listClients: (programme) =>
      queue.read(() => (list.all(programme) as unknown as Row[]).map(clientOf)),
    changeClient: (programme, id, change) =>
      queue.write(() => {
        const before = find(programme, id);
        if (before === undefined) return undefined;
        const record = JSON.stringify(sameClient(before, change(before)));
        update.run(record, programme, id);
        return clientOf({ record });
      }),
  };
}

type MemberVerbs = Pick<
  Store,
  'addMember' | 'findMember' | 'findMemberBySubject' | 'listMembers' | 'changeMember'
>;

/** The members' verbs. */
export function fileMembers(database: DatabaseSync, queue: CommitQueue): MemberVerbs {
  const insert = database.prepare(
    `INSERT INTO member (programme, subject, username, record) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const selectNamed = database.prepare(
    'SELECT record FROM member WHERE programme = ? AND username = ?',
  );
  const select = database.prepare('SELECT record FROM member WHERE programme = ? AND subject = ?');
  const list = database.prepare('SELECT record FROM member WHERE programme = ? ORDER BY position');
  const update = database.prepare(
    'UPDATE member SET username = ?, record = ? WHERE programme = ? AND subject = ?',
  );
  const named = (programme: string, username: string): MemberRecord | undefined => {
    const row = selectNamed.get(programme, username) as Row | undefined;
    return row && memberOf(row);
  };
  const find = (programme: string, subject: string): MemberRecord | undefined => {
    const row = select.get(programme, subject) as Row | undefined;
    return row && memberOf(row);
  };
  return {
    addMember: (member) =>
      queue.write(() => {
        const { programme, subject, username } = member;
        const { changes } = insert.run(programme, subject, username, JSON.stringify(member));
        return changes === 1 ? 'added' : 'taken';
      }),
    findMember: (programme, username) => queue.read(() => named(programme, username)),
    findMemberBySubject: (programme, subject) => queue.read(() => find(programme, subject)),
    listMembers: (programme) =>
      queue.read(() => (list.all(programme) as unknown as Row[]).map(memberOf)),
    changeMember: (programme, subject, change) =>
      queue.write(() => {
        const before = find(programme, subject);
        if (before === undefined) return undefined;
        const after = sameMember(before, change(before));
        const holder = named(programme, after.username);
        if (holder && holder.subject !== subject) throw usernameTaken(after.username);
        const record = JSON.stringify(after);
        update.run(after.username, record, programme, subject);
        return memberOf({ record });
      }),
  };
}

interface Row {
  readonly record: string;
}

function clientOf(row: Row): Client {
  return JSON.parse(row.record) as Client;
}

function memberOf(row: Row): MemberRecord {
  return JSON.parse(row.record) as MemberRecord;
}
