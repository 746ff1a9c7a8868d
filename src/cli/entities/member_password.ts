// Owns reading a member's password from standard input, and what is kept of it.

import { hashPassword } from '../../members/password.ts';
import { refuseUsage } from '../exit.ts';
import { warn } from '../output.ts';
import { readLine } from '../standard_input.ts';
import { passwordFaults } from './member_fields.ts';

/** NIST SP 800-63B 3.1.1.2: no edition has allowed fewer. */
const shortestGoodPassword = 8;

/** The hash of the password that is typed or piped in. */
export async function readPasswordHash(): Promise<string> {
  const password = await readLine('password');
  refuseUsage(passwordFaults('the password', password));
  const hash = await hashPassword(password);
  const length = Array.from(password.normalize('NFC')).length;
  if (length < shortestGoodPassword) {
    warn(
      `the password has ${length} characters; with fewer than ${shortestGoodPassword} it can be guessed`,
    );
  }
  return hash;
}
