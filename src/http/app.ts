// Owns the Hono app of one deployment: each path, every method, built whole and swapped whole.

import type { IncomingMessage } from 'node:http';

import { answerIntrospection } from '../engine/introspection.ts';
import { answerRevocation } from '../engine/revocation.ts';
import type { Log, Service } from '../engine/service.ts';
import { answerTokenRequest } from '../engine/token_request.ts';
import { answerVerification } from '../engine/verification.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import {
  type Deployment,
  isForGateways,
  type Route,
  selectRoute,
  type SharedRoute,
} from '../programme/deployment.ts';
import { managementMethods } from '../programme/requests/token_management.ts';
import { noProxies, type ProxyTest } from './caller_address.ts';
import { App, type Endpoint } from './endpoints.ts';
import { handleLoginPage, handleLoginRequest, type LoginSite } from './login_handlers.ts';
import { createLoginPages, type FilledForm, renderPicture } from './login_pages.ts';
import { missingPage, orPage } from './missing_pages.ts';
import { keySetAnswer, metadataAnswer } from './published.ts';
import { readHead } from './read_request.ts';
import { respond, withHeaders } from './respond.ts';

/**
 * Builds the app. Paths are matched as they were sent, and every method reaches our own table.
 *
 * @param isProxy whose X-Forwarded-For is believed
 * @param listener which of the paths to serve
 * @param filled members whose login pages come filled in: those of the demo
 */
export function createApp(
  deployment: Deployment,
  services: Services,
  log: Log,
  isProxy: ProxyTest = noProxies,
  listener: Listener = 'all',
  filled: FilledForms = new Map(),
): App {
  const failed = (error: Error): Reply => {
    log.error('server_error', { detail: error.stack ?? error.message });
    return serverError;
  };
  const app = new App(failed, isProxy);
  const sites = new Map(
    [...services].map(([id, service]) => [
      id,
      { service, pages: createLoginPages(service.programme, filled.get(id)) },
    ]),
  );
  for (const [path, route] of deployment) {
    if (listener !== 'all' && isForGateways(route) !== (listener === 'gateway')) continue;
    if (route.kind === 'verification') {
      mountVerification(app, path.slice(0, -1), siteOf(route, sites).service);
    } else if (route.kind === 'shared') app.endpoint(path, shared(route, sites, listener));
    else app.endpoint(path, single(route, sites, listener));
  }
  const missing =
    listener === 'gateway' ? () => notFound : missingPage([...sites.values()], notFound);
  app.notFound(async ({ env }) => respond(await missing(readHead(env.incoming))));
  return app;
}

/** Every path below the prefix. The body is the API's, and stays unread. */
function mountVerification(app: App, prefix: string, service: Service): void {
  app.below(prefix, async (head) => {
    const reply = await answerVerification(service, head.path.slice(prefix.length), head);
    return reply ?? notFound;
  });
}

/** Of the programmes whose login pages come filled in. */
export type FilledForms = ReadonlyMap<ProgrammeId, FilledForm>;

/** `all` where gateways have no listener of their own. */
export type Listener = 'all' | 'main' | 'gateway';

type Services = ReadonlyMap<ProgrammeId, Service>;

type Sites = ReadonlyMap<ProgrammeId, LoginSite>;

function siteOf({ programme }: Route, sites: Sites): LoginSite {
  const site = sites.get(programme.id);
  if (site === undefined) throw new Error(`${programme.id} is not in service`);
  return site;
}

function single(route: Route, sites: Sites, listener: Listener): Endpoint {
  if (route.kind === 'verification') throw new Error('verify paths are never shared');
  return endpointOf(siteOf(route, sites), route, listener);
}

function shared(
  route: SharedRoute,
  sites: Sites,
  listener: Listener,
): (incoming: IncomingMessage) => Endpoint {
  const endpoints = new Map(
    [route.fallback, ...route.byIdentifier.values()].map((one) => [
      one,
      single(one, sites, listener),
    ]),
  );
  const fallback = single(route.fallback, sites, listener);
  return (incoming) => endpoints.get(selectRoute(route, readHead(incoming))) ?? fallback;
}

/** A route of one path; `verification` has many, and is mounted by itself. */
type PathRoute = Exclude<Route, { readonly kind: 'verification' }>;

function endpointOf(site: LoginSite, route: PathRoute, listener: Listener): Endpoint {
  const { service } = site;
  switch (route.kind) {
    case 'token':
      return dialectEndpoint(service, route.endpoint.methods, (request) =>
        answerTokenRequest(service, route.endpoint, request),
      );
    case 'introspection':
      return dialectEndpoint(service, managementMethods, (request) =>
        answerIntrospection(service, route.endpoint, request),
      );
    case 'revocation':
      return dialectEndpoint(service, managementMethods, (request) =>
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
      return plainEndpoint(new Set(['GET']), () => picture);
    }
    case 'key_set':
      return plainEndpoint(published, keySetAnswer(service));
    case 'metadata':
      break;
  }
  const offered = { introspection: listener === 'all', keySet: service.keys !== undefined };
  return plainEndpoint(published, metadataAnswer(route.metadata, offered));
}

const published: ReadonlySet<string> = new Set(['GET']);

/** One whose every answer, to a wrong method too, is in the dialect's words. */
function dialectEndpoint(
  { programme, clock }: Service,
  methods: ReadonlySet<string>,
  answer: Endpoint['answer'],
): Endpoint {
  const allowed = allow(methods);
  const refusal = (): Reply => programme.renderFailure('method_not_allowed', { at: clock.now() });
  return { methods, wrongMethod: () => withHeaders(refusal(), allowed), answer };
}

function plainEndpoint(methods: ReadonlySet<string>, answer: Endpoint['answer']): Endpoint {
  const refusal = withHeaders(methodNotAllowed, allow(methods));
  return { methods, wrongMethod: () => refusal, answer };
}

/** One that people come to: a wrong method is told on a page to who takes one (P-3). */
function browserEndpoint(
  site: LoginSite,
  methods: ReadonlySet<string>,
  answer: Endpoint['answer'],
): Endpoint {
  const allowed = allow(methods);
  const refusal = withHeaders(methodNotAllowed, allowed);
  return { methods, wrongMethod: orPage(site, 'wrong_method', refusal, allowed), answer };
}

function allow(methods: ReadonlySet<string>): { readonly Allow: string } {
  return { Allow: [...methods].join(', ') };
}

/** Answers that belong to no programme's dialect. */
function houseReply(status: number, error: string): Reply {
  return Object.freeze({
    status,
    headers: Object.freeze({ 'Content-Type': 'application/json', ...noStore }),
    body: JSON.stringify({ error }),
  });
}

const notFound = houseReply(404, 'not_found');
const methodNotAllowed = houseReply(405, 'method_not_allowed');
const serverError = houseReply(500, 'server_error');
