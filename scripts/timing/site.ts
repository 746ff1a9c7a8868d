// Owns a site for measurements of logins: a programme with members of its own, one with members behind
// a hook, and in each of them everybody that there is to be told apart.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readConfig } from '../../src/config/config.ts';
import type { Instant } from '../../src/lib/clock.ts';
import { mergeNodes, toPlain } from '../../src/lib/document.ts';
import { parseYaml, stringifyYaml } from '../../src/lib/yaml/yaml.ts';
import { hashPassword } from '../../src/members/password.ts';
import type { Client, ClientId, ProgrammeId } from '../../src/oauth/client.ts';
import type { Subject } from '../../src/oauth/member.ts';
import { openStore } from '../../src/server/open_store.ts';
import type { Keyring } from '../../src/token/keyring.ts';
import { clientId, clientSecret } from '../bench/plan.ts';
import type { ServedSite } from '../many_programmes/serving.ts';

/** Where members are: in Jetway's own store, or behind a hook. */
export const directories = ['store', 'hook'] as const;
export type Directory = (typeof directories)[number];

export const password = 'correct horse battery staple';
export const client = { id: clientId, secret: clientSecret };
export const disabledClient = 'partnerapi-12346';
export const strangeClient = 'partnerapi-12347';

/** The names of so many people of a kind; as long whoever it is. */
export function namesOf(kind: 'known' | 'other' | 'disabled' | 'locked', count: number): string[] {
  const prefix = kind.slice(0, 5);
  return Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(6, '0')}`);
}

/** The shipped programme without the limits that one address would run into here; the lockout stays. */
function programmeText(directory: Directory, hook: string | undefined, secretFile: string): string {
  const members =
    hook === undefined
      ? '{ directory: store }'
      : `{ directory: http, url: "${hook}", secret_file: ${secretFile} }`;
  return programmeOver(`base_path: /${directory}
programme_identifier: ${directory}
throttle: off
login: { address_limit: off, logo: null }
client: { authentication: { failure_limit: off } }
members: ${members}
`);
}

/** A shipped programme with YAML laid over it. */
export function programmeOver(over: string): string {
  const shipped = join(import.meta.dirname, '../../programmes/executive-club.yaml');
  const [base, laid] = [readFileSync(shipped, 'utf8'), over].map(
    (text) => parseYaml('site.yaml', text).root,
  );
  if (base === undefined || laid === undefined) throw new Error('the overlay is no YAML');
  return stringifyYaml(toPlain(mergeNodes(base, laid)));
}

interface SiteOptions {
  readonly members: number;
  readonly hook?: { readonly url: string; readonly secretFile: string };
  /** Listeners besides the main one. */
  readonly listeners?: readonly ('admin' | 'gateway')[];
}

/** Lays out the site below a folder; without a hook there is one programme. */
export async function layOut(
  folder: string,
  { members, hook, listeners = [] }: SiteOptions,
): Promise<ServedSite> {
  const programmesFolder = join(folder, 'programmes');
  mkdirSync(programmesFolder, { recursive: true });
  const served = directories.filter((directory) => directory === 'store' || hook !== undefined);
  for (const directory of served) {
    const url = directory === 'hook' ? hook?.url : undefined;
    const text = programmeText(directory, url, hook?.secretFile ?? '');
    writeFileSync(join(programmesFolder, `${directory}.yaml`), text);
  }
  const more = listeners.map((name) => `${name}: 127.0.0.1:0\n`).join('');
  const configFile = writeConfig(folder, 'config', `store: file:./jetway.db\n${more}`);
  await register(configFile, { programmes: served, owners: ['store'], members });
  return { configFile, programmes: served.map((one) => ({ tokenPath: `/${one}/api/grant` })) };
}

/** Writes a configuration of programmes in `programmes/`, for a server on a port that is free. */
export function writeConfig(folder: string, name: string, more: string): string {
  const path = join(folder, `${name}.yaml`);
  writeFileSync(
    path,
    `environment: staging
listen: 127.0.0.1:0
public_url: http://127.0.0.1
programmes: ./programmes
${more}`,
  );
  return path;
}

/** The partner's registration; one with another identifier is disabled. */
export function clientRecord(
  programme: ProgrammeId,
  keyring: Pick<Keyring, 'secretDigest'>,
  createdAt: Instant,
  id: string = client.id,
): Client {
  return {
    programme,
    id: id as ClientId,
    name: 'Partner',
    roles: ['member', 'partner'],
    redirectUris: ['https://partner.example/callback'],
    secrets: [{ digest: keyring.secretDigest(client.secret), createdAt }],
    apiKeys: [],
    properties: {},
    status: id === client.id ? 'active' : 'disabled',
    createdAt,
  };
}

const addedAtOnce = 500;

interface Registered {
  readonly programmes: readonly string[];
  /** Programmes that have members of their own. */
  readonly owners: readonly string[];
  readonly members: number;
}

/** Partners of each programme, and the embedded directory's members: one hash does for all. */
export async function register(
  configFile: string,
  { programmes, owners, members }: Registered,
): Promise<void> {
  const { store, keyring, clock } = await openStore(readConfig(configFile));
  const createdAt = clock.now();
  for (const programme of programmes as readonly ProgrammeId[]) {
    const records = [client.id, disabledClient].map((id) =>
      clientRecord(programme, keyring, createdAt, id),
    );
    await Promise.all(records.map((record) => store.add('client', [record])));
  }
  const passwordHash = await hashPassword(password);
  const people = (['known', 'disabled', 'locked'] as const).flatMap((kind) =>
    namesOf(kind, members).map((username) => ({ kind, username })),
  );
  const records = (owners as readonly ProgrammeId[]).flatMap((programme) =>
    people.map(({ kind, username }) => ({
      programme,
      username,
      subject: `subject-of-${username}` as Subject,
      passwordHash,
      status: kind === 'disabled' ? ('disabled' as const) : ('active' as const),
      createdAt,
    })),
  );
  for (let from = 0; from < records.length; from += addedAtOnce) {
    const some = records.slice(from, from + addedAtOnce);
    await Promise.all(some.map((record) => store.add('member', [record])));
  }
  await store.close();
}
