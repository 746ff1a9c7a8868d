// Owns the member kind, and the verbs `member add` and `member unlock`.

import { dateOrNull, dateText } from '../../lib/duration.ts';
import { quote } from '../../lib/fault.ts';
import { randomKey } from '../../lib/random.ts';
import { normaliseUsername } from '../../members/username.ts';
import type { MemberRecord, Subject } from '../../oauth/member.ts';
import { type CommandError, failed, refuseUsage, wrongUsage } from '../../server/exit.ts';
import { type OpenStore } from '../../server/open_store.ts';
import { withStore } from '../open_store.ts';
import { printResult, warn } from '../output.ts';
import { configOf, compileNamed, selectProgrammes } from '../programmes.ts';
import type { Columns } from '../table.ts';
import { complaintsOf, givenIn, inputsOf } from './fields.ts';
import { type Kind, type NewItem, readNew, type Selection } from './kind.ts';
import {
  keepLoginsOption,
  memberFields,
  newPasswordOption,
  numberWarnings,
  usernameFault,
  warnOfDirectory,
} from './member_fields.ts';
import { memberNoun } from './nouns.ts';
import { readPasswordHash } from './secrets.ts';
import { jsonOf, shown, showFields } from './shown.ts';

export const memberKind: Kind<'member'> = {
  ...memberNoun,
  nameOf: ({ username }) => username,
  inWords: quote,
  find: async (store, programme, name) =>
    (await store.findBy('member', 'username', programme, normaliseUsername(name)))[0] ??
    (await store.find('member', programme, name as Subject)),
  show: async (open, member, verb) =>
    verb === undefined
      ? showMember(member)
      : [...showMember(member), ...showLogins(await loginsOf(open, member))],
  columns: {
    PROGRAMME: 'programme',
    USERNAME: 'username',
    SUBJECT: 'subject',
    LEVEL: 'level',
    MEMBERSHIP: 'membership_number',
    STATUS: 'status',
    FAILED: 'failed_logins',
    'LOCKED UNTIL': 'locked_until',
    CREATED: 'created_at',
  } satisfies Columns<ViewName>,
  matches: async (open, member, { username: part = '', locked }) =>
    member.username.includes(normaliseUsername(String(part))) &&
    (locked !== true || (await loginsOf(open, member)).lockedUntil !== undefined),
  removal: {
    loss: 'would be gone for good, with its password and all its tokens; member disable can be undone',
    done: 'removed with all its tokens',
    json: ['programme', 'username', 'subject'] satisfies readonly ViewName[],
  },
  fields: memberFields,
  alsoSets: {
    option: newPasswordOption,
    read: async () => ({ passwordHash: await readPasswordHash() }),
    keeping: keepLoginsOption,
    ended:
      'every code and token of its logins so far is revoked: it logs in anew, with the new password',
  },
  judgeChange: async ({ store, config }, member, options) => {
    const programme = compileNamed(config, member.programme);
    const { id } = programme;
    const given = givenIn(options, inputsOf(memberFields));
    refuseUsage(complaintsOf(memberFields, given, programme).map(({ message }) => message));
    const username = memberFields.username.read(given);
    const [holder] = username === '' ? [] : await store.findBy('member', 'username', id, username);
    if (holder !== undefined && holder.subject !== member.subject) {
      throw usernameTaken({ programme: id, username });
    }
    return ({ membershipNumber }) => numberWarnings(programme, membershipNumber);
  },
};

/** The failed logins and locks of a member now. */
function loginsOf(
  { store, keyring, clock }: OpenStore,
  { programme, username }: MemberRecord,
): ReturnType<typeof store.findAttempts> {
  return store.findAttempts(programme, keyring.accountDigest(username), clock.now());
}

type ViewName = ReturnType<typeof showMember | typeof showLogins>[number]['json'];

function showMember(member: MemberRecord) {
  const [username, ...rest] = showFields(memberFields, member);
  return [
    ...(username === undefined ? [] : [username]),
    shown('programme', 'programme', member.programme),
    shown('subject', 'subject', member.subject),
    ...rest,
    shown('created_at', 'created', dateText(member.createdAt)),
  ];
}

/** Counts wrong passwords from browsers in which the member has not logged in before. */
function showLogins({ failures, lockedUntil }: Awaited<ReturnType<typeof loginsOf>>) {
  const until = dateOrNull(lockedUntil);
  return [
    shown('failed_logins', 'failed logins', failures),
    { ...shown('locked_until', 'locked until', until), lines: [until ?? 'not locked'] },
  ];
}

function usernameTaken({
  programme,
  username,
}: Pick<MemberRecord, 'programme' | 'username'>): CommandError {
  return failed(`the username ${quote(username)} is taken in ${programme}`);
}

export async function addMember(options: NewItem): Promise<void> {
  const { config, programme, fields } = readNew(options, memberFields);
  const { id } = programme;
  const passwordHash = await readPasswordHash();
  const subject = randomKey(16) as Subject;
  const member = await withStore(config, async ({ store, clock }) => {
    const added = { programme: id, subject, ...fields, passwordHash, createdAt: clock.now() };
    const taken = await store.add('member', [added]);
    if (taken.length === 0) return added;
    throw usernameTaken(added);
  });
  numberWarnings(programme, fields.membershipNumber).forEach(warn);
  warnOfDirectory(programme);
  const text = `member ${quote(fields.username)} is added to ${id}; its subject is ${subject}`;
  return printResult(options, jsonOf(showMember(member)), text);
}

/**
 * The name need not be in the embedded directory: usernames of other directories, and names without
 * a member, are locked as well (HOSTILE 16).
 */
export async function unlockMember(name: string, options: Selection): Promise<void> {
  const username = normaliseUsername(name);
  const fault = usernameFault(username);
  if (fault !== undefined) throw wrongUsage(`the username ${fault}`);
  const config = configOf(options);
  const programmes = selectProgrammes(config, options.programme);
  const unlocked = await withStore(config, async ({ store, keyring, clock }) => {
    const account = keyring.accountDigest(username);
    const now = clock.now();
    const unlock = (one: (typeof programmes)[number]) =>
      store.settleAttempt(one, account, 'match', now);
    const answers = await Promise.all(programmes.map(unlock));
    return programmes.filter((_, index) => answers[index]);
  });
  const text =
    unlocked.length === 0
      ? `the username ${quote(username)} has no failed attempts to forget`
      : `the failed attempts of ${quote(username)} are forgotten in ${unlocked.join(', ')}`;
  return printResult(options, { username, unlocked }, text);
}
