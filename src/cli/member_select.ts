// Owns finding the one member that a command names, and changing it.

import type { Config } from '../config/config.ts';
import { quote } from '../lib/fault.ts';
import { normaliseUsername } from '../members/username.ts';
import type { MemberRecord, Subject } from '../oauth/member.ts';
import { CommandError, exitCodes } from './exit.ts';
import type { OutputOptions } from './output.ts';
import { type OpenStore, selectProgrammes } from './workplace.ts';

/** Options of a verb about one member. */
export interface MemberOptions extends OutputOptions {
  readonly config: string;
  /** The programme; without it, the one programme that has such a member. */
  readonly programme?: string;
}

/** The member of that username or, failing that, of that subject. */
export async function selectMember(
  config: Config,
  { store }: OpenStore,
  name: string,
  { programme }: MemberOptions,
): Promise<MemberRecord> {
  const username = normaliseUsername(name);
  const found = await Promise.all(
    selectProgrammes(config, programme).map(
      async (one) =>
        (await store.findMember(one, username)) ??
        (await store.findMemberBySubject(one, name as Subject)),
    ),
  );
  const members = found.filter((member) => member !== undefined);
  const [member, another] = members;
  if (member === undefined) {
    const where = programme === undefined ? '' : ` in ${programme}`;
    throw new CommandError(exitCodes.failed, `there is no member ${quote(name)}${where}`);
  }
  if (another === undefined) return member;
  throw new CommandError(
    exitCodes.usage,
    `several programmes have a member ${quote(name)}: add --programme and one of ${members.map((one) => one.programme).join(', ')}`,
  );
}

/** The member as it is after the change, unless somebody removed it just now. */
export async function changeMember(
  { store }: OpenStore,
  { programme, subject, username }: MemberRecord,
  change: (member: MemberRecord) => MemberRecord,
): Promise<MemberRecord> {
  const changed = await store.changeMember(programme, subject, change);
  if (changed !== undefined) return changed;
  throw new CommandError(exitCodes.failed, `the member ${quote(username)} of ${programme} is gone`);
}
