// Owns the verbs `member disable` and `member enable`.

import { quote } from '../../lib/fault.ts';
import type { MemberRecord } from '../../oauth/member.ts';
import { withStore } from '../open_store.ts';
import { print, printJson } from '../output.ts';
import { configOf } from '../programmes.ts';
import { viewMember } from './member_view.ts';
import { changeMember, selectMember, type Selection } from './select.ts';

/**
 * `jetway member disable USERNAME`: it cannot log in any more, its access tokens are refused while it
 * is disabled, and its refresh tokens die at their next use (G-23), in running servers too.
 */
export function disableMember(name: string, options: Selection): Promise<void> {
  return setStatus(name, 'disabled', options);
}

/** `jetway member enable USERNAME`. */
export function enableMember(name: string, options: Selection): Promise<void> {
  return setStatus(name, 'active', options);
}

/** A member that has the status already is left as it is, and that is no failure. */
async function setStatus(
  name: string,
  status: MemberRecord['status'],
  options: Selection,
): Promise<void> {
  const config = configOf(options);
  const { before, after } = await withStore(config, async (open) => {
    const found = await selectMember(config, open, name, options);
    const changed = await changeMember(open.store, found, (member) => ({ ...member, status }));
    return { before: found, after: changed };
  });
  if (options.json === true) return printJson(viewMember(after));
  const already = before.status === status ? ' already' : '';
  return print(
    `member ${quote(after.username)} of ${after.programme} is ${after.status}${already}`,
  );
}
