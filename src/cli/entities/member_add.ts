// Owns the verb `member add`.

import { quote } from '../../lib/fault.ts';
import { randomKey } from '../../lib/random.ts';
import { normaliseUsername } from '../../members/username.ts';
import type { MemberRecord, Subject } from '../../oauth/member.ts';
import { CommandError, exitCodes, refuseUsage } from '../exit.ts';
import { expectDurableStore, withStore } from '../open_store.ts';
import { type OutputOptions, print, printJson, warn } from '../output.ts';
import { configOf, loadCompiled } from '../programmes.ts';
import {
  levelFaults,
  membershipNumberFaults,
  numberWarnings,
  usernameFaults,
  warnOfDirectory,
} from './member_fields.ts';
import { readPasswordHash } from './member_password.ts';
import { viewMember } from './member_view.ts';

export interface AddMemberOptions extends OutputOptions {
  readonly config: string;
  readonly programme: string;
  readonly username: string;
  readonly level?: string;
  readonly membershipNumber?: string;
}

/** `jetway member add`. */
export async function addMember(options: AddMemberOptions): Promise<void> {
  const config = configOf(options);
  const { loaded, programme } = loadCompiled(config, options.programme);
  const username = normaliseUsername(options.username);
  refuseUsage([
    ...usernameFaults('--username', username),
    ...levelFaults('--level', programme, options.level),
    ...membershipNumberFaults('--membership-number', options.membershipNumber),
  ]);
  expectDurableStore(config);
  const passwordHash = await readPasswordHash();
  const { level, membershipNumber } = options;
  const added = await withStore(config, async ({ store, clock }) => {
    const member: MemberRecord = {
      programme: programme.id,
      subject: randomKey(16) as Subject,
      username,
      passwordHash,
      ...(level === undefined ? {} : { level }),
      ...(membershipNumber === undefined ? {} : { membershipNumber }),
      status: 'active',
      createdAt: clock.now(),
    };
    return (await store.addMember(member)) === 'added' ? member : undefined;
  });
  if (added === undefined) {
    const message = `the username ${quote(username)} is taken in ${programme.id}`;
    throw new CommandError(exitCodes.failed, message);
  }
  numberWarnings(programme, membershipNumber).forEach(warn);
  warnOfDirectory(loaded.definition);
  if (options.json === true) return printJson(viewMember(added));
  return print(
    `member ${quote(username)} is added to ${programme.id}; its subject is ${added.subject}`,
  );
}
