// Owns the Hono app of one deployment: each path, every method, built whole and swapped whole.

import type { IncomingMessage } from 'node:http';

import type { Log, Service } from '../engine/service.ts';
import { answerTokenRequest } from '../engine/token_request.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import {
  type Deployment,
  type Route,
  selectRoute,
  type SharedRoute,
} from '../programme/deployment.ts';
import { noProxies, type ProxyTest } from './caller_address.ts';
import { App, type Endpoint } from './endpoints.ts';
import { handleLoginPage, handleLoginRequest } from './login_handlers.ts';
import { readHead } from './read_request.ts';
import { respond, withHeaders } from './respond.ts';

/**
 * Builds the app. Paths are matched as they were sent, and every method reaches our own table.
 *
 * @param isProxy whose X-Forwarded-For is believed
 */
export function createApp(
  deployment: Deployment,
  services: Services,
  log: Log,
  isProxy: ProxyTest = noProxies,
): App {
  const failed = (error: Error): Reply => {
    log.error('server_error', { detail: error.stack ?? error.message });
    return serverError;
  };
  const app = new App(failed, isProxy);
  for (const [path, route] of deployment) {
    app.endpoint(path, route.kind === 'shared' ? shared(route, services) : single(route, services));
  }
  app.notFound(() => respond(notFound));
  return app;
}

type Services = ReadonlyMap<ProgrammeId, Service>;

function single(route: Route, services: Services): Endpoint {
  const service = services.get(route.programme.id);
  if (service === undefined) throw new Error(`${route.programme.id} is not in service`);
  return endpointOf(service, route);
}

function shared(route: SharedRoute, services: Services): (incoming: IncomingMessage) => Endpoint {
  const endpoints = new Map(
    [route.fallback, ...route.byIdentifier.values()].map((one) => [one, single(one, services)]),
  );
  const fallback = single(route.fallback, services);
  return (incoming) => endpoints.get(selectRoute(route, readHead(incoming))) ?? fallback;
}

function endpointOf(service: Service, route: Route): Endpoint {
  switch (route.kind) {
    case 'token':
      return {
        methods: route.endpoint.methods,
        wrongMethod: withHeaders(
          service.programme.renderFailure('method_not_allowed'),
          allow(route.endpoint.methods),
        ),
        answer: (request) => answerTokenRequest(service, route.endpoint, request),
      };
    case 'login_request':
      return plainEndpoint(service.programme.login.endpoint.methods, (request) =>
        handleLoginRequest(service, request),
      );
    case 'login_page':
      return plainEndpoint(new Set(['GET', 'POST']), (request) =>
        handleLoginPage(service, request),
      );
    case 'key_set':
      break;
  }
  const { keys } = service;
  if (keys === undefined) throw new Error(`${service.programme.id} signs no tokens`);
  return plainEndpoint(new Set(['GET']), () => keySetReply(keys.keySet()));
}

function plainEndpoint(methods: ReadonlySet<string>, answer: Endpoint['answer']): Endpoint {
  return { methods, wrongMethod: withHeaders(methodNotAllowed, allow(methods)), answer };
}

function allow(methods: ReadonlySet<string>): { readonly Allow: string } {
  return { Allow: [...methods].join(', ') };
}

function keySetReply(body: string): Reply {
  return Object.freeze({
    status: 200,
    headers: { 'Content-Type': 'application/jwk-set+json', 'Cache-Control': 'public, max-age=300' },
    body,
  });
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
