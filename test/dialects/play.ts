// Owns playing a transcript: a real server with the dialect, each request sent as it is written, each
// answer compared whole.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { present } from '../../src/lib/present.ts';
import type { Role } from '../../src/oauth/client.ts';
import { assertionAlgorithms } from '../../src/oauth/client_certificate.ts';
import { registered, signJwt, type TestKey, testKey } from '../support/assertions.ts';
import { jsonHeaders } from '../support/club.ts';
import { type Jetway, startJetway, type TestMember } from '../support/jetway.ts';
import { formOf, openLogin, submitLogin, withoutDevice } from '../support/login.ts';
import { type Answer, ask } from '../support/wire.ts';
import { Bindings, type Message, spelledOut, type Transcript } from './transcript.ts';

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
  const { settings, usual } = transcript;
  const member = await jetway.addMember({
    membershipNumber: settings['membership_number'] ?? '7',
    properties: propertiesIn(settings, 'member.'),
  });
  const bindings = new Bindings({
    ...(await onboard(jetway, settings, member)),
    ...(await onboardOthers(jetway, transcript)),
  });
  for (const { pause, title, without, request, answer: told } of transcript.exchanges) {
    jetway.clock.advance(pause);
    for (const one of spelledOut(request)) {
      const added = usual.filter(
        ([path, name]) => one.start.startsWith(`POST ${path}`) && !without.includes(name),
      );
      const usualHeaders = Object.fromEntries(added.map(([, name, value]) => [name, value]));
      const whole = { ...one, headers: { ...usualHeaders, ...one.headers } };
      const sent = withAssertions(filled(whole, bindings), settings, jetway.clock.now());
      const answer = await send(jetway.url, sent, member);
      const asked = `${title}\n${JSON.stringify(whole)}`;
      assert.deepEqual(answer, expected(told, answer, bindings), asked);
    }
  }
  return { records: jetway.records, values: bindings.values, member };
}

/** Registers the other partners; their names in the transcript. */
async function onboardOthers(
  { addClient }: Jetway,
  { settings, others }: Transcript,
): Promise<Record<string, string>> {
  const names: Record<string, string> = {};
  const { business_context: businessContext, partner_id: partnerId } = settings;
  for (const { name, id, secret, marks } of others) {
    const [roles] = marks.flatMap((mark) => /^roles=(.*)$/.exec(mark)?.[1] ?? []);
    const status = marks.includes('disabled') ? 'disabled' : 'active';
    const redirectUris = marks.flatMap((mark) => /^redirect=(.*)$/.exec(mark)?.[1] ?? []);
    const open = marks.includes('public') ? ({ isPublic: true, secrets: [] } as const) : {};
    const { basic } = await addClient({
      id,
      secret,
      ...(roles === undefined ? {} : { roles: roles.split(',').filter(Boolean) as Role[] }),
      more: {
        ...present({ status, businessContext, partnerId }),
        ...(redirectUris.length === 0 ? {} : { redirectUris }),
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
    const answer = await ask(base, target, { method, headers, ...(body === '' ? {} : { body }) });
    return answer.body.includes('<input type="hidden"') ? posted(answer) : answer;
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
