// Owns the demo partner of `jetway dev`: a start page, a callback that shows the code, and its
// exchange at a click. Mounted by `dev` and by no other verb.

import { html } from 'hono/html';

import {
  MalformedParameters,
  noParameters,
  type Parameters,
  parseForm,
} from '../../oauth/parameters.ts';
import { noStore, type Reply } from '../../oauth/reply.ts';
import type { WireRequest } from '../../oauth/wire_request.ts';
import type { App } from '../endpoints.ts';
import { type Markup, plainFrame, renderPage } from '../page.ts';
import { commandSheet } from './commands.ts';
import { curlCommand } from './curl.ts';
import {
  commandsPath,
  type Demo,
  demoCallbackPath,
  demoPath,
  loginRequest,
  tokenRequest,
} from './demo.ts';
import { sendSample } from './send.ts';

/** Adds the demo's pages to an app. */
export function mountDemo(app: App, demos: readonly Demo[]): void {
  mountPage(app, '/', ['GET'], () => startPage(demos));
  for (const demo of demos) {
    const { id } = demo.programme;
    const callback = demoCallbackPath(id);
    mountPage(app, demoPath(id), ['GET'], () => startPage([demo]));
    mountPage(app, commandsPath(id), ['GET'], () => Promise.resolve(commandsPage(demo)));
    mountPage(app, callback, ['GET'], (request) => callbackPage(demo, callback, request));
    // GET: a reload, which the script makes one (page.js); the code is spent.
    mountPage(app, `${callback}/exchange`, ['GET', 'POST'], (request) =>
      request.method === 'GET' ? startPage([demo]) : exchangePage(demo, request),
    );
  }
}

/** What a demo page was sent; nothing where it cannot be decoded. */
function sentFields(text: string): Parameters {
  try {
    return parseForm(text);
  } catch (error) {
    if (error instanceof MalformedParameters) return noParameters;
    throw error;
  }
}

function mountPage(
  app: App,
  path: string,
  methods: readonly string[],
  answer: (request: WireRequest) => Promise<Reply>,
): void {
  const refusal = { status: 405, headers: { Allow: methods.join(', ') }, body: '' };
  app.endpoint(path, { methods: new Set(methods), wrongMethod: () => refusal, answer });
}

function commandsPage(demo: Demo): Reply {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', ...noStore };
  return { status: 200, headers, body: commandSheet(demo) };
}

function demoPage(title: string, content: Markup): Promise<Reply> {
  const whole = html`<h1>${title}</h1>
    ${content}`;
  return renderPage(plainFrame, {
    status: 200,
    title,
    language: 'en',
    direction: 'ltr',
    content: whole,
  });
}

function startPage(demos: readonly Demo[]): Promise<Reply> {
  const items = demos.map(
    (demo) =>
      html`<h2>${demo.programme.name}</h2>
        <p>
          Username <code>${demo.member.username}</code><br />Password
          <code>${demo.member.password}</code>
        </p>
        ${loginControl(demo)}`,
  );
  const intro =
    demos.length === 1 ? 'This programme has a member' : 'Each of these programmes has a member';
  return demoPage(
    'Jetway demo',
    html`<p>
        ${intro} and a partner for you to try a login with. Both are gone when the demo stops.
      </p>
      ${items}`,
  );
}

/** A button, whatever the method: a form whose method is GET sends its fields as the query. */
function loginControl(demo: Demo): Markup {
  const { method, path, query } = loginRequest(demo, 'demo');
  const search = new URLSearchParams(query.map(([name, value]) => [name, value]));
  const action = method === 'GET' ? path : `${path}?${search.toString()}`;
  return html`<form method="${method.toLowerCase()}" action="${action}">
    ${(method === 'GET' ? query : []).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}<button type="submit">Log in as this member</button>
  </form>`;
}

function callbackPage(demo: Demo, path: string, request: WireRequest): Promise<Reply> {
  const sent = sentFields(request.query);
  const code = sent.get(demo.definition.authorize.answer.code)?.[0];
  const rows = [...sent].map(
    ([name, values]) => html`<p><strong>${name}</strong><br /><code>${values.join(' ')}</code></p>`,
  );
  const next =
    code === undefined
      ? loginControl(demo)
      : html`<form method="post" action="${path}/exchange">
          <input type="hidden" name="code" value="${code}" />
          <button type="submit">Exchange the code for tokens</button>
        </form>`;
  const intro = html`<p>
    This page stands in for the partner’s. The redirect from the login brought:
  </p>`;
  return demoPage(`${demo.programme.name}: back at the partner`, html`${intro}${rows}${next}`);
}

async function exchangePage(demo: Demo, sent: WireRequest): Promise<Reply> {
  const body = sent.body === 'too_large' ? '' : Buffer.from(sent.body).toString();
  const code = sentFields(body).get('code')?.[0] ?? '';
  const request = tokenRequest(demo, 'authorization_code', { code });
  const answer = await sendSample(demo.base, request);
  return demoPage(
    `${demo.programme.name}: tokens`,
    html`<p>The partner sent:</p>
      <pre>${curlCommand(demo.base, request)}</pre>
      <p>and was answered, with status ${String(answer.status)}:</p>
      <pre>${pretty(answer.body)}</pre>
      <p><a href="/">Start again</a></p>`,
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
