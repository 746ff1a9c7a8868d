// Owns the members of the soak: each logs in with its browser, and its partner refreshes for a while,
// again and again.

import { setTimeout as sleep } from 'node:timers/promises';

import { authorization } from '../bench/plan.ts';
import { openPage } from '../timing/door.ts';
import { namesOf, password } from '../timing/site.ts';

export interface Members {
  readonly refreshes: () => number;
  /** Ends after the requests under way; resolves to what failed. */
  readonly stop: () => Promise<readonly string[]>;
}

/** Members who are there at the same time. */
const atOnce = 4;
const refreshesOfLogin = 50;
/** Milliseconds between requests of one member. */
const pause = 20;

const headers = {
  authorization,
  'content-type': 'application/x-www-form-urlencoded',
};

export function startMembers(port: number): Members {
  const own = `http://127.0.0.1:${port}`;
  const failures: string[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  let refreshes = 0;
  const tokens = async (fields: Readonly<Record<string, string>>): Promise<string> => {
    const body = new URLSearchParams(fields).toString();
    const answer = await fetch(`${own}/store/api/grant`, { method: 'POST', headers, body });
    const told = await answer.text();
    if (answer.status !== 200) throw new Error(`${fields['grant_type']}: ${answer.status} ${told}`);
    return (JSON.parse(told) as { readonly refresh_token: string }).refresh_token;
  };
  const visit = async (username: string): Promise<void> => {
    const code = await logIn(own, username);
    let token = await tokens({ grant_type: 'authorization_code', code });
    for (let round = 0; round < refreshesOfLogin && !signal.aborted; round += 1) {
      token = await tokens({ grant_type: 'refresh_token', refresh_token: token });
      refreshes += 1;
      await sleep(pause);
    }
  };
  const live = async (username: string): Promise<void> => {
    try {
      while (!signal.aborted) await visit(username);
    } catch (error) {
      failures.push(`${username}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const ended = Promise.all(namesOf('known', atOnce).map(live));
  return {
    refreshes: () => refreshes,
    stop: async () => {
      stopping.abort();
      await ended;
      return failures;
    },
  };
}

/** The code that a login at a programme brings. */
export async function logIn(own: string, username: string, programme = 'store'): Promise<string> {
  const { target, cookie, hidden } = await openPage(own, programme);
  const done = await fetch(own + target, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie },
    body: new URLSearchParams({ ...hidden, username, password }),
  });
  await done.text();
  const code = URL.parse(done.headers.get('location') ?? '')?.searchParams.get('code');
  if (code === null || code === undefined) throw new Error(`no code: ${done.status}`);
  return code;
}
