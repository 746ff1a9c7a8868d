// Owns reading a member's password from standard input, and what is kept of it.

import { hashPassword } from '../members/password.ts';
import { refuseUsage } from './exit.ts';
import { passwordFaults } from './member_fields.ts';
import { readLine } from './standard_input.ts';

/** The hash of the password that is typed or piped in. */
export async function readPasswordHash(): Promise<string> {
  const password = await readLine('password');
  refuseUsage(passwordFaults('the password', password));
  return hashPassword(password);
}
