// Owns the Hono app of one deployment: each path, every method, built whole and swapped whole.

import type { IncomingMessage } from 'node:http';

import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';

import type { Log, Service } from '../engine/service.ts';
import { answerTokenRequest } from '../engine/token_request.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import type { WireRequest } from '../oauth/wire_request.ts';
import {
  type Deployment,
  type Route,
  selectRoute,
  type SharedRoute,
} from '../programme/deployment.ts';
import { noProxies, type ProxyTest } from './caller_address.ts';
import { handleLoginPage, handleLoginRequest } from './login_handlers.ts';
import { readHead, readRequest, RequestCutOff, splitTarget } from './read_request.ts';
import { respond, withHeaders } from './respond.ts';

export type App = Hono<{ Bindings: HttpBindings }>;

/** What answers a path. */
interface Endpoint {
  readonly methods: ReadonlySet<string>;
  readonly wrongMethod: Reply;
  readonly answer: (request: WireRequest) => Promise<Reply> | Reply;
}

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
  const app: App = new Hono<{ Bindings: HttpBindings }>({
    getPath: (_request, options) =>
      splitTarget((options as { env: HttpBindings }).env.incoming.url ?? '').path,
  });
  for (const [path, route] of deployment) {
    const target = route.kind === 'shared' ? shared(route, services) : single(route, services);
    mount(app, path, target, isProxy);
  }
  app.notFound(() => respond(notFound));
  app.onError((error) => {
    if (!(error instanceof RequestCutOff)) {
      log.error('server_error', { detail: error.stack ?? error.message });
    }
    return respond(serverError);
  });
  return app;
}

/** Adds one path to the app; on a shared one the request's head decides which endpoint it is. */
export function mount(
  app: App,
  path: string,
  target: Endpoint | ((incoming: IncomingMessage) => Endpoint),
  isProxy: ProxyTest = noProxies,
): void {
  const select = typeof target === 'function' ? target : (): Endpoint => target;
  app.all(path, async (context) => {
    const { incoming } = context.env;
    const endpoint = select(incoming);
    // HEAD is not GET here: it would cost a login its transaction (HOSTILE 45).
    if (!endpoint.methods.has(incoming.method ?? '')) return respond(endpoint.wrongMethod);
    const request = await readRequest(incoming, isProxy);
    const reply = await endpoint.answer(request);
    return respond(
      request.body === 'too_large' ? withHeaders(reply, { Connection: 'close' }) : reply,
    );
  });
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
