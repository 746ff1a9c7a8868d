// Owns how a member is shown: everything but the password's hash.

import type { MemberRecord } from '../../oauth/member.ts';
import type { OpenStore } from '../open_store.ts';
import { dateText } from '../table.ts';

/** A member as JSON output has it; what it does not have is null, so that its shape is one. */
export interface MemberView {
  readonly subject: string;
  readonly programme: string;
  readonly username: string;
  readonly level: string | null;
  readonly membership_number: string | null;
  readonly status: MemberRecord['status'];
  readonly created_at: string;
}

export function viewMember(member: MemberRecord): MemberView {
  return {
    subject: member.subject,
    programme: member.programme,
    username: member.username,
    level: member.level ?? null,
    membership_number: member.membershipNumber ?? null,
    status: member.status,
    created_at: dateText(member.createdAt),
  };
}

/** A member, and what counts against its logins now. */
export interface MemberWithLogins extends MemberView {
  /** Wrong passwords from browsers that are not known to be the member's. */
  readonly failed_logins: number;
  readonly locked_until: string | null;
}

export async function viewWithLogins(
  { store, keyring, clock }: OpenStore,
  member: MemberRecord,
): Promise<MemberWithLogins> {
  const account = keyring.accountDigest(member.username);
  const attempts = await store.findAttempts(member.programme, account, clock.now());
  const { failures, lockedUntil } = attempts;
  return {
    ...viewMember(member),
    failed_logins: failures,
    locked_until: lockedUntil === undefined ? null : dateText(lockedUntil),
  };
}

/** A member as people read it. */
export function memberRows(
  view: MemberView,
): readonly (readonly [label: string, values: readonly string[]])[] {
  return [
    ['username', [view.username]],
    ['programme', [view.programme]],
    ['subject', [view.subject]],
    ['status', [view.status]],
    ['level', listOf(view.level)],
    ['membership number', listOf(view.membership_number)],
    ['created', [view.created_at]],
  ];
}

function listOf(value: string | null): readonly string[] {
  return value === null ? [] : [value];
}
