// Owns the verb `member unlock`: ends the lock that too many wrong passwords have brought about.

import { quote } from '../../lib/fault.ts';
import { normaliseUsername } from '../../members/username.ts';
import { refuseUsage } from '../exit.ts';
import { withStore } from '../open_store.ts';
import { print, printJson } from '../output.ts';
import { configOf, selectProgrammes } from '../programmes.ts';
import { usernameFaults } from './member_fields.ts';
import type { Selection } from './select.ts';

/**
 * `jetway member unlock USERNAME`. The name need not be one of the embedded directory: names of
 * other directories are locked as well, and so are names that nobody has (HOSTILE 16).
 */
export async function unlockMember(name: string, options: Selection): Promise<void> {
  const username = normaliseUsername(name);
  refuseUsage(usernameFaults('the username', username));
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
