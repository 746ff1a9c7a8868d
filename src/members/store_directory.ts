// Owns the embedded member directory: members in Jetway's own store.

import { type Soon, soon } from '../lib/pause.ts';
import { present } from '../lib/present.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { Unavailable } from '../oauth/failure.ts';
import type { Member, MemberRecord, Subject } from '../oauth/member.ts';
import type { LoginAttempt, MemberDirectory, Verification } from './directory.ts';
import { checkPassword, hashOfNobody, hashPassword, isUpToDate } from './password.ts';
import { normaliseUsername } from './username.ts';

export interface MemberRecords {
  find(kind: 'member', programme: ProgrammeId, subject: Subject): Soon<MemberRecord | undefined>;
  findBy(
    kind: 'member',
    lookUp: 'username',
    programme: ProgrammeId,
    username: string,
  ): Promise<readonly MemberRecord[]>;
  change(
    kind: 'member',
    programme: ProgrammeId,
    subject: Subject,
    change: (member: MemberRecord) => MemberRecord,
  ): Promise<MemberRecord | undefined>;
}

export function createStoreDirectory(
  programme: ProgrammeId,
  records: MemberRecords,
): MemberDirectory {
  // A miss costs as much as a hit, so that time does not show who exists (HOSTILE 17).
  const decoy = hashOfNobody();
  return {
    async verify(attempt: LoginAttempt): Promise<Verification> {
      const { username, password } = attempt;
      const named = normaliseUsername(username);
      const [record] = await records.findBy('member', 'username', programme, named);
      const matches = await checkPassword(password, record?.passwordHash ?? decoy, attempt);
      if (record === undefined || !matches || record.status !== 'active') {
        return { outcome: 'no_match' };
      }
      if (!isUpToDate(record.passwordHash)) await renewHash(records, record, password);
      return { outcome: 'match', member: memberOf(record) };
    },
    async decline(attempt) {
      await checkPassword(attempt.password, decoy, attempt);
    },
    isActive: (subject) => soon(records.find('member', programme, subject), isActiveRecord),
    async find(by, name) {
      const record =
        by === 'subject'
          ? await records.find('member', programme, name as Subject)
          : (await records.findBy('member', 'username', programme, normaliseUsername(name)))[0];
      return record?.status === 'active' ? memberOf(record) : undefined;
    },
    isOwn: true,
  };
}

/** Replaces an imported hash once its password is known, unless it was changed meanwhile. */
async function renewHash(
  records: MemberRecords,
  { programme, subject, passwordHash: before }: MemberRecord,
  password: string,
): Promise<void> {
  try {
    const passwordHash = await hashPassword(password);
    await records.change('member', programme, subject, (member) =>
      member.passwordHash === before ? { ...member, passwordHash } : member,
    );
  } catch (error) {
    // The login succeeds anyway; the next one tries again.
    if (!(error instanceof Unavailable)) throw error;
  }
}

function isActiveRecord(record: MemberRecord | undefined): boolean {
  return record?.status === 'active';
}

function memberOf(record: MemberRecord): Member {
  const { subject, level, membershipNumber, properties } = record;
  return present({ subject, level, membershipNumber, properties });
}
