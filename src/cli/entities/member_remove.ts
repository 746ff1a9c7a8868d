// Owns the verb `member remove`: a member goes, with all tokens of its logins.

import { quote } from '../../lib/fault.ts';
import { expectYes } from '../exit.ts';
import { withStore } from '../open_store.ts';
import { print, printJson } from '../output.ts';
import { configOf } from '../programmes.ts';
import { removedMeanwhile, selectMember, type Selection } from './select.ts';

export interface RemoveMemberOptions extends Selection {
  readonly yes?: boolean;
}

/** `jetway member remove USERNAME --yes`. */
export async function removeMember(name: string, options: RemoveMemberOptions): Promise<void> {
  expectYes(
    options,
    `member ${quote(name)} would be gone for good, with its password and all its tokens; member disable can be undone`,
  );
  const config = configOf(options);
  const { member, gone } = await withStore(config, async (open) => {
    const found = await selectMember(config, open, name, options);
    const removed = await open.store.removeMember(found.programme, found.subject);
    return { member: found, gone: removed };
  });
  const { programme, username, subject } = member;
  if (!gone) throw removedMeanwhile('member', username);
  if (options.json === true) return printJson({ programme, username, subject, removed: true });
  return print(`member ${quote(username)} of ${programme} is removed with all its tokens`);
}
