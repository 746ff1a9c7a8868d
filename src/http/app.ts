// Owns the app of one deployment: every path and method, built whole and swapped whole.

import { missingPath, unknownDemand } from '../engine/causes/trouble.ts';
import type { Log, Service } from '../engine/service.ts';
import { answerVerification, refuseVerification } from '../engine/verification.ts';
import { present } from '../lib/present.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { jsonReply, type Reply } from '../oauth/reply.ts';
import type { EndpointFacts, EndpointKind, RequestRecord } from '../oauth/request_record.ts';
import {
  type Deployment,
  isForGateways,
  selectRoute,
  type SharedRoute,
} from '../programme/deployment.ts';
import type { Programme } from '../programme/programme.ts';
import { verificationModes } from '../programme/requests/verification.ts';
import type { EndpointRoute, Route } from '../programme/routes.ts';
import { App, type Endpoint, type HeadReply, type Load, type Select } from './endpoints.ts';
import type { LoginSite } from './login_handlers.ts';
import { missingPage, noting } from './missing_pages.ts';
import { noProxies, type ProxyTest, readHead } from './read_request.ts';
import { endpointOf, type Listener, tooMany } from './route_endpoints.ts';

export interface AppOptions {
  /** Tests whether X-Forwarded-For of an address is trusted; none is if left out. */
  readonly isProxy?: ProxyTest;
  /** The listener whose paths to serve. */
  readonly listener?: Listener;
  /** More headers of all pages, and of the redirects of logins. */
  readonly pageHeaders?: Readonly<Record<string, string>>;
}

/** Builds the app. Paths match as they were sent; every method reaches our own table. */
export function createApp(
  deployment: Deployment,
  served: Sites,
  log: Log,
  { isProxy = noProxies, listener = 'all', pageHeaders = {} }: AppOptions = {},
): App {
  const sites: Sites = new Map([...served].map(([id, site]) => [id, { ...site, pageHeaders }]));
  const failed = (error: Error, { id: request_id }: RequestRecord): Reply => {
    log.error('server_error', { request_id, detail: error.stack ?? error.message });
    return serverError;
  };
  const page =
    listener === 'gateway'
      ? () => notFound
      : missingPage([...sites.values()], notFound, pageHeaders);
  const missing = noting(page, 'not_found', missingPath);
  const app = new App(failed, missing, isProxy);
  for (const [path, route] of deployment) {
    if (listener !== 'all' && isForGateways(route) !== (listener === 'gateway')) continue;
    if (route.kind === 'verification') {
      mountVerification(app, path, siteOf(route, sites).service);
    } else if (route.kind === 'shared') app.endpoint(path, shared(path, route, sites, listener));
    else app.endpoint(path, selectAt(path, route, sites, listener));
  }
  return app;
}

/** Every path below the prefix. The body belongs to the API and stays unread. */
function mountVerification(app: App, path: string, service: Service): void {
  const prefix = path.slice(0, -1);
  const facts = factsOf(service.programme, 'verification', path);
  const load: Load = {
    kind: 'verify',
    tooMany: ({ record }, retryAfter) =>
      refuseVerification(service, tooMany(service, retryAfter, record)),
  };
  const answer: HeadReply = async (head) => {
    const reply = await answerVerification(service, head.path.slice(prefix.length), head);
    if (reply !== undefined) return reply;
    return unknownMode(head);
  };
  app.below(prefix, { facts, load, answer });
}

/** What the records of an endpoint's requests have in common. */
function factsOf(
  { id, requestIdHeader }: Programme,
  kind: EndpointKind,
  path: string,
): EndpointFacts {
  return Object.freeze({ kind, path, programme: id, ...present({ idHeader: requestIdHeader }) });
}

/** The endpoint of a programme's path, by the request's method where it has several. */
function selectAt(path: string, route: Route, sites: Sites, listener: Listener): Select {
  const made = (one: EndpointRoute, allowed?: ReadonlySet<string>): Endpoint => {
    const facts = factsOf(one.programme, one.kind, path);
    return { facts, ...endpointOf(siteOf(one, sites), one, listener, allowed) };
  };
  if (route.kind !== 'by_method') {
    const endpoint = made(route);
    return () => endpoint;
  }
  const allowed = new Set(route.routes.flatMap((one) => [...made(one).methods]));
  const endpoints = route.routes.map((one) => made(one, allowed));
  const [first] = endpoints;
  if (first === undefined) throw new Error(`nothing is mounted at ${path}`);
  // A token endpoint comes last: its callers are told of a wrong method in the dialect's words.
  const last = endpoints.at(-1) ?? first;
  return ({ method = '' }) => endpoints.find(({ methods }) => methods.has(method)) ?? last;
}

/** Of each mounted programme. */
export type Sites = ReadonlyMap<ProgrammeId, LoginSite>;

function siteOf({ programme }: Route, sites: Sites): LoginSite {
  const site = sites.get(programme.id);
  if (site === undefined) throw new Error(`${programme.id} is not in service`);
  return site;
}

/** The endpoint of a path that several programmes share, by the request's head. */
function shared(path: string, route: SharedRoute, sites: Sites, listener: Listener): Select {
  const made = (one: Route): Select => selectAt(path, one, sites, listener);
  const selects = new Map([...route.byIdentifier.values()].map((one) => [one, made(one)]));
  const fallback = made(route.fallback);
  const select: Select = (incoming) =>
    (selects.get(selectRoute(route, readHead(incoming))) ?? fallback)(incoming);
  if (!route.selector.inHeader) return select;
  return (incoming) => {
    const selected = select(incoming);
    if (incoming.method !== 'OPTIONS') return selected;
    const asked = [...selects.values()].flatMap((one) => one(incoming).preflight ?? []);
    if (asked.length === 0) return selected;
    // A preflight has no header of the dialect: any of the programmes may let the page ask.
    const preflight: NonNullable<Endpoint['preflight']> = async (head) => {
      for (const ask of asked) {
        const reply = await ask(head);
        if (reply !== undefined) return reply;
      }
      return undefined;
    };
    return { ...selected, preflight };
  };
}

const notFound = jsonReply(404, { error: 'not_found' });
const unknownMode = noting(notFound, 'not_found', () => unknownDemand(verificationModes));
const serverError = jsonReply(500, { error: 'server_error' });
