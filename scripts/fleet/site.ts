// Owns what the nodes of a fleet serve: two programmes that differ in their grace period, one with a
// throttle, their clients and members, and each node's configuration.

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ServedSite } from '../load/server.ts';
import { layOut, openClub, writeConfig } from '../load/site.ts';

/** With `graced` the last refresh token is answered again for a while, with `strict` never. */
export type Programme = 'graced' | 'strict' | 'throttled';

/** Token requests of a client in the window of `throttled`. */
export const throttleLimit = 60;

function programmeText(name: Programme): string {
  const throttle = name === 'throttled' ? `{ limit: ${throttleLimit}, window: 1m }` : 'off';
  return openClub(
    name,
    `throttle: ${throttle}
login: { lockout: off }
code: { lifetime: 10m }
tokens: { refresh: { grace: ${name === 'strict' ? '0s' : '10s'} } }
introspection: { path: /introspect }
revocation: { path: /revoke }
`,
  );
}

/** Lays the site out, with so many members; a site for each of the stores' URLs, one a node. */
export async function layOutFleet(
  folder: string,
  { urls, members }: { readonly urls: readonly string[]; readonly members: number },
): Promise<readonly ServedSite[]> {
  const key = randomBytes(32).toString('base64url');
  writeFileSync(join(folder, 'master.key'), `${key}\n`, { mode: 0o600 });
  const configs = urls.map(
    (url) => `admin: 127.0.0.1:0\nmaster_key_file: ./master.key\nstore: ${url}\n`,
  );
  const { readyPath } = await layOut(folder, {
    programmes: {
      graced: programmeText('graced'),
      strict: programmeText('strict'),
      throttled: programmeText('throttled'),
    },
    config: configs[0] ?? '',
    owners: ['graced', 'strict'],
    members,
  });
  return configs.map((config, index) => {
    return { configFile: writeConfig(folder, `node-${index}`, config), readyPath };
  });
}
