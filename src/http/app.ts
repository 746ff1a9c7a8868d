// Owns the app of one deployment: every path and method, built whole and swapped whole.

import {
  missingPath,
  ownMethods,
  tooManyAtOnce,
  unknownDemand,
  wrongMethod as wrongMethodCause,
} from '../engine/causes/trouble.ts';
import { renderFailure, type ReportedFailure } from '../engine/failure.ts';
import { answerIntrospection } from '../engine/introspection.ts';
import { answerRevocation } from '../engine/revocation.ts';
import type { Log, Service } from '../engine/service.ts';
import { answerTokenRequest } from '../engine/token_request.ts';
import { answerVerification, refuseVerification } from '../engine/verification.ts';
import { present } from '../lib/present.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { jsonReply, type Reply } from '../oauth/reply.ts';
import type { EndpointFacts, EndpointKind, RequestRecord } from '../oauth/request_record.ts';
import type { RequestHead } from '../oauth/wire_request.ts';
import {
  type Deployment,
  isForGateways,
  type Route,
  selectRoute,
  type SharedRoute,
} from '../programme/deployment.ts';
import type { Programme } from '../programme/programme.ts';
import { verificationModes } from '../programme/requests/demand.ts';
import { managementMethods } from '../programme/requests/token_management.ts';
import { keySetMaxAge } from '../token/signing_keys.ts';
import { App, type Endpoint, type HeadReply, type Load, type Select } from './endpoints.ts';
import { handleLoginPage, handleLoginRequest, type LoginSite, textsFor } from './login_handlers.ts';
import { renderPicture } from './login_pages.ts';
import { missingPage, noting, orPage } from './missing_pages.ts';
import { noProxies, type ProxyTest, readHead } from './read_request.ts';
import { withHeaders } from './respond.ts';
import type { WorkKind } from './waiting_line.ts';

/**
 * Builds the app. Paths match as they were sent; every method reaches our own table.
 *
 * @param isProxy tests whether X-Forwarded-For of an address is trusted
 * @param listener the listener whose paths to serve
 */
export function createApp(
  deployment: Deployment,
  sites: Sites,
  log: Log,
  isProxy: ProxyTest = noProxies,
  listener: Listener = 'all',
): App {
  const failed = (error: Error, { id: request_id }: RequestRecord): Reply => {
    log.error('server_error', { request_id, detail: error.stack ?? error.message });
    return serverError;
  };
  const page = listener === 'gateway' ? () => notFound : missingPage([...sites.values()], notFound);
  const missing = noting(page, 'not_found', missingPath);
  const app = new App(failed, missing, isProxy);
  for (const [path, route] of deployment) {
    if (listener !== 'all' && isForGateways(route) !== (listener === 'gateway')) continue;
    if (route.kind === 'verification') {
      mountVerification(app, path, siteOf(route, sites).service);
    } else if (route.kind === 'shared') app.endpoint(path, shared(path, route, sites, listener));
    else app.endpoint(path, endpointAt(path, route, sites, listener));
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
  const answer = async (head: RequestHead): Promise<Reply> => {
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

function endpointAt(path: string, route: Route, sites: Sites, listener: Listener): Endpoint {
  const facts = factsOf(route.programme, route.kind, path);
  return { facts, ...endpointOf(siteOf(route, sites), route, listener) };
}

/** `all` where gateways have no listener of their own. */
export type Listener = 'all' | 'main' | 'gateway';

/** Of each mounted programme. */
export type Sites = ReadonlyMap<ProgrammeId, LoginSite>;

function siteOf({ programme }: Route, sites: Sites): LoginSite {
  const site = sites.get(programme.id);
  if (site === undefined) throw new Error(`${programme.id} is not in service`);
  return site;
}

/** The endpoint of a path that several programmes share, by the request's head. */
function shared(path: string, route: SharedRoute, sites: Sites, listener: Listener): Select {
  const made = (one: Route): Endpoint => endpointAt(path, one, sites, listener);
  const endpoints = new Map([...route.byIdentifier.values()].map((one) => [one, made(one)]));
  const fallback = made(route.fallback);
  return (incoming) => endpoints.get(selectRoute(route, readHead(incoming))) ?? fallback;
}

function endpointOf(site: LoginSite, route: Route, listener: Listener): Endpoint {
  const { service } = site;
  switch (route.kind) {
    case 'token':
      return dialectEndpoint(service, 'token', route.endpoint.methods, (request) =>
        answerTokenRequest(service, route.endpoint, request),
      );
    case 'introspection':
      return dialectEndpoint(service, 'verify', managementMethods, (request) =>
        answerIntrospection(service, route.endpoint, request),
      );
    case 'revocation':
      return dialectEndpoint(service, 'token', managementMethods, (request) =>
        answerRevocation(service, route.endpoint, request),
      );
    case 'login_request':
      return browserEndpoint(site, service.programme.login.endpoint.methods, (request) =>
        handleLoginRequest(site, request),
      );
    case 'login_page':
      return browserEndpoint(site, new Set(['GET', 'POST']), (request) =>
        handleLoginPage(site, request),
      );
    case 'picture': {
      const picture = renderPicture(route.picture);
      return plainEndpoint(readOnly, () => picture);
    }
    case 'key_set': {
      const { keys } = service;
      if (keys === undefined) throw new Error(`${service.programme.id} signs no tokens`);
      // RFC 7517, read at each request.
      return plainEndpoint(readOnly, () => published('application/jwk-set+json', keys.keySet()));
    }
    case 'metadata': {
      const offered = { introspection: listener === 'all', keySet: service.keys !== undefined };
      const reply = published('application/json', route.metadata.document(offered));
      return plainEndpoint(readOnly, () => reply);
    }
    case 'verification':
      break;
  }
  throw new Error('verify has many paths, and is mounted by itself');
}

const readOnly: ReadonlySet<string> = new Set(['GET']);

/**
 * A document that anybody may fetch. The key set's age is also the metadata's: a key signs only once
 * every verifier that kept the key set this long has fetched it anew.
 */
function published(type: string, body: string): Reply {
  return Object.freeze({
    status: 200,
    headers: { 'Content-Type': type, 'Cache-Control': `public, max-age=${keySetMaxAge}` },
    body,
  });
}

/** Every answer, also to a wrong method, is in the dialect's words. */
function dialectEndpoint(
  service: Service,
  kind: WorkKind,
  methods: ReadonlySet<string>,
  answer: Endpoint['answer'],
): Endpoint {
  const { clock } = service;
  const load: Load = {
    kind,
    tooMany: ({ record }, retryAfter) =>
      renderFailure(service, tooMany(service, retryAfter, record)),
  };
  const allow = [...methods].join(', ');
  const cause = wrongMethodCause(methods);
  const wrongMethod: HeadReply = ({ record }) => {
    const facts = { allow, at: clock.now(), cause };
    const failure: ReportedFailure = { reason: 'method_not_allowed', facts };
    record.failure = failure;
    return renderFailure(service, failure);
  };
  return { load, methods, wrongMethod, answer };
}

function tooMany({ clock }: Service, retryAfter: number, record: RequestRecord): ReportedFailure {
  const facts = { retryAfter, at: clock.now(), cause: tooManyAtOnce };
  const failure: ReportedFailure = { reason: 'temporarily_unavailable', facts };
  record.failure = failure;
  return failure;
}

function plainEndpoint(methods: ReadonlySet<string>, answer: Endpoint['answer']): Endpoint {
  const refusal = withHeaders(methodNotAllowed, allow(methods));
  const wrongMethod = noting(refusal, 'method_not_allowed', () => ownMethods(methods));
  return { methods, wrongMethod, answer };
}

/** Browsers get a page also for a wrong method (P-3). */
function browserEndpoint(
  site: LoginSite,
  methods: ReadonlySet<string>,
  answer: Endpoint['answer'],
): Endpoint {
  const allowed = allow(methods);
  const refusal = withHeaders(methodNotAllowed, allowed);
  const { service, pages } = site;
  const load: Load = {
    kind: 'login',
    tooMany: async (head, retryAfter) => {
      tooMany(service, retryAfter, head.record);
      const page = await pages.standing('difficulties', textsFor(service.programme, head), 503);
      return withHeaders(page, { 'Retry-After': `${retryAfter}` });
    },
  };
  const page = orPage(site, 'wrong_method', refusal, allowed);
  const wrongMethod = noting(page, 'method_not_allowed', () => wrongMethodCause(methods));
  return { load, methods, wrongMethod, answer };
}

function allow(methods: ReadonlySet<string>): { readonly Allow: string } {
  return { Allow: [...methods].join(', ') };
}

const notFound = jsonReply(404, { error: 'not_found' });
const unknownMode = noting(notFound, 'not_found', () => unknownDemand(verificationModes));
const methodNotAllowed = jsonReply(405, { error: 'method_not_allowed' });
const serverError = jsonReply(500, { error: 'server_error' });
