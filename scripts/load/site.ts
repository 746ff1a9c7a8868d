// Owns the site of a campaign: programme files, configurations, and a store with partners and members.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readConfig } from '../../src/config/config.ts';
import { mergeNodes, toPlain } from '../../src/lib/document.ts';
import { parseYaml, stringifyYaml } from '../../src/lib/yaml/yaml.ts';
import { hashPassword } from '../../src/members/password.ts';
import type { Client, ClientId, ProgrammeId } from '../../src/oauth/client.ts';
import type { MemberRecord, Subject } from '../../src/oauth/member.ts';
import { openStore } from '../../src/server/open_store.ts';
import { namesOf, password } from './login.ts';
import { client } from './requests.ts';
import type { ServedSite } from './server.ts';

export const shippedFolder: string = join(import.meta.dirname, '../../programmes');

export const disabledClient = 'partnerapi-12346';

/** The shipped club under a name and path of its own, without the limits that one address runs into. */
export function openClub(name: string, more = ''): string {
  const over = `base_path: /${name}
programme_identifier: ${name}
throttle: off
login: { address_limit: off, logo: null }
client: { authentication: { failure_limit: off } }
`;
  return [over, more].reduce(
    laidOver,
    readFileSync(join(shippedFolder, 'executive-club.yaml'), 'utf8'),
  );
}

/** A programme's text with YAML laid over it. */
function laidOver(text: string, over: string): string {
  const [base, laid] = [text, over].map((one) => parseYaml('site.yaml', one).root);
  if (base === undefined) throw new Error('the programme is no YAML');
  return laid === undefined ? text : stringifyYaml(toPlain(mergeNodes(base, laid)));
}

export interface SiteOptions {
  /** The files of programmes by their names. */
  readonly programmes: Readonly<Record<string, string>>;
  /** What the configuration says besides; a file store if left out. */
  readonly config?: string;
  /** Programmes with the partner; all of them if left out. */
  readonly registered?: readonly string[];
  /** Programmes that have members of their own, and how many of each kind. */
  readonly owners?: readonly string[];
  readonly members?: number;
}

/** The store is a file, and every listener is on a port that is free. */
const listeningEverywhere = `store: file:./jetway.db
admin: 127.0.0.1:0
gateway: 127.0.0.1:0
`;

/** Lays out the site below a folder. */
export async function layOut(folder: string, options: SiteOptions): Promise<ServedSite> {
  const { programmes, config = listeningEverywhere } = options;
  mkdirSync(join(folder, 'programmes'), { recursive: true });
  // The logos that the files name.
  const isNoProgramme = (path: string): boolean => !path.endsWith('.yaml');
  cpSync(shippedFolder, join(folder, 'programmes'), { recursive: true, filter: isNoProgramme });
  for (const [name, text] of Object.entries(programmes)) {
    writeFileSync(join(folder, 'programmes', `${name}.yaml`), text);
  }
  const configFile = writeConfig(folder, 'config', config);
  await register(configFile, options);
  return { configFile, readyPath: `/${Object.keys(programmes).at(-1)}/api/grant` };
}

/** Writes a configuration of programmes in `programmes/`, for a server on a port that is free. */
export function writeConfig(folder: string, name: string, more: string): string {
  const path = join(folder, `${name}.yaml`);
  const usual = `environment: staging
listen: 127.0.0.1:0
public_url: http://127.0.0.1
programmes: ./programmes
`;
  writeFileSync(path, usual + more);
  return path;
}

const addedAtOnce = 500;

/** Partners of each programme, one of them disabled, and members: one hash does for all. */
async function register(
  configFile: string,
  { programmes, registered, owners = [], members = 0 }: SiteOptions,
): Promise<void> {
  const { store, keyring, clock } = await openStore(readConfig(configFile));
  const createdAt = clock.now();
  const secrets = [{ digest: keyring.secretDigest(client.secret), createdAt }];
  const clients = (registered ?? Object.keys(programmes)).flatMap((programme) =>
    [client.id, disabledClient].map((id): Client => ({
      programme: programme as ProgrammeId,
      id: id as ClientId,
      name: 'Partner',
      roles: ['member', 'partner'],
      redirectUris: [client.redirectUri],
      secrets,
      apiKeys: [],
      properties: {},
      status: id === client.id ? 'active' : 'disabled',
      createdAt,
    })),
  );
  for (const one of clients) await store.add('client', [one]);
  const passwordHash = await hashPassword(password);
  const people = (['known', 'disabled', 'locked'] as const).flatMap((kind) =>
    namesOf(kind, members).map((username) => ({ kind, username })),
  );
  const records = owners.flatMap((programme) =>
    people.map(({ kind, username }): MemberRecord => ({
      programme: programme as ProgrammeId,
      username,
      subject: `subject-of-${username}` as Subject,
      passwordHash,
      status: kind === 'disabled' ? 'disabled' : 'active',
      createdAt,
    })),
  );
  for (let from = 0; from < records.length; from += addedAtOnce) {
    await store.add('member', records.slice(from, from + addedAtOnce));
  }
  await store.close();
}
