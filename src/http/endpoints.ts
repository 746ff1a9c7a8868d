// Owns the app of a listener: its paths, which are routes of Hono, and the one way of a request from its
// head to its answer.

import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono, type Next } from 'hono';
import type { Result, Router } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';

import { unexpected } from '../engine/causes/trouble.ts';
import { BoundedMap } from '../lib/bounded_map.ts';
import { networkOf, plainAddress } from '../lib/ip_address.ts';
import { inTurn } from '../lib/turn.ts';
import { HungUp } from '../oauth/failure.ts';
import { jsonReply, type Reply } from '../oauth/reply.ts';
import {
  type EndpointFacts,
  noEndpoint,
  type RecordedFailure,
  type RequestRecord,
} from '../oauth/request_record.ts';
import type { RequestHead, WireRequest } from '../oauth/wire_request.ts';
import { hasValues, longestMatch, patternTest } from '../programme/path_index.ts';
import { admission } from './admission.ts';
import {
  addressOf,
  type Exchange,
  type Incoming,
  noProxies,
  type Outgoing,
  type ProxyTest,
  readHead,
  receiveRequest,
  splitTarget,
} from './read_request.ts';
import { unreadable } from './refusals.ts';
import { type Answer, type Failed, write } from './respond.ts';
import type { WorkKind } from './waiting_line.ts';

/** Answers by the request's head alone. */
export type HeadReply = (head: RequestHead) => Promise<Reply> | Reply;

/** Which work an endpoint's requests are, and their answer while there is too much of it. */
export interface Load {
  readonly kind: WorkKind;
  readonly tooMany: (head: RequestHead, retryAfter: number) => Promise<Reply> | Reply;
}

/** Answers the requests to a path. */
export interface Endpoint {
  /** Absent for endpoints of no programme. */
  readonly facts?: EndpointFacts;
  /** Absent where a refusal would take as long as the answer. */
  readonly load?: Load;
  readonly methods: ReadonlySet<string>;
  readonly wrongMethod: HeadReply;
  /** Answers an OPTIONS that asks for a page of another origin; undefined where that may not. */
  readonly preflight?: (head: RequestHead) => Promise<Reply | undefined>;
  readonly answer: (request: WireRequest) => Promise<Answer> | Answer;
}

/** Answers every method by the head alone: the body stays unread. */
export interface HeadEndpoint {
  readonly facts: EndpointFacts;
  readonly load: Load;
  readonly answer: HeadReply;
}

export type Select = (incoming: Incoming) => Endpoint;

type Handler = (
  context: Context<{ Bindings: Exchange }>,
  next: Next,
) => Promise<Response> | Response;

/**
 * The app of one deployment. Hono finds the endpoint; no Request or Response is built, which would cost
 * more than most answers: an endpoint takes node's own request from the adapter's bindings, and its reply
 * goes to node's own response.
 */
export class App {
  readonly #exact = new Map<string, Handler>();
  readonly #prefixes = new Map<string, Handler>();
  readonly #patterns = new Map<string, Handler>();
  readonly #failed: Failed;
  readonly #missing: HeadEndpoint;
  /** Whose word about the caller's address is believed. */
  readonly isProxy: ProxyTest;

  /**
   * @param failed logs an endpoint's error and returns its answer
   * @param missing answers paths without an endpoint
   * @param isProxy tests whether X-Forwarded-For of an address is trusted
   */
  constructor(
    failed: (error: Error, record: RequestRecord) => Reply,
    missing: HeadReply,
    isProxy: ProxyTest = noProxies,
  ) {
    this.isProxy = isProxy;
    this.#missing = { facts: noEndpoint, load: unasked, answer: missing };
    this.#failed = (thrown, record) => {
      if (thrown instanceof HungUp) {
        record.failure ??= hungUp;
        return cutOff;
      }
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      record.failure = { reason: 'server_error', facts: { cause: unexpected } };
      return failed(error, record);
    };
  }

  /** Adds one path, or pattern with values; on a shared path the request's head selects the endpoint. */
  endpoint(path: string, target: Endpoint | Select): void {
    const select = typeof target === 'function' ? target : () => target;
    const serve: Handler = ({ env }) => this.#serve(env, select(env.incoming));
    const isIt = patternTest(path);
    const serveIt: Handler = (context, next) =>
      isIt(pathOf(context.env)) ? serve(context, next) : otherRoute(next);
    const routes = hasValues(path) ? this.#patterns : this.#exact;
    routes.set(path, routeOf(path) === path ? serve : serveIt);
  }

  /** Adds every path that begins with a prefix, which ends with `/`. */
  below(prefix: string, target: HeadEndpoint): void {
    // Hono's star takes the prefix without its slash, too.
    this.#prefixes.set(`${prefix}*`, ({ env }, next) =>
      pathOf(env).startsWith(prefix) ? this.#serveHead(env, target) : otherRoute(next),
    );
  }

  /** What answers by the paths that were added until now. */
  listener(): (incoming: Incoming, outgoing: Outgoing) => void {
    // Where several routes match, the first answers.
    const routes = [...this.#exact, ...this.#prefixes, ...this.#patterns];
    // A longer path may be below a prefix, and has its segments for nothing (HOSTILE 84).
    const longest = Math.max(0, ...routes.map(([path]) => longestMatch(path)));
    const hono = new Hono<{ Bindings: Exchange }>({
      router: new PathRouter(),
      // Not the path of `request.url`, which is normalised (HOSTILE 49).
      getPath: (_request, options) =>
        pathOf((options as { env: Exchange }).env).slice(0, longest + 1),
    });
    for (const [path, handler] of routes) hono.all(routeOf(path), handler);
    hono.notFound(({ env }) => this.#serveHead(env, this.#missing));
    hono.onError((error, { env }) => this.#fail(env, error));
    let isRefused = false;
    const adapted = getRequestListener(hono.fetch, {
      // What refuses its target, before Hono gets it.
      errorHandler: () => {
        isRefused = true;
      },
      hostname: 'localhost',
      // Its Response would not be the one of RESPONSE_ALREADY_SENT.
      overrideGlobalObjects: false,
      autoCleanupIncoming: false,
    });
    return (incoming, outgoing) => {
      // The adapter has its own refusal for some hosts; nothing here depends on the host.
      incoming.headers.host = 'localhost';
      // It knows schemes in small letters alone (RFC 3986 3.1).
      if (incoming.url?.startsWith('/') === false)
        incoming.url = incoming.url.replace(/^https?:/i, (scheme) => scheme.toLowerCase());
      isRefused = false;
      void adapted(incoming, outgoing);
      if (isRefused) this.#serveHead({ incoming, outgoing }, noTarget);
    };
  }

  #serve(exchange: Exchange, endpoint: Endpoint): Response {
    const { incoming } = exchange;
    const { facts = noEndpoint, load, methods, wrongMethod, preflight, answer } = endpoint;
    if (preflight !== undefined && incoming.method === 'OPTIONS') {
      const orNot: HeadReply = async (head) => (await preflight(head)) ?? wrongMethod(head);
      return this.#serveHead(exchange, { facts, load: load ?? unasked, answer: orNot });
    }
    // HEAD is not GET here: it would cost a login its transaction (HOSTILE 45).
    if (!methods.has(incoming.method ?? '')) {
      return this.#serveHead(exchange, { facts, load: unasked, answer: wrongMethod });
    }
    incoming.record.endpoint = facts;
    const whose = this.#admit(exchange, load);
    if (whose === undefined) return RESPONSE_ALREADY_SENT;
    receiveRequest(
      exchange,
      this.isProxy,
      (request) => begin(load, whose, () => this.#answer(exchange, () => answer(request))),
      (error) => this.#fail(exchange, error),
    );
    return RESPONSE_ALREADY_SENT;
  }

  #serveHead(exchange: Exchange, { facts, load, answer }: HeadEndpoint): Response {
    const { incoming } = exchange;
    incoming.record.endpoint = facts;
    const whose = this.#admit(exchange, load);
    if (whose !== undefined) {
      const head = (): RequestHead => readHead(incoming, this.isProxy);
      begin(load, whose, () => this.#answer(exchange, () => answer(head())));
    }
    return RESPONSE_ALREADY_SENT;
  }

  /** In whose name a request waits for its turn; undefined where it is refused, for want of room. */
  #admit({ incoming, outgoing }: Exchange, load: Load | undefined): string | undefined {
    if (load === undefined) return '';
    const whose = admission.admits(load.kind, () => networkOf(addressOf(incoming, this.isProxy)));
    if (whose !== undefined) return whose;
    const isShared = this.isProxy(plainAddress(incoming.socket.remoteAddress ?? '') ?? '');
    const retryAfter = admission.refuse(load.kind, incoming, outgoing, isShared);
    this.#answer({ incoming, outgoing }, () => load.tooMany(readHead(incoming), retryAfter));
    return undefined;
  }

  /** Writes what the work answers, or the answer to what it throws, at once or later. */
  #answer(exchange: Exchange, work: () => Promise<Answer> | Answer): void {
    const { outgoing } = exchange;
    // The missing part of its body was refused while it waited for its turn.
    if (outgoing.headersSent) return;
    const finish = (reply: Answer): void => write(outgoing, reply, this.#failed);
    try {
      const reply = work();
      if (reply instanceof Promise) {
        reply.then(finish, (error: unknown) => this.#fail(exchange, error));
      } else finish(reply);
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  #fail({ incoming, outgoing }: Exchange, error: unknown): Response {
    write(outgoing, this.#failed(error, incoming.record), this.#failed);
    return RESPONSE_ALREADY_SENT;
  }
}

/** Paths below a prefix, or with values, that are found again: a gateway asks at few. */
const mostFound = 64;

/**
 * Finds an exact path by one look-up, and searches for those alone that have values or a star. Hono's usual
 * router makes a text of all paths at the first request: 0.9 s with two hundred programmes.
 */
class PathRouter<Target> implements Router<Target> {
  readonly name = 'PathRouter';
  readonly #exact = new Map<string, Result<Target>>();
  readonly #others = new TrieRouter<Target>();
  readonly #found = new BoundedMap<string, Result<Target>>(mostFound);

  add(method: string, path: string, target: Target): void {
    if (/[:*]/.test(path)) this.#others.add(method, path, target);
    else if (!this.#exact.has(path)) this.#exact.set(path, [[[target, {}]]]);
  }

  match(method: string, path: string): Result<Target> {
    return this.#exact.get(path) ?? this.#found.get(path) ?? this.#search(method, path);
  }

  #search(method: string, path: string): Result<Target> {
    const found = this.#others.match(method, path);
    if (found[0].length > 0) this.#found.set(path, found);
    return found;
  }
}

/**
 * The adapter reads the headers of `RESPONSE_ALREADY_SENT` after each request. The built-in ones are sorted and
 * checked again each time, which costs as much as finding the endpoint: these are read as they are.
 */
const headersSent = [...RESPONSE_ALREADY_SENT.headers];
Object.defineProperty(RESPONSE_ALREADY_SENT, 'headers', {
  value: Object.assign(new Headers(), {
    has: () => false,
    [Symbol.iterator]: () => headersSent.values(),
  }),
});

/** A path as a route of Hono, where a value, and what begins as Hono's own do, is any segment. */
function routeOf(path: string): string {
  const segments = path.split('/');
  return segments.map((one) => (hasValues(one) || one.startsWith(':') ? ':any' : one)).join('/');
}

async function otherRoute(next: Next): Promise<Response> {
  await next();
  return RESPONSE_ALREADY_SENT;
}

function pathOf({ incoming }: Exchange): string {
  return splitTarget(incoming.url ?? '').path;
}

function begin(load: Load | undefined, whose: string, work: () => void): void {
  if (load === undefined) inTurn('requests', work);
  else admission.begin(load.kind, work, whose);
}

/** Requests that no endpoint answers, or one without a refusal of its own. */
export const unasked: Load = {
  kind: 'other',
  tooMany: (_head, retryAfter) => ({
    status: 503,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'Retry-After': `${retryAfter}`,
      Connection: 'close',
    },
    body: JSON.stringify({ error: 'temporarily_unavailable' }),
  }),
};

/** For targets that are no path of this host, such as `*` and `ftp://h/x`. */
const noTarget: HeadEndpoint = {
  facts: noEndpoint,
  load: unasked,
  answer: ({ record }) => {
    record.failure = otherTarget;
    return jsonReply(400, { error: 'invalid_request' });
  },
};
const otherTarget = unreadable('a path, or the URL of one', 'another target');

const hungUp: RecordedFailure = Object.freeze({ reason: 'hung_up', facts: Object.freeze({}) });
/** The client has hung up: it is not read. */
const cutOff: Reply = Object.freeze({ status: 400, headers: Object.freeze({}), body: '' });
