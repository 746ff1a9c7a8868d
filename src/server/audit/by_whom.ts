// Owns telling who runs this process: the user of the system, and the user that became it.

import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';

import * as v from 'valibot';

/** Who runs a command or a server. */
export interface Who {
  readonly user: string | undefined;
  readonly sudo_user: string | undefined;
  readonly uid: number | undefined;
  /** Whoever logged in to the machine, whatever user it became since. */
  readonly login_uid: number | undefined;
  readonly host: string;
  readonly pid: number;
}

const name = v.optional(v.pipe(v.string(), v.maxLength(255)));
const number = v.optional(v.pipe(v.number(), v.safeInteger()));
const whoSchema = v.object({
  user: name,
  sudo_user: name,
  uid: number,
  login_uid: number,
  host: name,
  pid: number,
});

/**
 * Who a command says that runs it. The audit stream signs it: nothing else that was sent gets there.
 * @throws Error where the text is none of `byWhom` in JSON
 */
export function readWho(text: string): Partial<Who> {
  return v.parse(whoSchema, JSON.parse(text)) as Partial<Who>;
}

export function byWhom(): Who {
  return {
    user: userName(),
    sudo_user: process.env['SUDO_USER'],
    uid: process.getuid?.(),
    login_uid: loginUid(),
    host: hostname(),
    pid: process.pid,
  };
}

/** A user without an entry in the system's list has a number alone, as in many containers. */
function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/** Linux's number for a process that nobody's login has started. */
const noLogin = 4_294_967_295;

function loginUid(): number | undefined {
  try {
    const uid = Number(readFileSync('/proc/self/loginuid', 'utf8'));
    return uid === noLogin ? undefined : uid;
  } catch {
    return undefined;
  }
}
