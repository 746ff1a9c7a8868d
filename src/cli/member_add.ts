// Owns the verb `member add`.

import { quote } from '../lib/fault.ts';
import { randomKey } from '../lib/random.ts';
import { hashPassword, longestPassword } from '../members/password.ts';
import { longestUsername, normaliseUsername } from '../members/username.ts';
import type { MemberRecord, Subject } from '../oauth/member.ts';
import { compileProgramme } from '../programme/compile.ts';
import type { Programme } from '../programme/programme.ts';
import { CommandError, exitCodes, refuseUsage } from './exit.ts';
import { viewMember } from './member_view.ts';
import { type OutputOptions, print, printJson, warn } from './output.ts';
import { readLine } from './standard_input.ts';
import { configOf, expectDurableStore, loadNamed, withStore } from './workplace.ts';

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
  const { id, definition } = loadNamed(config, options.programme);
  const programme = compileProgramme(id, definition, config.publicUrl);
  const username = normaliseUsername(options.username);
  refuseUsage([
    ...usernameFaults(username),
    ...levelFaults(programme, options.level),
    ...numberFaults(options.membershipNumber),
  ]);
  expectDurableStore(config);
  const passwordHash = await hashPassword(await readPassword());
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
  warnOfNumber(membershipNumber);
  if (options.json === true) return printJson(viewMember(added));
  return print(
    `member ${quote(username)} is added to ${programme.id}; its subject is ${added.subject}`,
  );
}

/** Judged as it is kept: what is typed loses its invisible characters first. */
function usernameFaults(username: string): readonly string[] {
  if (username === '') return ['--username is empty'];
  if (username.length > longestUsername) {
    return [`--username is longer than ${longestUsername} characters`];
  }
  return /\p{C}/u.test(username) ? ['--username holds characters that cannot be seen'] : [];
}

function levelFaults({ id, scope }: Programme, level: string | undefined): readonly string[] {
  if (level === undefined || scope.levels.includes(level)) return [];
  return scope.levels.length === 0
    ? [`--level: members of ${id} have no levels`]
    : [`--level ${quote(level)} is none of ${id}: expected one of ${scope.levels.join(', ')}`];
}

function numberFaults(number: string | undefined): readonly string[] {
  return number === undefined || /^\d{1,24}$/.test(number)
    ? []
    : [`--membership-number must be digits, at most 24, not ${quote(number)}`];
}

/** P-7 has 16 to 24 digits; programmes whose answers do not carry it may have shorter ones. */
function warnOfNumber(number: string | undefined): void {
  if (number === undefined || number.length >= 16) return;
  warn(`the membership number has ${number.length} digits; partners expect 16 to 24`);
}

async function readPassword(): Promise<string> {
  const password = await readLine('password');
  if (password.length > longestPassword) {
    refuseUsage([`the password is longer than ${longestPassword} characters`]);
  }
  return password;
}
