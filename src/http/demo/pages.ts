// Owns the addresses of the demo: which page stands where, and what a click does. Mounted by `dev` and
// by no other verb.

import { html } from 'hono/html';

import { BoundedMap } from '../../lib/bounded_map.ts';
import type { GrantType } from '../../oauth/grant.ts';
import {
  MalformedParameters,
  noParameters,
  type Parameters,
  parseForm,
} from '../../oauth/parameters.ts';
import { noStore, type Reply } from '../../oauth/reply.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import type { SampleValues } from '../../programme/requests/sample_request.ts';
import type { App } from '../endpoints.ts';
import type { Frame } from '../page.ts';
import { commandSheet } from './commands.ts';
import { commandsPath, type Demo, demoCallbackPath, demoPath, tokensPath } from './demo.ts';
import { faultsOf } from './faults.ts';
import { clubFrame, clubPage, copyable, readDemoLook, startFrame } from './frame.ts';
import { startPage, waysIn } from './start_page.ts';
import { beginVisit, provoke, stepsOf, takeStep, type Visit } from './visit.ts';
import { visitPage } from './visit_page.ts';

/** Visits that can be gone back to; older ones are forgotten. */
const mostVisits = 200;

type PageAnswer = (request: WireRequest) => Promise<Reply> | Reply;

/** Adds the demo's pages to an app. */
export function mountDemo(app: App, demos: readonly Demo[]): void {
  const look = readDemoLook();
  const frame = startFrame(demos, look);
  for (const [index, demo] of demos.entries()) {
    const { base, programme } = demo;
    if (index === 0) mountPage(app, base, '/', { GET: () => startPage(frame, demos) });
    const own = clubFrame(demo, look);
    const visits = new BoundedMap<string, Visit>(mostVisits);
    mountPage(app, base, demoPath(programme.id), { GET: () => startPage(own, [demo]) });
    mountPage(app, base, commandsPath(programme.id), { GET: () => commandsPage(demo) });
    mountPage(app, base, demoCallbackPath(programme.id), {
      GET: (request) => callbackPage(own, demo, request),
    });
    mountPage(app, base, tokensPath(programme.id), {
      GET: (request) => shownVisit(own, demo, visits.get(sentOne(request.query, 'visit') ?? '')),
      POST: (request) => click(demo, visits, request),
    });
  }
}

/**
 * Secrets stand on these pages: a page of another name, which somebody has pointed at this machine,
 * must not read them. Nor does a page from elsewhere click here: it would push visits out. Browsers
 * are sent to where the demo listens.
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

/** What a demo page was sent; nothing where it cannot be decoded. */
function sentFields(text: string): Parameters {
  try {
    return parseForm(text);
  } catch (error) {
    if (error instanceof MalformedParameters) return noParameters;
    throw error;
  }
}

function sentOne(text: string, name: string): string | undefined {
  return sentFields(text).get(name)?.[0];
}

function commandsPage(demo: Demo): Reply {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', ...noStore };
  return { status: 200, headers, body: commandSheet(demo) };
}

/** The page that stands in for the partner's. */
function callbackPage(frame: Frame, demo: Demo, { query }: WireRequest): Promise<Reply> {
  const sent = sentFields(query);
  const { answer } = demo.definition.authorize;
  const code = sent.get(answer.code)?.[0];
  const rows = [...sent].map(([name, values]) => copyable(name, values.join(' ')));
  const next =
    code === undefined
      ? waysIn(demo)
      : html`<form method="post" action="${tokensPath(demo.programme.id)}">
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

/** Does what was clicked, and goes on to the page that shows it: a reload does nothing twice. */
async function click(
  demo: Demo,
  visits: BoundedMap<string, Visit>,
  { query, body }: WireRequest,
): Promise<Reply> {
  const sent = sentFields(body === 'too_large' ? '' : Buffer.from(body).toString());
  const grant = sent.get('grant')?.[0];
  const found = visits.get(sentOne(query, 'visit') ?? '');
  if (found === undefined && grant === undefined) return seeOther(tokensPath(demo.programme.id));
  const visit = found ?? (await begin(demo, grant, sent));
  visits.set(visit.id, visit);
  if (found !== undefined) await goOn(found, sent);
  const last = visit.exchanges.length;
  return seeOther(`${tokensPath(demo.programme.id)}?visit=${visit.id}#answer-${last}`);
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
