// Owns the verbs `member add` and `member unlock`.

import { quote } from '../../lib/fault.ts';
import { randomKey } from '../../lib/random.ts';
import { normaliseUsername } from '../../members/username.ts';
import type { Subject } from '../../oauth/member.ts';
import { refuseUsage } from '../exit.ts';
import { withStore } from '../open_store.ts';
import { print, printJson, warn } from '../output.ts';
import { configOf, selectProgrammes } from '../programmes.ts';
import type { Selection } from './kind.ts';
import { memberFields, numberWarnings, usernameFault, warnOfDirectory } from './member_fields.ts';
import { showMember, usernameTaken } from './member_kind.ts';
import { type NewItem, readNew } from './new_item.ts';
import { readPasswordHash } from './secrets.ts';
import { jsonOf } from './shown.ts';

export async function addMember(options: NewItem): Promise<void> {
  const { config, loaded, programme, fields } = readNew(options, memberFields);
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
  warnOfDirectory(loaded.definition);
  if (options.json === true) return printJson(jsonOf(showMember(member)));
  return print(`member ${quote(fields.username)} is added to ${id}; its subject is ${subject}`);
}

/**
 * The name need not be in the embedded directory: usernames of other directories, and names without
 * a member, are locked as well (HOSTILE 16).
 */
export async function unlockMember(name: string, options: Selection): Promise<void> {
  const username = normaliseUsername(name);
  const fault = usernameFault(username);
  refuseUsage(fault === undefined ? [] : [`the username ${fault}`]);
  const config = configOf(options);
  const programmes = selectProgrammes(config, options.programme);
  const unlocked = await withStore(config, async ({ store, keyring }) => {
    const account = keyring.accountDigest(username);
    const answers = await Promise.all(programmes.map((one) => store.unlock(one, account)));
    return programmes.filter((_, index) => answers[index]);
  });
  if (options.json === true) return printJson({ username, unlocked });
  return print(
    unlocked.length === 0
      ? `the username ${quote(username)} has no failed attempts to forget`
      : `the failed attempts of ${quote(username)} are forgotten in ${unlocked.join(', ')}`,
  );
}
