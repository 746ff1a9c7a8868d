// Owns playing a transcript: a real server with the dialect, each request sent as it is written, each
// answer compared whole.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { decodeJwt, decodeProtectedHeader } from 'jose';

import { present } from '../../../src/lib/present.ts';
import { jsonEvents } from '../../../src/server/log/events.ts';
import { jsonRequest } from '../../../src/server/requests/lines.ts';
import { signJwt } from '../assertions.ts';
import { jsonHeaders } from '../club.ts';
import type { Jetway, TestMember } from '../jetway.ts';
import { formOf, type OpenLogin, openLogin, submitLogin, withoutDevice } from '../login.ts';
import { readPage } from '../page.ts';
import { verifyJwt } from '../resource_server.ts';
import { type Answer, ask, rawExchange, readRaw } from '../wire.ts';
import { Bindings } from './bindings.ts';
import { addMembers, apply, keyOf, onboard } from './cast.ts';
import { openSite, type Site } from './site.ts';
import {
  type Asked,
  type Exchange,
  type Message,
  spelledOut,
  type Transcript,
  usualType,
} from './transcript.ts';
import { whyLine } from './why.ts';

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
  transcript: Transcript & { readonly beside?: Readonly<Record<string, string>> },
): Promise<Played> {
  const site = await openSite(t, id, yaml, transcript, transcript.beside);
  const jetway = site.next();
  const member = await addMembers(jetway, transcript);
  const bindings = new Bindings(await onboard(jetway, id, transcript, member), transcript.looks);
  const file = { programme: id, yaml };
  const stage = { site, asked: jetway, transcript, bindings, member, file };
  for (const exchange of transcript.exchanges) await exchangeOn(stage, exchange);
  return { records: jetway.records, values: bindings.values, member };
}

interface Stage {
  readonly site: Site;
  /** The server that was asked last. */
  asked: Jetway;
  readonly transcript: Transcript;
  readonly bindings: Bindings;
  readonly member: TestMember;
  readonly file: { readonly programme: string; readonly yaml: string };
}

async function exchangeOn(stage: Stage, exchange: Exchange): Promise<void> {
  const { site, bindings } = stage;
  const { pause, title, changes, asked, log, why } = exchange;
  stage.asked.clock.advance(pause);
  for (const change of changes) {
    if (change.whose === 'server') await site.restart(change.over);
    else await apply(site, stage, change);
  }
  const told = new Map(site.nodes.map((node) => [node, logOf(node).length]));
  const events = site.nodes.flatMap((node) => node.events).length;
  const one = asked.length === 1 ? asked[0] : undefined;
  if (one === undefined) await askAtOnce(stage, title, asked);
  else {
    for (const request of spelledOut(one.request)) {
      const whole = withUsual(stage.transcript.usual, bindings, { ...one, request });
      const answer = await sendFilled(stage, whole);
      const what = `${title}\n${JSON.stringify(whole)}`;
      assert.deepEqual(answer, expected(one.answer, answer, bindings), what);
    }
  }
  if (log.includes('none')) {
    assert.deepEqual(site.nodes.flatMap((node) => node.events).slice(events), [], title);
  }
  for (const text of log.filter((line) => line !== 'none')) {
    const id = stage.asked.records.at(-1)?.id ?? '';
    const line = bindings.fill(text.replaceAll('{request_id}', id));
    const lines = site.nodes.flatMap((node) => logOf(node).slice(told.get(node)));
    assert.ok(
      lines.some((written) => written.includes(line)),
      `${title}\nlog: ${line}\n${lines.join('')}`,
    );
  }
  if (why === undefined) return;
  const { settings } = stage.transcript;
  const secrets = [settings['secret'] ?? 'hush', stage.member.password, 'subject-of-', 'hush'];
  const line = whyLine(stage.asked, stage.file, secrets);
  assert.equal(line, bindings.match(why, line), title);
}

/** A server that is asked, and its time. */
export type AskedServer = Parameters<typeof verifyJwt>[0];

/** Whom a login page meets, unless a request says otherwise. */
type WhoLogsIn = Pick<TestMember, 'username' | 'password'>;

/** Sends a request once with each of its choices; each answer beside what it must be. */
export async function answersOf(
  server: AskedServer,
  asked: Asked,
  bindings: Bindings,
  member: WhoLogsIn,
): Promise<readonly (readonly [actual: Answer, expected: Answer])[]> {
  const pairs: (readonly [Answer, Answer])[] = [];
  for (const request of spelledOut(asked.request)) {
    const one = filled(withUsual([], bindings, { ...asked, request }), bindings);
    const answer = await send(server, one, member);
    pairs.push([answer, expected(asked.answer, answer, bindings)]);
  }
  return pairs;
}

/** Sends all at once; which of them gets which answer is a matter of chance. */
async function askAtOnce(stage: Stage, title: string, asked: readonly Asked[]): Promise<void> {
  const sent = asked.flatMap(({ request, ...one }) =>
    spelledOut(request).map((spelled) => ({
      ...one,
      request: withUsual(stage.transcript.usual, stage.bindings, { ...one, request: spelled }),
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

/** The request with the headers that all of its path have, but for those that it does without. */
function withUsual(
  usual: Transcript['usual'],
  bindings: Bindings,
  { request, without }: Asked,
): Message {
  const ofPath = usual.filter(([path]) => request.start.startsWith(`POST ${path}`));
  const type = /^[A-Z]+ \//.test(request.start) ? usualType(bindings.fill(request.body)) : {};
  const added = Object.fromEntries<string>(ofPath.map(([, name, value]) => [name, value]));
  const headers: Message['headers'] = { ...type, ...added, ...request.headers };
  const left = Object.entries(headers).filter(
    ([name, value]) => value !== none && (name in request.headers || !without.includes(name)),
  );
  return { ...request, headers: Object.fromEntries(left) };
}

function sendFilled(stage: Stage, request: Message): Promise<Answer> {
  const { transcript, bindings, member } = stage;
  const jetway = stage.site.next();
  stage.asked = jetway;
  const now = jetway.clock.now();
  const sent = withAssertions(filled(request, bindings), transcript.settings, now);
  return send(jetway, sent, member);
}

/** With names filled in, `<base64 id:secret>` and `<latin1 id:secret>` as that, and headers as UTF-8. */
function filled({ start, headers, body }: Message, bindings: Bindings): Message {
  const values = Object.entries(headers).map(([name, value]) => [
    name,
    Buffer.from(
      bindings
        .fill(value)
        .replaceAll(/<(base64|latin1) ([^>]*)>/g, (_, how: string, text: string) =>
          Buffer.from(text, how === 'latin1' ? 'latin1' : 'utf8').toString('base64'),
        ),
    ).toString('latin1'),
  ]);
  return {
    start: bindings.fill(start),
    headers: Object.fromEntries(values) as Record<string, string>,
    body: bindings.fill(body),
  };
}

/** `<jwt iss=partner exp=+60>` as a JWT of these claims; times are seconds from now, `+` a space. */
function withAssertions(message: Message, { jwks }: Transcript['settings'], now: number): Message {
  const body = message.body.replaceAll(
    /<(jwt|forged) ([^>]*)>/g,
    (_, how: string, pairs: string) => {
      const claims = pairs.split(' ').map((pair): [string, unknown] => {
        const [, name = '', json, value = ''] = /^([^:=]+)(:)?=([^]*)$/.exec(pair) ?? [];
        const text = value.replaceAll('+', ' ');
        if (json !== undefined) return [name, JSON.parse(text)];
        const isTime = ['exp', 'iat', 'nbf'].includes(name);
        return [name, isTime ? Math.floor(now / 1000) + Number(value) : text];
      });
      return signJwt(keyOf(jwks, how === 'jwt' ? '' : how), Object.fromEntries(claims));
    },
  );
  return { ...message, body };
}

async function send(jetway: AskedServer, request: Message, member: WhoLogsIn): Promise<Answer> {
  const { headers, body } = request;
  if (request.start === 'RAW')
    return readRaw(await rawExchange(jetway.url, Buffer.from(body, 'latin1')));
  const [, isLogin, method = '', target = ''] =
    /^(LOGIN )?([A-Z]+) (\S+)$/.exec(request.start) ?? [];
  if (isLogin !== undefined) return logIn(jetway.url, method, target, request, member);
  if (method === 'JWT') return checkedJwt(jetway, target, body);
  if (method === 'CLAIMS') return readJwt(decodeProtectedHeader(target), decodeJwt(target));
  // Lines of one name are sent as such.
  const lines = Object.entries(headers).map(
    ([name, value]) => [name, value.includes('\n') ? value.split('\n') : value] as const,
  );
  const sent = { method, headers: Object.fromEntries(lines), ...(body === '' ? {} : { body }) };
  return asTold(await ask(jetway.url, target, sent));
}

/** A page as what it says, or as the form that it posts; anything else as it is. */
function asTold(answer: Answer): Answer {
  if (isLoginPage(answer)) return told(answer);
  if (answer.body.includes('<input type="hidden"')) return asPosted(answer);
  return answer.body.startsWith('<!doctype html>') ? told(answer) : answer;
}

/**
 * A member's way through the page, as the transcript's member unless the body says otherwise; so may it of what
 * the form hides, and of the browser's `cookie`.
 */
async function logIn(
  url: string,
  method: string,
  target: string,
  { headers, body }: Message,
  member: WhoLogsIn,
): Promise<Answer> {
  const sent = Object.fromEntries(new URLSearchParams(body));
  // A login request whose parameters are not in the address is a form.
  const posted = method === 'POST' && !target.includes('?') ? sent : undefined;
  // One that does not begin is told by what answers it.
  const login = await openLogin(url, target, method, posted).catch(() => undefined);
  if (login === undefined) return asTold(await ask(url, target, { method }));
  const said: Readonly<Record<string, string>> = posted ? {} : sent;
  const typed = { ...member, ...said };
  const { cookie = login.cookie } = said;
  const hidden = Object.keys(login.hidden).map((name) => [name, said[name] ?? login.hidden[name]]);
  const form = { ...login, cookie, hidden: Object.fromEntries(hidden) as OpenLogin['hidden'] };
  const answer = await submitLogin(url, form, typed, headers);
  if (answer.status === 302) return withoutDevice(answer);
  return isLoginPage(answer) || !answer.body.includes('<form')
    ? told(answer)
    : asPosted(withoutDevice(answer));
}

function isLoginPage({ body }: Answer): boolean {
  return body.includes('type="password"');
}

/** A JWT as a resource server takes it: its header and claims, or why it is refused. */
async function checkedJwt(jetway: AskedServer, base: string, token: string): Promise<Answer> {
  try {
    const { protectedHeader, payload } = await verifyJwt(jetway, base, token);
    return readJwt(protectedHeader, payload);
  } catch (error) {
    const { code = '', claim = '' } = error as { readonly code?: string; readonly claim?: string };
    return { status: 401, headers: jsonHeaders, body: `${code} ${claim}`.trimEnd() };
  }
}

function readJwt(header: object, claims: object): Answer {
  return {
    status: 200,
    headers: jsonHeaders,
    body: `${JSON.stringify(header)}${JSON.stringify(claims)}`,
  };
}

/** A page that posts a form to the partner, as that form; its headers must be those of every such page. */
function asPosted(answer: Answer): Answer {
  // With `same-origin` the partner would be told of no origin.
  readPage(answer, 'en', { 'referrer-policy': 'strict-origin' });
  const { action, hidden } = formOf(answer);
  return {
    status: answer.status,
    headers: { ...jsonHeaders, 'content-type': 'text/html; charset=utf-8', 'posts-to': action },
    body: new URLSearchParams(hidden).toString(),
  };
}

/** A page as what it says; its headers must be those of every page, and only what differs is told. */
function told(answer: Answer): Answer {
  const { 'retry-after': seconds, ...others } = answer.headers;
  const language = answer.headers['content-language'] ?? 'en';
  const page = readPage({ ...answer, headers: others }, language);
  const texts = [...(page.title === page.heading ? [] : [page.title]), page.heading, ...page.text];
  const own = present({
    'retry-after': seconds,
    'content-language': language === 'en' ? undefined : language,
  });
  return { status: page.status, headers: { ...jsonHeaders, ...own }, body: texts.join(' | ') };
}

/** In place of the value of a header that there is not. */
const none = '{none}';

/** The answer that must come, with what only the answer itself can tell taken from it. */
function expected(answer: Message, actual: Answer, bindings: Bindings): Answer {
  const status = Number(answer.start);
  const { 'content-type': _type, ...bodiless } = jsonHeaders;
  const whole = status === 200 && answer.body === '' ? bodiless : jsonHeaders;
  const usual = status >= 300 && status < 400 ? redirectHeaders : whole;
  const own = Object.entries(answer.headers).map(([name, value]) => [
    name,
    value === none ? none : bindings.match(value, actual.headers[name] ?? ''),
  ]) as [string, string][];
  const headers = Object.entries<string>({ ...usual, ...Object.fromEntries<string>(own) });
  return {
    status,
    headers: Object.fromEntries(headers.filter(([, value]) => value !== none)),
    body: bindings.match(answer.body, actual.body),
  };
}
