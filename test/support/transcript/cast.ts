// Owns who takes part in a transcript: its clients, members and gateway, and what becomes of them.

import { present } from '../../../src/lib/present.ts';
import type {
  Client,
  ClientId,
  ProgrammeId,
  Role,
  GatewayId,
  SigningSecret,
} from '../../../src/oauth/client.ts';
import { assertionAlgorithms } from '../../../src/oauth/client_certificate.ts';
import { Unavailable } from '../../../src/oauth/failure.ts';
import type { Subject } from '../../../src/oauth/member.ts';
import { registered, type TestKey, testKey } from '../assertions.ts';
import type { FailingStore, FailingVerb } from '../failing_store.ts';
import { addGateway } from '../gateway.ts';
import type { Jetway, TestMember } from '../jetway.ts';
import { sealedSecrets } from '../signing.ts';
import type { Bindings } from './bindings.ts';
import type { Site } from './site.ts';
import type { Change, Transcript } from './transcript.ts';

/** The member that a transcript is about, registered, and those beside. */
export async function addMembers(
  jetway: Jetway,
  { settings, members }: Transcript,
): Promise<TestMember> {
  for (const { name, password, marks } of members) {
    await jetway.addMember({
      ...present({
        membershipNumber: said(marks, 'number'),
        level: said(marks, 'level'),
        subject: said(marks, 'subject'),
        properties: propertiesOf(marks),
      }),
      ...present({ programme: said(marks, 'of') }),
      username: name,
      password,
    });
  }
  return jetway.addMember({
    membershipNumber: settings['membership_number'] ?? '7',
    properties: propertiesIn(settings, 'member.'),
    ...present({ level: settings['level'], subject: settings['subject'] }),
  });
}

/** Registers the clients and the gateway of a transcript; what its names stand for from the beginning. */
export async function onboard(
  jetway: Jetway,
  programme: string,
  transcript: Transcript,
  member: TestMember,
): Promise<Record<string, string>> {
  return {
    ...(await onboardClient(jetway, transcript.settings)),
    subject: member.subject,
    username: member.username,
    password: encodeURIComponent(member.password),
    newline: '\n',
    return: '\r',
    tab: '\t',
    ...(await onboardOthers(jetway, transcript)),
    ...(await onboardGateways(jetway, programme, transcript)),
  };
}

async function onboardClient(
  jetway: Jetway,
  settings: Transcript['settings'],
): Promise<Record<string, string>> {
  const { client: id = '', secret = '', api_key: key, jwks, signing } = settings;
  const properties = Object.entries(propertiesIn(settings, 'client.')).map(([name, value]) => [
    name,
    value.includes(' | ') ? value.split(' | ') : value,
  ]);
  const client = await jetway.addClient({
    id,
    secret,
    more: {
      properties: Object.fromEntries(properties) as Client['properties'],
      ...present({
        businessContext: settings['business_context'],
        partnerId: settings['partner_id'],
        assertionKeys: jwks === undefined ? undefined : { keys: registered(keyOf(jwks)) },
      }),
      ...(key === undefined ? {} : { apiKeys: [secretOf(jetway, key)] }),
      ...(signing !== undefined && { signingSecrets: sealedFor(jetway, id, signing) }),
    },
  });
  const basic = client.basic.slice('Basic '.length);
  return { ...settings, basic, redirect_uri: client.redirectUri };
}

async function onboardOthers(
  jetway: Jetway,
  { settings, others }: Transcript,
): Promise<Record<string, string>> {
  const names: Record<string, string> = {};
  const usual = present({
    businessContext: settings['business_context'],
    partnerId: settings['partner_id'],
  });
  for (const { name, id, secret, marks } of others) {
    const signing = said(marks, 'signing');
    const more = {
      ...usual,
      ...changesOf(jetway, marks),
      ...(signing !== undefined && { signingSecrets: sealedFor(jetway, id, signing) }),
    };
    const of = present({ programme: said(marks, 'of') });
    const { basic } = await jetway.addClient({ id, secret, more, ...of });
    Object.assign(names, { [name]: id, [`${name}_basic`]: basic.slice('Basic '.length) });
  }
  return names;
}

async function onboardGateways(
  jetway: Jetway,
  programme: string,
  { settings, gateways }: Transcript,
): Promise<Record<string, string>> {
  const { gateway: id, gateway_secret: secret = '' } = settings;
  const all = [
    ...(id === undefined ? [] : [{ name: 'gateway', id, secret, marks: [] }]),
    ...gateways,
  ];
  const names: Record<string, string> = {};
  for (const one of all) {
    const at = said(one.marks, 'of') ?? programme;
    const basic = await addGateway(jetway, at, one.id, one.secret);
    names[`${one.name}_basic`] = basic.slice('Basic '.length);
  }
  return names;
}

/** Who takes part, and what their names stand for. */
export interface Cast {
  readonly bindings: Bindings;
  readonly member: TestMember;
  readonly transcript: Transcript;
}

/** Has what is said of somebody before an exchange, or of the store, be so. */
export async function apply(
  { nodes: [jetway], stores }: Site,
  { bindings, member, transcript: { others, gateways } }: Cast,
  { whose, marks }: Change,
): Promise<void> {
  if (jetway === undefined) throw new Error('no server runs');
  if (whose === 'store') {
    for (const store of stores) troubleStore(store, marks);
    // Each call takes a share of what is over.
    const calls = marks.includes('sweeps') ? 30 : 0;
    for (let call = 0; call < calls; call += 1) {
      await jetway.store.sweep(jetway.clock.now(), 100);
    }
    return;
  }
  const { store, services, clock } = jetway;
  const [first] = services.keys();
  const named = [...others, ...gateways].find(({ name }) => whose === `{${name}}`);
  const programme = (said(named?.marks ?? [], 'of') ?? first) as ProgrammeId;
  const changes = changesOf(jetway, marks);
  const { status = 'active' } = changes;
  if (whose === 'member') {
    const subject = member.subject as Subject;
    const at = (said(marks, 'of') ?? programme) as ProgrammeId;
    if (marks.includes('removed')) await store.remove('member', at, subject, clock.now());
    await store.change('member', at, subject, (row) => ({
      ...row,
      status,
      ...present({
        username: said(marks, 'username'),
        membershipNumber: said(marks, 'number'),
        properties: propertiesOf(marks),
      }),
    }));
    if (marks.includes('revoked')) await store.revoke(at, { subject });
    return;
  }
  const id = named?.id ?? bindings.fill(whose);
  const [client, gateway] = [id as ClientId, id as GatewayId];
  if (await store.find('gateway', programme, gateway)) {
    if (marks.includes('removed')) await store.remove('gateway', programme, gateway, clock.now());
    else await store.change('gateway', programme, gateway, (row) => ({ ...row, status }));
  } else if (marks.includes('removed')) {
    await store.remove('client', programme, client, clock.now());
  } else {
    const row = await store.change('client', programme, client, (was) => ({ ...was, ...changes }));
    if (row === undefined) throw new Error(`nobody is called ${whose}`);
    if (marks.includes('revoked')) await store.revoke(programme, { client });
  }
}

/** `fails findCode` (an outage), `breaks findCode` (a crash), `heals`; a registry's verb as `find_client`. */
function troubleStore({ fail, heal }: FailingStore, [what = '', ...verbs]: Change['marks']): void {
  if (what === 'heals') heal();
  for (const verb of verbs) {
    const error = what === 'fails' ? new Unavailable('planted') : new TypeError('planted');
    fail(verb.replace('_', ' ') as FailingVerb, error);
  }
}

/** What marks say of a client: `disabled`, `public`, `roles=member,partner`, `throttle=5/60` and so on. */
function changesOf(jetway: Jetway, marks: readonly string[]): Partial<Client> {
  const status = marks.find(
    (mark): mark is Client['status'] => mark === 'active' || mark === 'disabled',
  );
  const [limit, seconds] = said(marks, 'throttle')?.split('/').map(Number) ?? [];
  const redirectUris = marks.flatMap((mark) => /^redirect=(.*)$/.exec(mark)?.[1] ?? []);
  const origins = marks.flatMap((mark) => /^origin=(.*)$/.exec(mark)?.[1] ?? []);
  const [context, key, secrets, jwks] = ['context', 'key', 'secrets', 'jwks'].map((name) =>
    said(marks, name),
  );
  return {
    ...present({
      status,
      roles: said(marks, 'roles')?.split(',').filter(Boolean) as Role[] | undefined,
      throttle:
        limit === undefined || seconds === undefined
          ? undefined
          : { limit, window: seconds * 1000 },
      partnerId: said(marks, 'partner'),
      properties: propertiesOf(marks),
      assertionKeys: jwks === undefined ? undefined : { keys: registered(keyOf(jwks)) },
      secrets: secrets?.split(',').map((text) => secretOf(jetway, text)),
      apiKeys: key
        ?.split(',')
        .filter(Boolean)
        .map((text) => secretOf(jetway, text)),
    }),
    ...(redirectUris.length === 0 ? {} : { redirectUris: redirectUris.filter(Boolean) }),
    ...(origins.length === 0 ? {} : { origins }),
    ...(context === undefined ? {} : { businessContext: context === '' ? undefined : context }),
    ...(marks.includes('public') ? ({ isPublic: true, secrets: [] } as const) : {}),
  } as Partial<Client>;
}

function said(marks: readonly string[], name: string): string | undefined {
  return marks.find((mark) => mark.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** What `.plan=gold .tier=` say in place of all properties. */
function propertiesOf(marks: readonly string[]): Readonly<Record<string, string>> | undefined {
  const own = marks.flatMap((mark) => {
    const [, name = '', value = ''] = /^\.(\w+)=([^]*)$/.exec(mark) ?? [];
    return name === '' ? [] : [[name, value] as const];
  });
  if (own.length === 0) return undefined;
  return Object.fromEntries(own.filter(([, value]) => value !== ''));
}

/** Signing secrets as they are kept, the oldest first, with commas between. */
function sealedFor(
  { keyring, clock, services }: Jetway,
  id: string,
  texts: string,
): readonly SigningSecret[] {
  const [programme = ''] = services.keys();
  return sealedSecrets(keyring, { programme, id }, texts.split(','), clock.now());
}

/** A secret or an API key as it is kept: `text`, or `text~60` for one that ends in sixty seconds. */
function secretOf({ keyring, clock }: Jetway, text: string): Client['secrets'][number] {
  const [whole, seconds] = text.split('~');
  const now = clock.now();
  return {
    digest: keyring.secretDigest(whole ?? ''),
    createdAt: now,
    ...(seconds === undefined ? {} : { expiresAt: (now + Number(seconds) * 1000) as typeof now }),
  };
}

/** The settings whose names have the prefix, without it. */
function propertiesIn(settings: Transcript['settings'], prefix: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
    ),
  );
}

const keys = new Map<string, TestKey>();

/** The key of all transcripts with the algorithm; `use` names another, which no client has. */
export function keyOf(algorithm: string | undefined, use = ''): TestKey {
  const known = assertionAlgorithms.find((one) => one === algorithm);
  if (known === undefined) throw new Error('a transcript with assertions says: jwks = ES256');
  const key = keys.get(known + use) ?? testKey(known);
  keys.set(known + use, key);
  return key;
}
