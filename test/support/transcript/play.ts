// Owns playing a transcript: a real server with the dialect, each request sent as it is written, each
// answer compared whole.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { present } from '../../../src/lib/present.ts';
import type { Client, ClientId, ProgrammeId, Role } from '../../../src/oauth/client.ts';
import { assertionAlgorithms } from '../../../src/oauth/client_certificate.ts';
import type { GatewayId } from '../../../src/oauth/gateway.ts';
import type { Subject } from '../../../src/oauth/member.ts';
import { jsonEvents } from '../../../src/server/log/events.ts';
import { jsonRequest } from '../../../src/server/requests/lines.ts';
import { registered, signJwt, type TestKey, testKey } from '../assertions.ts';
import { jsonHeaders } from '../club.ts';
import { addGateway } from '../gateway.ts';
import { type Jetway, startJetway, type TestMember } from '../jetway.ts';
import { formOf, openLogin, submitLogin, withoutDevice } from '../login.ts';
import { readPage } from '../page.ts';
import { type Answer, ask } from '../wire.ts';
import { Bindings } from './bindings.ts';
import {
  type Asked,
  type Change,
  type Exchange,
  type Message,
  spelledOut,
  type Transcript,
} from './transcript.ts';

/** Headers of every redirect (G-4); a transcript repeats neither these nor those of C-10. */
const redirectHeaders = {
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'referrer-policy': 'no-referrer',
} as const;

/** What was answered, and what its names stood for at the end. */
export interface Played {
  readonly records: Jetway['records'];
  readonly values: ReadonlyMap<string, string>;
  readonly member: TestMember;
}

/** Plays a transcript against a programme file; rejects at the first answer that differs. */
export async function play(
  t: TestContext,
  id: string,
  yaml: string,
  transcript: Transcript,
): Promise<Played> {
  const jetway = await startJetway(t, { programmes: { [id]: yaml } });
  const { settings } = transcript;
  const member = await jetway.addMember({
    membershipNumber: settings['membership_number'] ?? '7',
    properties: propertiesIn(settings, 'member.'),
    ...present({ level: settings['level'] }),
  });
  const bindings = new Bindings({
    ...(await onboard(jetway, settings, member)),
    ...(await onboardOthers(jetway, transcript)),
    ...(await onboardGateway(jetway, id, settings)),
  });
  const stage = { jetway, transcript, bindings, member };
  for (const exchange of transcript.exchanges) await exchangeOn(stage, exchange);
  return { records: jetway.records, values: bindings.values, member };
}

interface Stage {
  readonly jetway: Jetway;
  readonly transcript: Transcript;
  readonly bindings: Bindings;
  readonly member: TestMember;
}

async function exchangeOn(stage: Stage, exchange: Exchange): Promise<void> {
  const { jetway, bindings } = stage;
  const { pause, title, changes, asked, log } = exchange;
  jetway.clock.advance(pause);
  for (const change of changes) await apply(stage, change);
  const told = logOf(jetway).length;
  const one = asked.length === 1 ? asked[0] : undefined;
  if (one === undefined) await askAtOnce(stage, title, asked);
  else {
    for (const request of spelledOut(one.request)) {
      const whole = withUsual(stage.transcript, { ...one, request });
      const answer = await sendFilled(stage, whole);
      const what = `${title}\n${JSON.stringify(whole)}`;
      assert.deepEqual(answer, expected(one.answer, answer, bindings), what);
    }
  }
  for (const text of log) {
    const line = bindings.fill(text);
    const lines = logOf(jetway).slice(told);
    assert.ok(
      lines.some((written) => written.includes(line)),
      `${title}\nlog: ${line}\n${lines.join('')}`,
    );
  }
}

/** Sends all at once; which of them gets which answer is a matter of chance. */
async function askAtOnce(stage: Stage, title: string, asked: readonly Asked[]): Promise<void> {
  const sent = asked.flatMap(({ request, ...one }) =>
    spelledOut(request).map((spelled) => ({
      ...one,
      request: withUsual(stage.transcript, { ...one, request: spelled }),
    })),
  );
  const answers = await Promise.all(sent.map(({ request }) => sendFilled(stage, request)));
  const left = sent.map(({ answer }) => answer);
  for (const answer of answers) {
    const at = left.findIndex((told) =>
      isDeepStrictEqual(answer, expected(told, answer, stage.bindings.copy())),
    );
    const [told] = left.splice(Math.max(at, 0), 1);
    if (told !== undefined) assert.deepEqual(answer, expected(told, answer, stage.bindings), title);
  }
}

/** The log so far, as a server writes it. */
function logOf({ records, events }: Jetway): readonly string[] {
  return [
    ...records.map((record) => jsonRequest(record, 0)),
    ...events.map(({ event, facts }) => jsonEvents('error', event, facts)),
  ];
}

async function apply(stage: Stage, { client: name, marks }: Change): Promise<void> {
  const { jetway, bindings, member } = stage;
  const { store, services, clock } = jetway;
  const [programme] = services.keys() as Iterable<ProgrammeId>;
  if (programme === undefined) throw new Error('no programme is served');
  const changes = changesOf(marks);
  const { status = 'active' } = changes;
  if (name === undefined) {
    const subject = member.subject as Subject;
    await store.change('member', programme, subject, (row) => ({ ...row, status }));
    return;
  }
  const id = bindings.fill(name);
  const client = id as ClientId;
  const gateway = id as GatewayId;
  if (marks.includes('removed')) await store.remove('gateway', programme, gateway, clock.now());
  else if (await store.find('gateway', programme, gateway)) {
    await store.change('gateway', programme, gateway, (row) => ({ ...row, status }));
  } else {
    await store.change('client', programme, client, (row) => ({ ...row, ...changes }));
    if (marks.includes('revoked')) await store.revoke(programme, { client });
  }
}

/** What marks say of a client: `active`, `disabled`, `roles=member,partner`, `throttle=5/60` (uses a minute). */
function changesOf(
  marks: readonly string[],
): Partial<Pick<Client, 'status' | 'roles' | 'throttle'>> {
  const status = marks.find(
    (mark): mark is Client['status'] => mark === 'active' || mark === 'disabled',
  );
  const said = (name: string): string | undefined =>
    marks.find((mark) => mark.startsWith(`${name}=`))?.slice(name.length + 1);
  const [limit, seconds] = said('throttle')?.split('/').map(Number) ?? [];
  return present({
    status,
    roles: said('roles')?.split(',').filter(Boolean) as Role[] | undefined,
    throttle:
      limit === undefined || seconds === undefined ? undefined : { limit, window: seconds * 1000 },
  });
}

/** The request with the headers that all of its path have, but for those that it does without. */
function withUsual({ usual }: Transcript, { request, without }: Asked): Message {
  const added = usual.filter(
    ([path, name]) => request.start.startsWith(`POST ${path}`) && !without.includes(name),
  );
  const headers = Object.fromEntries(added.map(([, name, value]) => [name, value]));
  return { ...request, headers: { ...headers, ...request.headers } };
}

function sendFilled(
  { jetway, transcript, bindings, member }: Stage,
  request: Message,
): Promise<Answer> {
  const { settings } = transcript;
  const sent = withAssertions(filled(request, bindings), settings, jetway.clock.now());
  return send(jetway.url, sent, member);
}

/** Registers the transcript's gateway, where it has one. */
async function onboardGateway(
  jetway: Jetway,
  programme: string,
  { gateway, gateway_secret: secret }: Transcript['settings'],
): Promise<Record<string, string>> {
  if (gateway === undefined) return {};
  const basic = await addGateway(jetway, programme, gateway, secret);
  return { gateway_basic: basic.slice('Basic '.length) };
}

/** Registers the other partners; their names in the transcript. */
async function onboardOthers(
  { addClient, keyring, clock }: Jetway,
  { settings, others }: Transcript,
): Promise<Record<string, string>> {
  const names: Record<string, string> = {};
  const { business_context: usualContext, partner_id: partnerId } = settings;
  for (const { name, id, secret, marks } of others) {
    const { roles, status = 'active', throttle } = changesOf(marks);
    const redirectUris = marks.flatMap((mark) => /^redirect=(.*)$/.exec(mark)?.[1] ?? []);
    const [context = usualContext] = marks.flatMap(
      (mark) => /^context=(.*)$/.exec(mark)?.[1] ?? [],
    );
    const businessContext = context === '' ? undefined : context;
    const [key] = marks.flatMap((mark) => /^key=(.*)$/.exec(mark)?.[1] ?? []);
    const apiKeys =
      key === undefined ? [] : [{ digest: keyring.secretDigest(key), createdAt: clock.now() }];
    const open = marks.includes('public') ? ({ isPublic: true, secrets: [] } as const) : {};
    const { basic } = await addClient({
      id,
      secret,
      ...present({ roles }),
      more: {
        ...present({ status, throttle, businessContext, partnerId }),
        ...(redirectUris.length === 0 ? {} : { redirectUris }),
        apiKeys,
        ...open,
      },
    });
    Object.assign(names, { [name]: id, [`${name}_basic`]: basic.slice('Basic '.length) });
  }
  return names;
}

/** Registers the transcript's partner; what the names stand for from the beginning. */
async function onboard(
  { addClient, keyring, clock }: Jetway,
  settings: Transcript['settings'],
  member: TestMember,
): Promise<Record<string, string>> {
  const { client: id = '', secret = '', api_key: apiKey } = settings;
  const { business_context: businessContext, partner_id: partnerId } = settings;
  const client = await addClient({
    id,
    secret,
    more: {
      properties: Object.fromEntries(
        Object.entries(propertiesIn(settings, 'client.')).map(([name, value]) => [
          name,
          value.includes(' | ') ? value.split(' | ') : value,
        ]),
      ),
      ...(businessContext === undefined ? {} : { businessContext }),
      ...(partnerId === undefined ? {} : { partnerId }),
      ...(settings['jwks'] === undefined
        ? {}
        : { assertionKeys: { keys: registered(keyOf(settings['jwks'])) } }),
      ...(apiKey === undefined
        ? {}
        : { apiKeys: [{ digest: keyring.secretDigest(apiKey), createdAt: clock.now() }] }),
    },
  });
  const basic = client.basic.slice('Basic '.length);
  const { redirectUri: redirect_uri } = client;
  return {
    ...settings,
    basic,
    redirect_uri,
    subject: member.subject,
    username: member.username,
    password: encodeURIComponent(member.password),
    newline: '\n',
    return: '\r',
    tab: '\t',
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

function filled({ start, headers, body }: Message, bindings: Bindings): Message {
  const values = Object.entries(headers).map(([name, value]) => [name, bindings.fill(value)]);
  return {
    start: bindings.fill(start),
    headers: Object.fromEntries(values) as Record<string, string>,
    body: bindings.fill(body),
  };
}

/** `<jwt iss=partner exp=+60>` as a JWT of these claims; times are seconds from now, `+` a space. */
function withAssertions(message: Message, { jwks }: Transcript['settings'], now: number): Message {
  const body = message.body.replaceAll(/<jwt ([^>]*)>/g, (_, pairs: string) => {
    const claims = pairs.split(' ').map((pair): [string, string | number] => {
      const [name = '', value = ''] = pair.split('=');
      const isTime = ['exp', 'iat', 'nbf'].includes(name);
      return [name, isTime ? Math.floor(now / 1000) + Number(value) : value.replaceAll('+', ' ')];
    });
    return signJwt(keyOf(jwks), Object.fromEntries(claims));
  });
  return { ...message, body };
}

const keys = new Map<string, TestKey>();

/** The key of all transcripts with the algorithm. */
function keyOf(algorithm: string | undefined): TestKey {
  const known = assertionAlgorithms.find((one) => one === algorithm);
  if (known === undefined) throw new Error('a transcript with assertions says: jwks = ES256');
  const key = keys.get(known) ?? testKey(known);
  keys.set(known, key);
  return key;
}

async function send(base: string, request: Message, member: TestMember): Promise<Answer> {
  const { headers, body } = request;
  const [, isLogin, method = '', target = ''] =
    /^(LOGIN )?([A-Z]+) (\S+)$/.exec(request.start) ?? [];
  if (isLogin === undefined) {
    // Lines of one name are sent as such.
    const lines = Object.entries(headers).map(
      ([name, value]) => [name, value.split('\n')] as const,
    );
    const sent = { method, headers: Object.fromEntries(lines), ...(body === '' ? {} : { body }) };
    const answer = await ask(base, target, sent);
    if (answer.body.includes('<input type="hidden"')) return posted(answer);
    return answer.body.startsWith('<!doctype html>') ? told(answer) : answer;
  }
  const answer = await submitLogin(base, await openLogin(base, target, method), member);
  return answer.status === 302 ? withoutDevice(answer) : posted(withoutDevice(answer));
}

/** A page that posts a form to the partner, as that form; what else pages have is tested elsewhere. */
function posted(answer: Answer): Answer {
  const { action, hidden } = formOf(answer);
  return {
    status: answer.status,
    headers: { ...jsonHeaders, 'content-type': 'text/html; charset=utf-8', 'posts-to': action },
    body: new URLSearchParams(hidden).toString(),
  };
}

/** A page as what it says; its headers must be those of every page. */
function told(answer: Answer): Answer {
  const { status, title, heading, text } = readPage(answer);
  const texts = [...(title === heading ? [] : [title]), heading, ...text];
  const headers = { ...jsonHeaders, 'content-type': 'text/html; charset=utf-8' };
  return { status, headers, body: texts.join(' | ') };
}

/** The answer that must come, with what only the answer itself can tell taken from it. */
function expected(answer: Message, actual: Answer, bindings: Bindings): Answer {
  const status = Number(answer.start);
  const { 'content-type': _type, ...bodiless } = jsonHeaders;
  const whole = status === 200 && answer.body === '' ? bodiless : jsonHeaders;
  const usual = status >= 300 && status < 400 ? redirectHeaders : whole;
  const own = Object.entries(answer.headers).map(([name, value]) => [
    name,
    bindings.match(value, actual.headers[name] ?? ''),
  ]) as [string, string][];
  return {
    status,
    headers: { ...usual, ...Object.fromEntries<string>(own) },
    body: bindings.match(answer.body, actual.body),
  };
}
