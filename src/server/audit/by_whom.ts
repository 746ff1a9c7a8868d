// Owns telling who runs this process: the user of the system, and the user that became it.

import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';

import type { Facts } from '../../audit/event.ts';

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

const kinds: Readonly<Record<keyof Who, 'string' | 'number'>> = {
  user: 'string',
  sudo_user: 'string',
  uid: 'number',
  login_uid: 'number',
  host: 'string',
  pid: 'number',
};
/** More characters than a name of a user or a host has. */
const mostCharacters = 255;

/**
 * Who runs a command, as the command says. The audit stream signs it: nothing else that was sent gets there.
 * @param text `byWhom` in JSON
 * @throws Error where a value is of another kind or longer than any
 */
export function readWho(text: string): Facts {
  const told = Object(JSON.parse(text)) as Facts;
  const entries = Object.entries(kinds).map(([key, kind]) => {
    const value = told[key];
    if (value === undefined) return [];
    const isLong = typeof value === 'string' && value.length > mostCharacters;
    if (typeof value !== kind || isLong) throw new Error(`${key} is no ${kind}, or too long`);
    return [[key, value] as const];
  });
  return Object.fromEntries(entries.flat());
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
