// Owns the demo's paths: each page, and the action of each button. Only `dev` mounts them.

import { html } from 'hono/html';

import type { SampleValues } from '../../contract/samples/proof.ts';
import { BoundedMap } from '../../lib/bounded_map.ts';
import type { GrantType } from '../../oauth/grant.ts';
import { parseFormOrNone } from '../../oauth/parameters.ts';
import { noStore, type Reply } from '../../oauth/reply.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import type { App } from '../endpoints.ts';
import { type Frame, readLook } from '../page.ts';
import { commandSheet } from './commands.ts';
import { type Demo, demoPaths } from './demo.ts';
import { cardPage, clubFrame, copyable, startFrame } from './parts.ts';
import { grantButton, startPage, waysIn } from './start_page.ts';
import { faultsOf, provoke, stepsOf, takeStep } from './steps.ts';
import { beginVisit, type Visit } from './visit.ts';
import { visitPage } from './visit_page.ts';

/** Number of visits kept for each programme; the oldest are removed. */
const mostVisits = 200;

type PageAnswer = (request: WireRequest) => Promise<Reply> | Reply;
type PageAnswers = Readonly<Partial<Record<'GET' | 'POST', PageAnswer>>>;

export function mountDemo(app: App, demos: readonly Demo[]): void {
  // Read here: no other verb uses the files.
  const look = readLook('demo/demo');
  const frame = startFrame(demos, look);
  for (const demo of demos) {
    const mount = (path: string, answers: PageAnswers): void =>
      mountPage(app, demo.base, path, answers);
    const own = clubFrame(demo, look);
    const visits = new BoundedMap<string, Visit>(mostVisits);
    const { home, commands, callback, tokens } = demoPaths(demo.programme.id);
    if (demo === demos[0]) mount('/', { GET: () => startPage(frame, demos) });
    mount(home, { GET: () => startPage(own, [demo]) });
    mount(commands, { GET: () => commandsPage(demo) });
    mount(callback, {
      GET: ({ query }) => callbackPage(own, demo, query),
      POST: (request) => callbackPage(own, demo, bodyText(request)),
    });
    mount(tokens, {
      GET: ({ query }) => shownVisit(own, demo, visits.get(sentOne(query, 'visit'))),
      POST: (request) => click(demo, visits, request),
    });
  }
}

/**
 * Answers only at the demo's own host name and for its own pages, and redirects other requests
 * there: another host name that points to this machine must not read the secrets on the pages, and
 * clicks from foreign pages would evict visits.
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

/** The first value of a field; empty where there is none. */
function sentOne(text: string, name: string): string {
  return parseFormOrNone(text).get(name)?.[0] ?? '';
}

function commandsPage(demo: Demo): Reply {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', ...noStore };
  return { status: 200, headers, body: commandSheet(demo) };
}

function bodyText({ body }: WireRequest): string {
  return body === 'too_large' ? '' : Buffer.from(body).toString();
}

/**
 * Replaces the partner's page. A fragment is not sent to any server: the page's script opens the page
 * again with the fragment's text as its query.
 */
function callbackPage(frame: Frame, demo: Demo, query: string): Promise<Reply> {
  const code = sentOne(query, demo.programme.layouts.redirect.code);
  const rows = [...parseFormOrNone(query)].map(([name, values]) =>
    copyable(name, values.join(' ')),
  );
  const [what, next] =
    code === ''
      ? [
          query === ''
            ? html`The redirect brought nothing in its query or form.
                <span data-fragment>
                  An answer in the fragment stands behind the # of this page’s address; the page
                  reads it by a script.
                </span>`
            : 'The redirect brought no code:',
          waysIn(demo),
        ]
      : [
          'The login is done. The redirect to the partner brought:',
          grantButton(demo, 'authorization_code', 'Exchange the code for tokens', code),
        ];
  const content = html`<p>This page stands in for the partner’s. ${what}</p>
    <dl>${rows}</dl>
    ${next}`;
  return cardPage(frame, demo, 'Back at the partner', content);
}

function shownVisit(frame: Frame, demo: Demo, visit: Visit | undefined): Promise<Reply> {
  if (visit !== undefined) return visitPage(frame, visit);
  const content = html`<p>
      These tokens are forgotten: the demo keeps them in memory, and only the latest.
    </p>
    ${waysIn(demo)}`;
  return cardPage(frame, demo, 'Start again', content);
}

/** Runs the action, then redirects to its page, so that a reload does not repeat it. */
async function click(
  demo: Demo,
  visits: BoundedMap<string, Visit>,
  request: WireRequest,
): Promise<Reply> {
  const { query } = request;
  const form = bodyText(request);
  const { tokens } = demoPaths(demo.programme.id);
  const found = visits.get(sentOne(query, 'visit'));
  if (found !== undefined) await goOn(found, form);
  const visit = found ?? (await begin(demo, form));
  if (visit === undefined) return seeOther(tokens);
  visits.set(visit.id, visit);
  return seeOther(`${tokens}?visit=${visit.id}#answer-${visit.exchanges.length}`);
}

async function begin(demo: Demo, form: string): Promise<Visit | undefined> {
  const values: Readonly<Record<GrantType, SampleValues>> = {
    authorization_code: { code: sentOne(form, 'code') },
    client_credentials: {},
    password: demo.member,
    token_exchange: {},
    jwt_bearer: {},
    refresh_token: {},
  };
  const grant = [...demo.programme.grants].find((one) => one === sentOne(form, 'grant'));
  return grant && beginVisit(demo, grant, values[grant]);
}

async function goOn(visit: Visit, form: string): Promise<void> {
  const step = stepsOf(visit).find(({ name }) => name === sentOne(form, 'step'));
  if (step !== undefined) await takeStep(visit, step);
  const fault = faultsOf(visit).find(({ key }) => key === sentOne(form, 'fault'));
  if (fault !== undefined) await provoke(visit, fault);
}

function seeOther(location: string): Reply {
  return { status: 303, headers: { Location: location, ...noStore }, body: '' };
}
