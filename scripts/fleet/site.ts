// Owns what the nodes of a fleet serve: two programmes that differ in their grace period, one with a
// throttle, their clients and members, and each node's configuration.

import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ServedSite } from '../many_programmes/serving.ts';
import { programmeOver, register, writeConfig } from '../timing/site.ts';

/** With `graced` the last refresh token is answered again for a while, with `strict` never. */
export const programmes = ['graced', 'strict', 'throttled'] as const;
export type Programme = (typeof programmes)[number];

/** Token requests of a client in the window of `throttled`. */
export const throttleLimit = 60;

function programmeText(name: Programme): string {
  const throttle = name === 'throttled' ? `{ limit: ${throttleLimit}, window: 1m }` : 'off';
  return programmeOver(`base_path: /${name}
programme_identifier: ${name}
throttle: ${throttle}
login: { address_limit: off, logo: null, lockout: off }
code: { lifetime: 10m }
client: { authentication: { failure_limit: off } }
tokens: { refresh: { grace: ${name === 'strict' ? '0s' : '10s'} } }
introspection: { path: /introspect }
revocation: { path: /revoke }
members: { directory: store }
`);
}

/** Lays the site out, with so many members; a site for each of the stores' URLs, one a node. */
export async function layOutFleet(
  folder: string,
  { urls, members }: { readonly urls: readonly string[]; readonly members: number },
): Promise<readonly ServedSite[]> {
  mkdirSync(join(folder, 'programmes'));
  for (const name of programmes) {
    writeFileSync(join(folder, 'programmes', `${name}.yaml`), programmeText(name));
  }
  const key = randomBytes(32).toString('base64url');
  writeFileSync(join(folder, 'master.key'), `${key}\n`, { mode: 0o600 });
  const sites = urls.map((url, index) => {
    const more = `admin: 127.0.0.1:0\nmaster_key_file: ./master.key\nstore: ${url}\n`;
    return {
      configFile: writeConfig(folder, `node-${index}`, more),
      programmes: programmes.map((one) => ({ tokenPath: `/${one}/api/grant` })),
    };
  });
  const [first] = sites;
  if (first !== undefined) {
    await register(first.configFile, { programmes, owners: ['graced', 'strict'], members });
  }
  return sites;
}
