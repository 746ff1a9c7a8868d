// Owns finding the endpoint of a request: by path, through Hono's router or past it.

import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';

import { unexpected } from '../engine/causes/trouble.ts';
import { inTurn } from '../lib/turn.ts';
import { HungUp } from '../oauth/failure.ts';
import type { Reply } from '../oauth/reply.ts';
import {
  type EndpointFacts,
  noEndpoint,
  type RecordedFailure,
  type RequestRecord,
} from '../oauth/request_record.ts';
import type { RequestHead, WireRequest } from '../oauth/wire_request.ts';
import { hasValues, PathIndex } from '../programme/path_index.ts';
import { admission } from './admission.ts';
import {
  type Exchange,
  type Incoming,
  isPlainRequest,
  noProxies,
  type Outgoing,
  type ProxyTest,
  readHead,
  readRequest,
  receiveRequest,
  splitTarget,
} from './read_request.ts';
import { type Answer, closing, type Failed, respond, write } from './respond.ts';
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
  readonly answer: (request: WireRequest) => Promise<Answer> | Answer;
}

/** Answers every path below a prefix, every method, by the head alone: the body stays unread. */
export type HeadAnswer = (head: RequestHead) => Promise<Reply>;

/** What answers below a prefix. */
export interface Prefix {
  readonly facts: EndpointFacts;
  readonly load: Load;
  readonly answer: HeadAnswer;
}

export type Select = (incoming: Incoming) => Endpoint;

/**
 * The app of one deployment: a table of its paths. The usual request, with one of the endpoint's
 * methods and a body of known length, skips Hono's Request and Response objects, which cost more than
 * most answers. Every other request is the app's single route.
 */
export class App extends Hono<{ Bindings: HttpBindings }> {
  readonly #endpoints = new Map<string, Select>();
  /** Paths with values in them, by their patterns: looked for where nothing else answers. */
  readonly #byPattern = new Map<string, Select>();
  readonly #patterns = new PathIndex();
  readonly #prefixes = new Map<string, Prefix>();
  /** Lengths of the prefixes: a look-up for each length, not for each prefix. */
  #prefixLengths: readonly number[] = [];
  readonly #failed: Failed;
  /** Whose word about the caller's address is believed. */
  readonly isProxy: ProxyTest;
  readonly #missing: HeadReply;

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
    super({
      getPath: (_request, options) =>
        splitTarget((options as { env: HttpBindings }).env.incoming.url ?? '').path,
    });
    this.isProxy = isProxy;
    this.#missing = missing;
    this.#failed = (thrown, record) => {
      if (thrown instanceof HungUp) {
        record.failure = hungUp;
        return cutOff;
      }
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      record.failure = { reason: 'server_error', facts: { cause: unexpected } };
      return failed(error, record);
    };
    this.onError((error, { env }) => {
      const { record } = recorded(env).incoming;
      return respond(this.#failed(error, record), record);
    });
    this.all('*', ({ env }) => this.#route(recorded(env)));
    // A target such as `*` of OPTIONS is no path.
    this.notFound(({ env }) => this.#route(recorded(env)));
  }

  /** Adds one path, or pattern with values; on a shared path the request's head selects the endpoint. */
  endpoint(path: string, target: Endpoint | Select): void {
    const select = typeof target === 'function' ? target : () => target;
    if (!hasValues(path)) {
      this.#endpoints.set(path, select);
      return;
    }
    this.#patterns.add(path);
    this.#byPattern.set(path, select);
  }

  #selectAt(path: string): Select | undefined {
    const exact = this.#endpoints.get(path);
    if (exact !== undefined || this.#byPattern.size === 0) return exact;
    if (this.#prefixOf(path) !== undefined) return undefined;
    return this.#byPattern.get(this.#patterns.match(path) ?? '');
  }

  /** Adds every path that begins with a prefix, which ends with `/` and has no other below it. */
  below(prefix: string, target: Prefix): void {
    this.#prefixes.set(prefix, target);
    this.#prefixLengths = [...new Set([...this.#prefixLengths, prefix.length])];
  }

  async #route(exchange: Exchange): Promise<Response> {
    const { incoming } = exchange;
    const { record } = incoming;
    const head = readHead(incoming, this.isProxy);
    const endpoint = this.#selectAt(head.path)?.(incoming);
    if (endpoint === undefined) {
      const found = this.#prefixOf(head.path);
      record.endpoint = found?.facts ?? noEndpoint;
      return respond(await (found?.answer ?? this.#missing)(head), record);
    }
    record.endpoint = endpoint.facts ?? noEndpoint;
    // HEAD is not GET here: it would cost a login its transaction (HOSTILE 45).
    if (!endpoint.methods.has(head.method)) {
      return respond(await endpoint.wrongMethod(head), record);
    }
    const request = await readRequest(exchange, this.isProxy);
    const reply = await endpoint.answer(request);
    return respond(closing(reply, request.body !== 'too_large'), record);
  }

  #prefixOf(path: string): Prefix | undefined {
    for (const length of this.#prefixLengths) {
      const found = this.#prefixes.get(path.slice(0, length));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Answers a usual request to an endpoint; false leaves any other to `fetch`. */
  answers(incoming: Incoming, outgoing: Outgoing): boolean {
    const { path } = splitTarget(incoming.url ?? '');
    const endpoint = this.#selectAt(path)?.(incoming);
    if (endpoint === undefined) return this.#answersBelow(path, incoming, outgoing);
    if (!endpoint.methods.has(incoming.method ?? '')) return false;
    const { load, facts = noEndpoint } = endpoint;
    incoming.record.endpoint = facts;
    if (this.#isRefused(load, incoming, outgoing)) return true;
    if (!isPlainRequest(incoming)) return false;
    const failed = this.#failed;
    const finish = (reply: Answer): void => write(outgoing, reply, failed);
    const fail = (error: unknown): void => finish(failed(error, incoming.record));
    const answer = (request: WireRequest): void => {
      try {
        const reply = endpoint.answer(request);
        if (reply instanceof Promise) reply.then(finish, fail);
        else finish(reply);
      } catch (error) {
        fail(error);
      }
    };
    const received = (request: WireRequest): void => begin(load, () => answer(request));
    receiveRequest({ incoming, outgoing }, this.isProxy, received, fail);
    return true;
  }

  /** Which work a request is that `answers` has left to `fetch`. */
  kindOf(incoming: Incoming): WorkKind {
    const endpoint = this.#selectAt(splitTarget(incoming.url ?? '').path)?.(incoming);
    const isItsOwn = endpoint?.methods.has(incoming.method ?? '') === true;
    return (isItsOwn ? endpoint.load?.kind : undefined) ?? 'other';
  }

  /** Refuses a request unless there is room for its kind of work. */
  #isRefused(load: Load | undefined, incoming: Incoming, outgoing: Outgoing): boolean {
    if (load === undefined || admission.admits(load.kind)) return false;
    const failed = this.#failed;
    admission.refuse(load.kind, incoming, outgoing);
    const isShort = isPlainRequest(incoming);
    const finish = (reply: Reply): void => write(outgoing, closing(reply, isShort), failed);
    const reply = load.tooMany(readHead(incoming), admission.retryAfter());
    if (reply instanceof Promise)
      reply.then(finish, (error: unknown) => finish(failed(error, incoming.record)));
    else finish(reply);
    return true;
  }

  #answersBelow(path: string, incoming: Incoming, outgoing: Outgoing): boolean {
    const found = this.#prefixOf(path);
    if (found === undefined) return false;
    incoming.record.endpoint = found.facts;
    if (this.#isRefused(found.load, incoming, outgoing)) return true;
    const failed = this.#failed;
    const finish = (reply: Reply): void => write(outgoing, reply, failed);
    const isShort = isPlainRequest(incoming);
    begin(found.load, () => {
      found.answer(readHead(incoming, this.isProxy)).then(
        (reply) => finish(closing(reply, isShort)),
        (error: unknown) => finish(failed(error, incoming.record)),
      );
    });
    return true;
  }
}

/** The listener gives each request its record before it comes here. */
function recorded(exchange: HttpBindings): Exchange {
  return exchange as unknown as Exchange;
}

function begin(load: Load | undefined, work: () => void): void {
  if (load === undefined) inTurn('requests', work);
  else admission.begin(load.kind, work);
}

const hungUp: RecordedFailure = Object.freeze({ reason: 'hung_up', facts: Object.freeze({}) });
/** The client has hung up: it is not read. */
const cutOff: Reply = Object.freeze({ status: 400, headers: Object.freeze({}), body: '' });
