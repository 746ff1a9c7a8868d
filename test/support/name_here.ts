// Owns the machine's name for itself, which some machines do not have, and where it leads.

import { lookup } from 'node:dns/promises';

/** What `localhost` leads to, 127.0.0.1 or ::1; undefined where no /etc/hosts has it. */
const found: string | undefined = await lookup('localhost').then(
  ({ address }) => address,
  () => undefined,
);

/** `localhost`, or its address where the machine has no name for itself. */
export const nameHere: string = found === undefined ? '127.0.0.1' : 'localhost';

/** Where that leads. */
export const addressHere: string = found ?? '127.0.0.1';
