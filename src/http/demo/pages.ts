// Owns the demo's pages: programmes, values, buttons, a request with its answer; and the paths that answer with them.

import { STATUS_CODES } from 'node:http';

import { html } from 'hono/html';

import { failureAnswer } from '../../contract/failures.ts';
import { curlLines } from '../../contract/partner/curl.ts';
import { type Guide, makeGuide } from '../../contract/partner/guide.ts';
import { systemClock } from '../../lib/clock.ts';
import { methodRows } from '../../oauth/methods.ts';
import { programmePaths } from '../../oauth/own_paths.ts';
import { parseFormOrNone } from '../../oauth/parameters.ts';
import { type Reply, noStore } from '../../oauth/reply.ts';
import { type WireRequest, headerValues } from '../../oauth/wire_request.ts';
import { compilePalettes } from '../../programme/login/colours.ts';
import { type Programme, logsIn } from '../../programme/programme.ts';
import type { App } from '../endpoints.ts';
import { type Frame, type Markup, createFrame, readLook, renderPage } from '../page.ts';
import { commandSheet } from './commands.ts';
import {
  type Click,
  type Demo,
  type Held,
  type SampleAnswer,
  type Sent,
  clicksOf,
  demoPaths,
  drawnIn,
  loginRequest,
  send,
} from './demo.ts';

/** @param demo whose page it is; absent for the start page */
function demoPage(frame: Frame, heading: string, content: Markup, demo?: Demo): Promise<Reply> {
  const page = { status: 200, language: 'en', direction: 'ltr' } as const;
  if (demo === undefined) return renderPage(frame, { ...page, title: heading, content });
  const { programme } = demo;
  const whole = html`<nav aria-label="Demo"><a href="/">All programmes</a></nav>
    ${logoOf(programme)}
    <h1>${programme.name}: ${heading}</h1>
    <section class="card">${content}</section>`;
  return renderPage(frame, { ...page, title: `${heading} – ${programme.name}`, content: whole });
}

/** Only programmes with a login serve pictures. */
function logoAddress(programme: Programme): string | undefined {
  const { logo } = programme.login;
  if (logo === undefined || !logsIn(programme)) return undefined;
  return programme.ownPath + programmePaths.pictures + logo.fileName;
}

function logoOf(programme: Programme): Markup | string {
  const address = logoAddress(programme);
  if (address === undefined) return '';
  const look = programme.login.logo?.adapts === true ? 'logo' : 'logo paper';
  return html`<img class="${look}" src="${address}" alt="" />`;
}

/** A programme on the start page, with what is not the same at all of them. */
function startCard(demo: Demo, demos: readonly Demo[]): Markup {
  const { programme, dialect, by, member } = demo;
  const { id, name } = programme;
  const all = demos.map((one) => ownWays(one));
  const own = Object.entries(ownWays(demo)).filter(([of, way]) =>
    all.some((one) => one[of] !== way),
  );
  return html`<section class="card" aria-labelledby="${id}">
    ${logoOf(programme)}
    <h2 id="${id}">${name}</h2>
    <p>${dialect}</p>
    ${waysIn(demo)} ${own.length === 0 ? '' : html`<h3>How it differs</h3>`}
    <ul>
      ${own.map(([of, way]) => html`<li><strong>${of}</strong> ${way}</li>`)}
    </ul>
    <h3>Member</h3>
    ${values({ Username: member.username, Password: member.password })}
    <h3>Partner</h3>
    ${values({ Client: by.client.id, Secret: by.secret, 'API key': by.apiKey })}
    <p>
      <a href="${demoPaths(id).partner}">Page for partners</a>
      <a href="${demoPaths(id).commands}">Commands for bash</a>
    </p>
  </section>`;
}

/** What dialects differ in most, in words. */
function ownWays({ programme }: Demo): Readonly<Record<string, string>> {
  const { clients, grants, tokenEndpoints, access, verification } = programme;
  const { methods } = clients.authentication;
  const refused = failureAnswer(programme, 'client_authentication_failed');
  const headers = verification.comparedHeaders.map(({ name }) => name).join(', ');
  const { reading, path } = programme.login.endpoint;
  return {
    ...(logsIn(programme) && { 'Login request': `${reading.methods.join(' or ')} ${path}` }),
    'Token requests': tokenEndpoints.map((one) => one.path).join(', '),
    Grants: [...grants].join(', '),
    'The partner proves itself by': methods.map((one) => methodRows[one].offered).join(', or by '),
    'Access tokens': access.isSigned ? `JWTs (${access.algorithm})` : 'random texts',
    'Headers beside a token': headers === '' ? 'none' : headers,
    'A wrong secret is answered': `${refused.status} ${refused.body}`,
  };
}

function values(named: Readonly<Record<string, string>>): Markup {
  const rows = Object.entries(named).map(
    ([name, value]) =>
      html`<dt>${name}</dt>
        <dd><code>${value}</code>${value.length > 12 ? copyButton(name) : ''}</dd>`,
  );
  return html`<dl>${rows}</dl>`;
}

/** Copies what stands before it; the page's script shows it. */
function copyButton(name: string): Markup {
  return html`<button type="button" class="copy" aria-label="Copy: ${name}" hidden>Copy</button>`;
}

/** Buttons for the ways to tokens that can begin with a click, the usual one first. */
function waysIn(demo: Demo): Markup {
  const login = demo.programme.grants.has('authorization_code') ? loginButton(demo) : '';
  return html`${login} ${nextClicks(demo, {}, ['password', 'own'])}`;
}

/** A button for any method: a form with the method GET sends its fields as the query. */
function loginButton(demo: Demo): Markup {
  const { method, path, query, form } = loginRequest(demo, 'demo');
  const search = new URLSearchParams(query.map(([name, value]) => [name, value]));
  const fields = method === 'GET' ? query : form;
  const action = fields === undefined ? `${path}?${search.toString()}` : path;
  return html`<form method="${method.toLowerCase()}" action="${action}">
    ${fields?.map(([name, value]) => hiddenField(name, value)) ?? ''}
    <button>Log in as this member</button>
  </form>`;
}

function hiddenField(name: string, value: string): Markup {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

/** Buttons of clicks, by their keys or groups; their form holds what the visitor has. */
function nextClicks(demo: Demo, held: Held, keys: readonly string[]): Markup {
  const clicks = clicksOf(demo, held).filter(({ key, group = key }) => keys.includes(group));
  const buttons = clicks.map(
    ({ key, label, what }) =>
      html`<li><button name="click" value="${key}">${label}</button> ${what}</li>`,
  );
  return html`<form method="post" action="${demoPaths(demo.programme.id).tokens}">
    ${Object.entries(held).map(([name, value]) => hiddenField(name, String(value)))}
    <ul>
      ${buttons}
    </ul>
  </form>`;
}

/** A request with its answer, the tokens by then, and what can be clicked next. */
function answerCard(demo: Demo, click: Click, { answer, isRefused, held }: Sent): Markup {
  const { group, label, what, request, good, refused } = click;
  const { access, refresh, ended } = held;
  const status = `${answer.status} ${STATUS_CODES[answer.status] ?? ''}`;
  const groups = new Set(clicksOf(demo, held).flatMap((one) => one.group ?? []));
  const tokens = { 'Access token': access ?? '', 'Refresh token': refresh ?? '' };
  return html`<h2>
      ${group === undefined ? label : `${label}: ${what}`}
      <span class="${isRefused ? 'status bad' : 'status'}">${status}</span>
    </h2>
    <p>${isRefused ? refused : good}</p>
    ${lines('Request', curlLines(demo.base, request))} ${copyButton('Request')}
    ${lines('Answer', answerText(answer))}
    <h2>Tokens${ended === undefined ? '' : html` <span class="status bad">ended</span>`}</h2>
    ${values(Object.fromEntries(Object.entries(tokens).filter(([, token]) => token !== '')))}
    <h2>Go on</h2>
    ${nextClicks(demo, held, ['verify', 'refresh', 'replay'])} ${waysIn(demo)}
    <details ${group === undefined ? '' : 'open'}>
      <summary><h2>Errors in this dialect</h2></summary>
      ${[...groups].map(
        (one) =>
          html`<h3>${one}</h3>
            ${nextClicks(demo, held, [one])}`,
      )}
    </details>`;
}

function lines(name: string, text: string): Markup {
  return html`<h3>${name}</h3>
    <pre tabindex="0" role="group" aria-label="${name}"><code>${text}</code></pre>`;
}

/** Headers of every answer, in every dialect. */
const dull =
  /^(?:date|connection|keep-alive|content-length|cache-control|pragma|vary|allow|x-request-id)$/;

function answerText({ headers, body }: SampleAnswer): string {
  const head = Object.entries(headers).filter(([name]) => !dull.test(name));
  const [, heading] = /<h1>(.*?)<\/h1>/s.exec(body) ?? [];
  const shown = heading === undefined ? indented(body) : `A page: ${heading}`;
  return [...head.map(([name, value]) => `${name}: ${value}`), '', shown].join('\n').trimEnd();
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

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
      An answer in the fragment stands behind the # of this page&rsquo;s address; the page reads it
      by a script.
    </span>`;
  const failed = query === '' ? nothing : 'The redirect brought no code:';
  const content = html`<p>
      This page stands in for the partner&rsquo;s.
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
