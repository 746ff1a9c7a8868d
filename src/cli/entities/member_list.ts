// Owns the verb `member list`.

import { normaliseUsername } from '../../members/username.ts';
import type { MemberRecord } from '../../oauth/member.ts';
import { type OpenStore, withStore } from '../open_store.ts';
import { configOf, selectProgrammes } from '../programmes.ts';
import { type ListOptions, printListing, readLimit } from './listing.ts';
import { type MemberWithLogins, viewWithLogins } from './member_view.ts';

export interface ListMembersOptions extends ListOptions {
  readonly username?: string;
  readonly locked?: boolean;
}

/** `jetway member list`: by programme, in order of creation. */
export async function listMembers(options: ListMembersOptions): Promise<void> {
  readLimit(options);
  const config = configOf(options);
  const programmes = selectProgrammes(config, options.programme);
  await withStore(config, async (open) => {
    const lists = await Promise.all(programmes.map((one) => open.store.listMembers(one)));
    const items = lists.flat();
    const listing = {
      noun: 'members',
      items,
      found: await those(open, items, options),
      view: (member: MemberRecord) => viewWithLogins(open, member),
      headings: [
        'PROGRAMME',
        'USERNAME',
        'SUBJECT',
        'LEVEL',
        'MEMBERSHIP',
        'STATUS',
        'FAILED',
        'LOCKED UNTIL',
        'CREATED',
      ],
      row: (view: MemberWithLogins) => [
        view.programme,
        view.username,
        view.subject,
        view.level ?? '-',
        view.membership_number ?? '-',
        view.status,
        String(view.failed_logins),
        view.locked_until ?? '-',
        view.created_at,
      ],
    };
    await printListing(listing, options);
  });
}

async function those(
  open: OpenStore,
  members: readonly MemberRecord[],
  { username = '', status, locked = false }: ListMembersOptions,
): Promise<readonly MemberRecord[]> {
  const part = normaliseUsername(username);
  const alike = members.filter(
    (member) => member.username.includes(part) && member.status === (status ?? member.status),
  );
  if (!locked) return alike;
  const views = await Promise.all(alike.map((member) => viewWithLogins(open, member)));
  return alike.filter((_, index) => views[index]?.locked_until !== null);
}
