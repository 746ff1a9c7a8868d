// Owns the embedded member directory: members kept in Jetway's own store.

import { present } from '../lib/present.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { Unavailable } from '../oauth/failure.ts';
import type { Member, MemberRecord, Subject } from '../oauth/member.ts';
import type { LoginAttempt, MemberDirectory, Verification } from './directory.ts';
import { checkPassword, hashOfNobody, hashPassword, isUpToDate } from './password.ts';
import { normaliseUsername } from './username.ts';

/** The store's verbs that the directory uses. */
export interface MemberRecords {
  find(kind: 'member', programme: ProgrammeId, subject: Subject): Promise<MemberRecord | undefined>;
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
  // A miss costs what a hit costs, so that time does not tell who exists (HOSTILE 17).
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
    async isActive(subject) {
      const record = await records.find('member', programme, subject);
      return record?.status === 'active';
    },
    isOwn: true,
  };
}

/** Replaces an imported hash as soon as its password is known, unless it was changed meanwhile. */
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
    // The password is right all the same; the next login tries again.
    if (!(error instanceof Unavailable)) throw error;
  }
}

function memberOf(record: MemberRecord): Member {
  const { subject, level, membershipNumber } = record;
  return present({ subject, level, membershipNumber });
}
