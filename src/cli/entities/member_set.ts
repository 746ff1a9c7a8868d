// Owns the verb `member set`: changes what is kept of a member, all of it or nothing.

import { quote } from '../../lib/fault.ts';
import { normaliseUsername } from '../../members/username.ts';
import type { MemberRecord } from '../../oauth/member.ts';
import { CommandError, exitCodes, refuseUsage } from '../exit.ts';
import { type OpenStore, withStore } from '../open_store.ts';
import { print, printJson, warn } from '../output.ts';
import { configOf, loadCompiled } from '../programmes.ts';
import { sheet } from '../table.ts';
import {
  levelFaults,
  membershipNumberFaults,
  numberWarnings,
  usernameFaults,
} from './member_fields.ts';
import { readPasswordHash } from './member_password.ts';
import { memberRows, viewMember } from './member_view.ts';
import { changeMember, selectMember, type Selection } from './select.ts';

/** As they were typed; false where `--no-…` was. */
export interface SetMemberOptions extends Selection {
  readonly username?: string;
  readonly passwordStdin?: boolean;
  readonly level?: string | false;
  readonly membershipNumber?: string | false;
}

/** `jetway member set USERNAME`: counts from the next login on, in running servers too. */
export async function setMember(name: string, options: SetMemberOptions): Promise<void> {
  refuseUsage(optionFaults(options));
  const config = configOf(options);
  const passwordHash = options.passwordStdin === true ? await readPasswordHash() : undefined;
  const { member, warnings } = await withStore(config, async (open) => {
    const found = await selectMember(config, open, name, options);
    const { programme } = loadCompiled(config, found.programme);
    refuseUsage(levelFaults('--level', programme, given(options.level)));
    await expectFreeName(open, found, options);
    const changing = (before: MemberRecord): MemberRecord => changed(before, options, passwordHash);
    const after = await changeMember(open.store, found, changing);
    return { member: after, warnings: numberWarnings(programme, after.membershipNumber) };
  });
  warnings.forEach(warn);
  if (options.json === true) return printJson(viewMember(member));
  return print(sheet(memberRows(viewMember(member))));
}

function optionFaults(options: SetMemberOptions): readonly string[] {
  const { username, passwordStdin, level, membershipNumber } = options;
  const isChange = [username, passwordStdin, level, membershipNumber].some(
    (value) => value !== undefined,
  );
  return [
    ...(isChange ? [] : ['nothing is to be changed: jetway help member set lists what can']),
    ...(username === undefined ? [] : usernameFaults('--username', normaliseUsername(username))),
    ...membershipNumberFaults('--membership-number', given(membershipNumber)),
  ];
}

async function expectFreeName(
  { store }: OpenStore,
  { programme, subject }: MemberRecord,
  options: SetMemberOptions,
): Promise<void> {
  if (options.username === undefined) return;
  const username = normaliseUsername(options.username);
  const holder = await store.findMember(programme, username);
  if (holder === undefined || holder.subject === subject) return;
  const message = `the username ${quote(username)} is taken in ${programme}`;
  throw new CommandError(exitCodes.failed, message);
}

function changed(
  before: MemberRecord,
  options: SetMemberOptions,
  passwordHash: string | undefined,
): MemberRecord {
  const { level: _level, membershipNumber: _number, ...rest } = before;
  const level = given(options.level ?? before.level);
  const membershipNumber = given(options.membershipNumber ?? before.membershipNumber);
  return {
    ...rest,
    ...(options.username === undefined ? {} : { username: normaliseUsername(options.username) }),
    ...(passwordHash === undefined ? {} : { passwordHash }),
    ...(level === undefined ? {} : { level }),
    ...(membershipNumber === undefined ? {} : { membershipNumber }),
  };
}

function given(value: string | false | undefined): string | undefined {
  return value === false ? undefined : value;
}
