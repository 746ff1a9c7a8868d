// Owns the demo's paths: each page, and the action of each button. Only `dev` mounts them.

import { html } from 'hono/html';

import { BoundedMap } from '../../lib/bounded_map.ts';
import type { GrantType } from '../../oauth/grant.ts';
import { type Parameters, parseFormOrNone } from '../../oauth/parameters.ts';
import { noStore, type Reply } from '../../oauth/reply.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import type { SampleValues } from '../../programme/requests/sample_request.ts';
import type { App } from '../endpoints.ts';
import type { Frame } from '../page.ts';
import { commandSheet } from './commands.ts';
import { type Demo, demoPaths } from './demo.ts';
import { faultsOf } from './faults.ts';
import { clubFrame, clubPage, copyable, readDemoLook, startFrame } from './frame.ts';
import { startPage, waysIn } from './start_page.ts';
import { beginVisit, provoke, stepsOf, takeStep, type Visit } from './visit.ts';
import { visitPage } from './visit_page.ts';

/** Number of visits kept for each programme; the oldest are removed. */
const mostVisits = 200;

type PageAnswer = (request: WireRequest) => Promise<Reply> | Reply;

export function mountDemo(app: App, demos: readonly Demo[]): void {
  const look = readDemoLook();
  const frame = startFrame(demos, look);
  for (const [index, demo] of demos.entries()) {
    const { base, programme } = demo;
    if (index === 0) mountPage(app, base, '/', { GET: () => startPage(frame, demos) });
    const own = clubFrame(demo, look);
    const visits = new BoundedMap<string, Visit>(mostVisits);
    mountPage(app, base, demoPaths(programme.id).home, { GET: () => startPage(own, [demo]) });
    mountPage(app, base, demoPaths(programme.id).commands, { GET: () => commandsPage(demo) });
    mountPage(app, base, demoPaths(programme.id).callback, {
      GET: (request) => callbackPage(own, demo, request),
    });
    mountPage(app, base, demoPaths(programme.id).tokens, {
      GET: (request) => shownVisit(own, demo, visits.get(sentOne(request.query, 'visit') ?? '')),
      POST: (request) => click(demo, visits, request),
    });
  }
}

/**
 * Answers only at the demo's own host name and for its own pages, and redirects other requests
 * there: another host name that points to this machine must not read the secrets on the pages, and
 * clicks from foreign pages would evict visits.
 */
function mountPage(
  app: App,
  base: string,
  path: string,
  answers: Readonly<Partial<Record<'GET' | 'POST', PageAnswer>>>,
): void {
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

function sentOne(text: string, name: string): string | undefined {
  return parseFormOrNone(text).get(name)?.[0];
}

function commandsPage(demo: Demo): Reply {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', ...noStore };
  return { status: 200, headers, body: commandSheet(demo) };
}

/** Replaces the partner's page. */
function callbackPage(frame: Frame, demo: Demo, { query }: WireRequest): Promise<Reply> {
  const sent = parseFormOrNone(query);
  const { answer } = demo.definition.authorize;
  const code = sent.get(answer.code)?.[0];
  const rows = [...sent].map(([name, values]) => copyable(name, values.join(' ')));
  const next =
    code === undefined
      ? waysIn(demo)
      : html`<form method="post" action="${demoPaths(demo.programme.id).tokens}">
          <input type="hidden" name="grant" value="authorization_code" />
          <input type="hidden" name="code" value="${code}" />
          <button type="submit">Exchange the code for tokens</button>
        </form>`;
  const what =
    code === undefined
      ? 'The redirect brought no code:'
      : 'The login is done. The redirect to the partner brought:';
  return clubPage(
    frame,
    demo,
    'Back at the partner',
    html`<section class="card narrow">
      <p>This page stands in for the partner’s. ${what}</p>
      <dl>${rows}</dl>
      ${next}
    </section>`,
  );
}

function shownVisit(frame: Frame, demo: Demo, visit: Visit | undefined): Promise<Reply> {
  if (visit !== undefined) return visitPage(frame, visit);
  return clubPage(
    frame,
    demo,
    'Start again',
    html`<section class="card narrow">
      <p>These tokens are forgotten: the demo keeps them in memory, and only the latest.</p>
      ${waysIn(demo)}
    </section>`,
  );
}

/** Runs the action, then redirects to its page, so that a reload does not repeat it. */
async function click(
  demo: Demo,
  visits: BoundedMap<string, Visit>,
  { query, body }: WireRequest,
): Promise<Reply> {
  const sent = parseFormOrNone(body === 'too_large' ? '' : Buffer.from(body).toString());
  const grant = sent.get('grant')?.[0];
  const found = visits.get(sentOne(query, 'visit') ?? '');
  if (found === undefined && grant === undefined)
    return seeOther(demoPaths(demo.programme.id).tokens);
  const visit = found ?? (await begin(demo, grant, sent));
  visits.set(visit.id, visit);
  if (found !== undefined) await goOn(found, sent);
  const last = visit.exchanges.length;
  return seeOther(`${demoPaths(demo.programme.id).tokens}?visit=${visit.id}#answer-${last}`);
}

function begin(demo: Demo, grant: string | undefined, sent: Parameters): Promise<Visit> {
  const values: Readonly<Partial<Record<GrantType, SampleValues>>> = {
    authorization_code: { code: sent.get('code')?.[0] ?? '' },
    client_credentials: {},
    password: demo.member,
  };
  const type = [...demo.programme.grants].find((one) => one === grant) ?? 'client_credentials';
  return beginVisit(demo, type, values[type] ?? {});
}

async function goOn(visit: Visit, sent: Parameters): Promise<void> {
  const [step] = sent.get('step') ?? [];
  const [key] = sent.get('fault') ?? [];
  const possible = stepsOf(visit).find((one) => one === step);
  if (possible !== undefined) await takeStep(visit, possible);
  const fault = faultsOf(visit).find((one) => one.key === key);
  if (fault !== undefined) {
    await provoke(visit, `${fault.reason}: ${fault.what}`, fault.request);
  }
}

function seeOther(location: string): Reply {
  return { status: 303, headers: { Location: location, ...noStore }, body: '' };
}
