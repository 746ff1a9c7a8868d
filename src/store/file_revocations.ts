// Owns whole-owner revocations in the file store: one row an owner, looked at with all that it was issued.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../lib/clock.ts';
import type { ClientId, ProgrammeId } from '../oauth/client.ts';
import type { TokenOwner } from './contract.ts';
import { expectSum, rowSum } from './file_sums.ts';

/** Whole-owner revocations. */
export interface Revocations {
  /** Kills everything issued to the owner up to `at`; call it inside a write. It undoes no earlier one. */
  readonly revoke: (programme: ProgrammeId, whose: TokenOwner, at: Instant) => void;
  /**
   * Until when what that client was issued is dead, for that member if any; undefined where all
   * of it stands.
   */
  readonly until: (
    programme: ProgrammeId,
    client: ClientId,
    subject: string | undefined,
  ) => Instant | undefined;
}

/** Stands for programme and owner in the row that a restore leaves: it is about everybody. */
const everybody = '';

export function fileRevocations(database: DatabaseSync): Revocations {
  const put = revocationWriter(database);
  const select = database.prepare(
    `SELECT programme, owner, revoked_until, sum FROM revocation
     WHERE programme = ? AND owner IN (?, ?) OR programme = ? AND owner = ?`,
  );
  return {
    revoke: (programme, whose, at) => {
      put(programme, 'client' in whose ? clientName(whose.client) : subjectName(whose.subject), at);
    },
    until: (programme, client, subject) => {
      // A partner's own tokens have no member: the client's name twice asks for no other row.
      const member = subject === undefined ? clientName(client) : subjectName(subject);
      const rows = select.all(programme, clientName(client), member, everybody, everybody);
      return (rows as unknown as Row[]).reduce(latest, undefined);
    },
  };
}

/** Voids everything that was issued to anybody up to `at`, remembered or not (FAULTS 8). */
export function revokeEverything(database: DatabaseSync, at: Instant): void {
  revocationWriter(database)(everybody, everybody, at);
}

interface Row {
  readonly programme: string;
  readonly owner: string;
  readonly revoked_until: Instant;
  readonly sum: number;
}

function latest(so: Instant | undefined, row: Row): Instant {
  const { programme, owner, revoked_until: until, sum } = row;
  expectSum('revocation', sum, [programme, owner, until]);
  return so === undefined || so < until ? until : so;
}

function clientName(client: ClientId): string {
  return `client ${client}`;
}

function subjectName(subject: string): string {
  return `subject ${subject}`;
}

/** Writes one row, unless one that reaches further is there. */
function revocationWriter(
  database: DatabaseSync,
): (programme: string, owner: string, at: Instant) => void {
  const upsert = database.prepare(
    `INSERT INTO revocation (programme, owner, revoked_until, sum) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET revoked_until = excluded.revoked_until, sum = excluded.sum
     WHERE excluded.revoked_until > revoked_until`,
  );
  return (programme, owner, at) => {
    upsert.run(programme, owner, at, rowSum([programme, owner, at]));
  };
}
