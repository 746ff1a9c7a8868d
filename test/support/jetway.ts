// Owns a real server for tests: programmes from YAML, a store, a set clock, a listening socket.

import { readdirSync, readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';

import { openService } from '../../src/engine/open_service.ts';
import type { Service } from '../../src/engine/service.ts';
import { createApp } from '../../src/http/app.ts';
import { createLoginSite } from '../../src/http/login_handlers.ts';
import { listen, type TimeLimits } from '../../src/http/server.ts';
import type { CallLimits } from '../../src/lib/calls/exchange.ts';
import { toPlain } from '../../src/lib/document.ts';
import { formatFault } from '../../src/lib/fault.ts';
import { networkTest } from '../../src/lib/ip_address.ts';
import { present } from '../../src/lib/present.ts';
import { readFileInside } from '../../src/lib/read_file.ts';
import { parseYaml, stringifyYaml, type YamlNode } from '../../src/lib/yaml/yaml.ts';
import type { HookCredentials } from '../../src/members/hook.ts';
import { hashRandomPassword } from '../../src/members/password.ts';
import type { Client, ClientId, ProgrammeId, Role } from '../../src/oauth/client.ts';
import type { Subject } from '../../src/oauth/member.ts';
import type { RequestRecord } from '../../src/oauth/request_record.ts';
import { deploy } from '../../src/programme/deployment.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme, withLogos } from '../../src/rules/load.ts';
import type { Environment, Store } from '../../src/store/contract.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { createKeyring, type Keyring } from '../../src/token/keyring.ts';
import { type TestClock, testClock } from './clock.ts';
import { patientLimits } from './hook.ts';

/** Not where the server listens: whatever names it must have taken it from the configuration. */
export const publicUrl = 'https://tokens.example';

export interface Jetway {
  /** Where it listens. */
  readonly url: string;
  readonly store: Store;
  readonly clock: TestClock;
  readonly keyring: Keyring;
  readonly services: ReadonlyMap<string, Service>;
  /** Events that operators were told of. */
  readonly events: { readonly event: string; readonly facts: Readonly<Record<string, string>> }[];
  /** Of each answered request. */
  readonly records: RequestRecord[];
  readonly addClient: (client?: ClientOptions) => Promise<TestClient>;
  readonly addMember: (member?: MemberOptions) => Promise<TestMember>;
  /** Follows changes of signing keys, as a running server does within a second. */
  readonly reloadKeys: () => Promise<void>;
  /** Ends the server and closes its store before the test ends, as for a restart. */
  readonly stop: () => Promise<void>;
}

export interface ClientOptions {
  readonly programme?: string;
  readonly id?: string;
  readonly secret?: string;
  readonly roles?: readonly Role[];
  readonly redirectUris?: readonly string[];
  readonly more?: Partial<Client>;
}

export interface TestClient {
  readonly id: string;
  readonly secret: string;
  readonly redirectUri: string;
  /** Value of an Authorization header. */
  readonly basic: string;
}

export interface MemberOptions {
  readonly properties?: Readonly<Record<string, string>>;
  readonly programme?: string;
  readonly username?: string;
  readonly subject?: string;
  readonly password?: string;
  readonly level?: string;
  readonly membershipNumber?: string;
}

export interface TestMember {
  readonly username: string;
  readonly password: string;
  readonly subject: string;
}

export interface JetwayOptions {
  /** Programmes by name: YAML text laid over the shipped file of that name, or a whole file. */
  readonly programmes?: Readonly<Record<string, string>>;
  readonly store?: Store;
  readonly environment?: Environment;
  readonly clock?: TestClock;
  readonly masterKey?: Uint8Array;
  /** What the configuration calls the service; `listening` is the address it listens on. */
  readonly publicUrl?: string;
  readonly trustedProxies?: readonly string[];
  /** Pictures beside the shipped ones that programmes may name. */
  readonly logos?: Readonly<Record<string, Uint8Array>>;
  /** What member directories behind a hook want to see, of every programme. */
  readonly credentials?: HookCredentials;
  /** How long those directories are waited for; on a slow machine the usual is too short for a test. */
  readonly hookLimits?: CallLimits;
  /** Where clients may publish their keys besides public addresses, and who vouches for them there. */
  readonly jwksNetworks?: readonly string[];
  readonly authorities?: string;
  /** How long connections may take; as in earnest unless said otherwise. */
  readonly timeLimits?: TimeLimits;
}

/** The text of a shipped programme file with YAML laid over it. */
export function shippedProgramme(name: string, ...over: readonly string[]): string {
  return withYaml(readFileSync(`programmes/${name}.yaml`, 'utf8'), ...over);
}

/** YAML texts laid one over another; a null removes what is there. */
export function withYaml(...texts: readonly string[]): string {
  const laid = texts.filter(Boolean).map((text) => toPlain(parse(text)));
  return stringifyYaml(laid.reduce(laidOver));
}

/** What shipped files name, by path from the folder that `programmes/` is in. */
export function shippedLogos(): Readonly<Record<string, string>> {
  const names = readdirSync('programmes').filter((name) => name.endsWith('.svg'));
  return Object.fromEntries(
    names.map((name) => [`programmes/${name}`, readFileSync(`programmes/${name}`, 'utf8')]),
  );
}

/** Maps merge, everything else replaces. A null stays: what it removes may be the variant's. */
function laidOver(base: unknown, over: unknown): unknown {
  if (!isMap(base) || !isMap(over)) return over;
  const merged = Object.entries(over).map(([key, value]) => [key, laidOver(base[key], value)]);
  return Object.assign({}, base, Object.fromEntries(merged));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): YamlNode {
  const { root, faults } = parseYaml('test.yaml', text);
  if (root === undefined || faults.length > 0) throw new Error(faults.map(formatFault).join('\n'));
  return root;
}

/** Starts a server with the executive club unless told otherwise; it ends with the test. */
export async function startJetway(t: TestContext, options: JetwayOptions = {}): Promise<Jetway> {
  const clock = options.clock ?? testClock();
  const store = options.store ?? openMemoryStore();
  const keyring = createKeyring(options.masterKey ?? new Uint8Array(32).fill(7));
  const events: Jetway['events'] = [];
  const log = {
    error: (event: string, facts: Readonly<Record<string, string>>): void => {
      events.push({ event, facts });
    },
  };
  const records: RequestRecord[] = [];
  const observer = { answered: (record: RequestRecord): unknown => records.push(record) };
  const { timeLimits } = options;
  const listening = present({ timeLimits, observer });
  const server = await listen({ host: '127.0.0.1', port: 0 }, undefined, listening);
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= server.close().then(() => store.close()));
  t.after(stop);
  const ownUrl = options.publicUrl === 'listening' ? server.url : options.publicUrl;
  const sources = options.programmes ?? { 'executive-club': shippedProgramme('executive-club') };
  const programmes = Object.entries(sources).map(([id, text]) => {
    const { loaded, faults } = withLogos(
      loadProgramme(`${id}.yaml`, text),
      (name, maxBytes) => options.logos?.[name] ?? readShipped(name, maxBytes),
    );
    if (loaded === undefined) throw new Error(faults.map(formatFault).join('\n'));
    return compileProgramme(loaded.id, loaded.definition, ownUrl ?? publicUrl, loaded.logos);
  });
  const { deployment, mounted, conflicts } = deploy(programmes);
  if (conflicts.length > 0) throw new Error(`conflict at ${conflicts[0]?.path}`);
  const services = new Map(
    await Promise.all(
      mounted.map(async (programme) => {
        const { environment = 'staging' } = options;
        const { jwksNetworks = [], credentials, hookLimits = patientLimits } = options;
        const jwksAuthorities = (): string | undefined => options.authorities;
        const jwks = { jwksNetworks, jwksAuthorities };
        const foundation = { store, clock, keyring, log, environment, ...jwks };
        const service = await openService(programme, foundation, { credentials, hookLimits });
        return [programme.id, service] as const;
      }),
    ),
  );
  const isProxy = networkTest(options.trustedProxies ?? []);
  const sites = new Map([...services].map(([id, service]) => [id, createLoginSite(service)]));
  server.swap(createApp(deployment, sites, log, { isProxy }));
  const [first = 'executive-club'] = Object.keys(sources);
  return {
    url: server.url,
    store,
    clock,
    keyring,
    services,
    events,
    records,
    addClient: (client = {}) => addClient(store, keyring, clock, first, client),
    addMember: (member = {}) => addMember(store, clock, first, member),
    reloadKeys: async () => {
      const chests = [...services.values()].flatMap(({ keys }) => keys ?? []);
      await Promise.all(chests.map((keys) => keys.reload()));
      await Promise.all([...services.values()].map(({ tokenKeys }) => tokenKeys.reloadIfMoved()));
    },
    stop,
  };
}

/** A logo that a shipped file, or one laid over it, names. */
function readShipped(name: string, maxBytes: number): Uint8Array {
  return readFileInside('programmes', name, maxBytes);
}

async function addClient(
  store: Store,
  keyring: Keyring,
  clock: TestClock,
  programme: string,
  options: ClientOptions,
): Promise<TestClient> {
  const { id = 'partnerapi-12345', secret = 'a-secret-of-some-length' } = options;
  const redirectUris = options.redirectUris ?? ['https://partner.example/callback'];
  const added = await store.add('client', [
    {
      programme: (options.programme ?? programme) as ProgrammeId,
      id: id as ClientId,
      name: 'Partner',
      roles: options.roles ?? ['member', 'partner'],
      redirectUris,
      secrets: [{ digest: keyring.secretDigest(secret), createdAt: clock.now() }],
      apiKeys: [],
      properties: {},
      status: 'active',
      createdAt: clock.now(),
      ...options.more,
    },
  ]);
  if (added.length > 0) throw new Error(`${id} is taken`);
  const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  return { id, secret, redirectUri: redirectUris[0] ?? '', basic };
}

async function addMember(
  store: Store,
  clock: TestClock,
  programme: string,
  options: MemberOptions,
): Promise<TestMember> {
  const { username = 'ann', password = 'correct horse battery staple' } = options;
  const { subject = `subject-of-${username}` } = options;
  await store.add('member', [
    {
      programme: (options.programme ?? programme) as ProgrammeId,
      subject: subject as Subject,
      username,
      // Checked as any other is, in a thread, but at a cost that is not for people's passwords.
      passwordHash: hashRandomPassword(password),
      status: 'active',
      createdAt: clock.now(),
      ...(options.level === undefined ? {} : { level: options.level }),
      ...(options.membershipNumber === undefined
        ? {}
        : { membershipNumber: options.membershipNumber }),
      ...(options.properties === undefined ? {} : { properties: options.properties }),
    },
  ]);
  return { username, password, subject };
}
