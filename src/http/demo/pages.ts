// Owns the demo's paths: each page, and the action of its buttons. Only `dev` mounts them.

import { html } from 'hono/html';

import { type Guide, makeGuide } from '../../contract/partner/guide.ts';
import { systemClock } from '../../lib/clock.ts';
import { parseFormOrNone } from '../../oauth/parameters.ts';
import { noStore, type Reply } from '../../oauth/reply.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import { compilePalettes } from '../../programme/login/colours.ts';
import type { App } from '../endpoints.ts';
import { createFrame, type Frame, readLook } from '../page.ts';
import { clicksOf, drawnIn, type Held, send } from './clicks.ts';
import { commandSheet } from './commands.ts';
import { type Demo, demoPaths } from './demo.ts';
import {
  answerCard,
  demoPage,
  logoAddress,
  nextClicks,
  startCard,
  values,
  waysIn,
} from './parts.ts';

type PageAnswer = (request: WireRequest) => Promise<Reply> | Reply;
type PageAnswers = Readonly<Partial<Record<'GET' | 'POST', PageAnswer>>>;

export function mountDemo(app: App, demos: readonly Demo[]): void {
  // Read here: no other verb uses the files.
  const look = readLook('demo/demo');
  const plain = createFrame(compilePalettes({}), { any: true }, look);
  for (const [index, demo] of demos.entries()) {
    const { programme, base } = demo;
    const { palettes } = programme.login;
    const frame = createFrame(palettes, { icon: logoAddress(programme), any: true }, look);
    const mount = (path: string, answers: PageAnswers): void => mountPage(app, base, path, answers);
    const { commands, callback, partner, tokens } = demoPaths(programme.id);
    if (index === 0) mount('/', { GET: () => startPage(plain, demos) });
    mount(commands, { GET: () => written('plain', commandSheet(demo)) });
    mount(partner, { GET: () => partnerPage(demo) });
    mount(callback, {
      GET: ({ query }) => callbackPage(frame, demo, query),
      POST: (request) => callbackPage(frame, demo, bodyText(request)),
    });
    mount(tokens, { POST: (request) => click(frame, demo, bodyText(request)) });
  }
}

/**
 * Answers only at the demo's own host name and for its own pages, and redirects other requests
 * there: another host name that points to this machine must not read the secrets on the pages, and
 * foreign pages must not click.
 */
function mountPage(app: App, base: string, path: string, answers: PageAnswers): void {
  const { host, origin } = new URL(base);
  const methods = Object.keys(answers);
  const refusal = { status: 405, headers: { Allow: methods.join(', ') }, body: '' };
  const home = { status: 302, headers: { Location: base + path, ...noStore }, body: '' };
  const answer = (request: WireRequest): Promise<Reply> | Reply => {
    const [from = origin] = headerValues(request, 'origin');
    if (headerValues(request, 'host')[0] !== host || from !== origin) return home;
    return answers[request.method === 'GET' ? 'GET' : 'POST']?.(request) ?? refusal;
  };
  app.endpoint(path, { methods: new Set(methods), wrongMethod: () => refusal, answer });
}

/** Loaded with its reader of Markdown where somebody asks for it, which most runs of `dev` do without. */
async function partnerPage(demo: Demo): Promise<Reply> {
  const { partnerHtml } = await import('../../contract/partner/html.ts');
  return written('html', partnerHtml(guideOf(demo)));
}

/** The fields of a form or query, each with its first value. */
function fieldsOf(text: string): Readonly<Record<string, string>> {
  const pairs = [...parseFormOrNone(text)].map(([name, [first = '']]) => [name, first] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''));
}

function bodyText({ body }: WireRequest): string {
  return body === 'too_large' ? '' : Buffer.from(body).toString();
}

function written(type: 'plain' | 'html', body: string): Reply {
  const headers = { 'Content-Type': `text/${type}; charset=utf-8`, ...noStore };
  return { status: 200, headers, body };
}

function guideOf({ programme, base, by: { client } }: Demo): Guide {
  const deployed = { at: systemClock().now(), hasGateway: false };
  return makeGuide(programme, base, client, 'staging', deployed);
}

function startPage(frame: Frame, demos: readonly Demo[]): Promise<Reply> {
  const content = html`<h1>Jetway demo</h1>
    <p>
      Press <strong>Log in as this member</strong> at any club first: the form is filled in, and
      buttons lead on from there to tokens, their refresh and every error. Each club speaks its own
      dialect of OAuth 2.0; its card lists what differs from the others. Everything is in memory,
      and gone when the demo stops.
    </p>
    <div class="clubs">${demos.map((demo) => startCard(demo, demos))}</div>`;
  return demoPage(frame, 'Jetway demo', content);
}

/**
 * Replaces the partner's page. A fragment is not sent to any server: the page's script opens the page
 * again with the fragment's text as its query.
 */
function callbackPage(frame: Frame, demo: Demo, query: string): Promise<Reply> {
  const fields = fieldsOf(query);
  const code = fields[demo.programme.layouts.redirect.code];
  const nothing = html`The redirect brought nothing in its query or form.
    <span data-fragment>
      An answer in the fragment stands behind the # of this page’s address; the page reads it by a
      script.
    </span>`;
  const failed = query === '' ? nothing : 'The redirect brought no code:';
  const content = html`<p>
      This page stands in for the partner’s.
      ${code === undefined ? failed : 'The login is done. The redirect to the partner brought:'}
    </p>
    ${values(fields)}
    ${code === undefined ? waysIn(demo) : nextClicks(demo, { code, ...drawnIn(demo, fields) }, ['code'])}`;
  return demoPage(frame, 'Back at the partner', content, demo);
}

/** Sends the request of a button; the page of its answer holds in its forms what the visitor has then. */
async function click(frame: Frame, demo: Demo, form: string): Promise<Reply> {
  const { click: key, ...fields } = fieldsOf(form);
  const held: Held = fields;
  const clicked = clicksOf(demo, held).find((one) => one.key === key);
  if (clicked === undefined) return demoPage(frame, 'Start again', waysIn(demo), demo);
  const sent = await send(demo, clicked, held);
  return demoPage(frame, 'Tokens', answerCard(demo, clicked, sent), demo);
}
