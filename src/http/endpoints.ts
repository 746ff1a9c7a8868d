// Owns finding the endpoint of a request: by path, through Hono's router or past it.

import type { IncomingMessage, ServerResponse } from 'node:http';

import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';

import { inTurn } from '../lib/turn.ts';
import { HungUp } from '../oauth/failure.ts';
import type { Reply } from '../oauth/reply.ts';
import type { RequestHead, WireRequest } from '../oauth/wire_request.ts';
import { admission, type WorkKind } from './admission.ts';
import {
  isPlainRequest,
  noProxies,
  type ProxyTest,
  readHead,
  readRequest,
  receiveRequest,
  splitTarget,
} from './read_request.ts';
import { type Answer, respond, withHeaders, write } from './respond.ts';

/** Answers by the request's head alone. */
export type HeadReply = (head: RequestHead) => Promise<Reply> | Reply;

/** Which work an endpoint's requests are, and their answer while there is too much of it. */
export interface Load {
  readonly kind: WorkKind;
  readonly tooMany: (head: RequestHead, retryAfter: number) => Promise<Reply> | Reply;
}

/** Answers the requests to a path. */
export interface Endpoint {
  /** Absent where a refusal would take as long as the answer. */
  readonly load?: Load;
  readonly methods: ReadonlySet<string>;
  readonly wrongMethod: HeadReply;
  readonly answer: (request: WireRequest) => Promise<Answer> | Answer;
}

/** Answers every path below a prefix, every method, by the head alone: the body stays unread. */
export type HeadAnswer = (head: RequestHead) => Promise<Reply>;

interface Prefix {
  readonly load: Load;
  readonly answer: HeadAnswer;
}

type Select = (incoming: IncomingMessage) => Endpoint;

/**
 * The app of one deployment: a table of its paths. The usual request, with one of the endpoint's
 * methods and a body of known length, skips Hono's Request and Response objects, which cost more than
 * most answers. Every other request is the app's single route.
 */
export class App extends Hono<{ Bindings: HttpBindings }> {
  readonly #endpoints = new Map<string, Select>();
  readonly #prefixes = new Map<string, Prefix>();
  /** Lengths of the prefixes: a look-up for each length, not for each prefix. */
  #prefixLengths: readonly number[] = [];
  readonly #failed: (error: unknown) => Reply;
  /** Whose word about the caller's address is believed. */
  readonly isProxy: ProxyTest;
  readonly #missing: HeadReply;

  /**
   * @param failed logs an endpoint's error and returns its answer
   * @param missing answers paths without an endpoint
   * @param isProxy tests whether X-Forwarded-For of an address is trusted
   */
  constructor(failed: (error: Error) => Reply, missing: HeadReply, isProxy: ProxyTest = noProxies) {
    super({
      getPath: (_request, options) =>
        splitTarget((options as { env: HttpBindings }).env.incoming.url ?? '').path,
    });
    this.isProxy = isProxy;
    this.#missing = missing;
    this.#failed = (error) => {
      if (error instanceof HungUp) return cutOff;
      return failed(error instanceof Error ? error : new Error(String(error)));
    };
    this.onError((error) => respond(this.#failed(error)));
    this.all('*', ({ env }) => this.#route(env));
    // A target such as `*` of OPTIONS is no path.
    this.notFound(({ env }) => this.#route(env));
  }

  /** Adds one path; on a shared path the request's head selects the endpoint. */
  endpoint(path: string, target: Endpoint | Select): void {
    this.#endpoints.set(path, typeof target === 'function' ? target : () => target);
  }

  /** Adds every path that begins with a prefix, which ends with `/` and has no other below it. */
  below(prefix: string, load: Load, answer: HeadAnswer): void {
    this.#prefixes.set(prefix, { load, answer });
    this.#prefixLengths = [...new Set([...this.#prefixLengths, prefix.length])];
  }

  async #route(exchange: HttpBindings): Promise<Response> {
    const { incoming } = exchange;
    const head = readHead(incoming);
    const endpoint = this.#endpoints.get(head.path)?.(incoming);
    if (endpoint === undefined) {
      const answer = this.#prefixOf(head.path)?.answer ?? this.#missing;
      return respond(await answer(head));
    }
    // HEAD is not GET here: it would cost a login its transaction (HOSTILE 45).
    if (!endpoint.methods.has(head.method)) return respond(await endpoint.wrongMethod(head));
    const request = await readRequest(exchange, this.isProxy);
    const reply = await endpoint.answer(request);
    return respond(
      request.body === 'too_large' ? withHeaders(reply, { Connection: 'close' }) : reply,
    );
  }

  #prefixOf(path: string): Prefix | undefined {
    for (const length of this.#prefixLengths) {
      const found = this.#prefixes.get(path.slice(0, length));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Answers a usual request to an endpoint; false leaves any other to `fetch`. */
  answers(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const { path } = splitTarget(incoming.url ?? '');
    const endpoint = this.#endpoints.get(path)?.(incoming);
    if (endpoint === undefined) return this.#answersBelow(path, incoming, outgoing);
    if (!endpoint.methods.has(incoming.method ?? '')) return false;
    const { load } = endpoint;
    if (this.#isRefused(load, incoming, outgoing)) return true;
    if (!isPlainRequest(incoming)) return false;
    const failed = this.#failed;
    const finish = (reply: Answer): void => write(outgoing, reply, failed);
    const fail = (error: unknown): void => finish(failed(error));
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
  kindOf(incoming: IncomingMessage): WorkKind {
    const endpoint = this.#endpoints.get(splitTarget(incoming.url ?? '').path)?.(incoming);
    const isItsOwn = endpoint?.methods.has(incoming.method ?? '') === true;
    return (isItsOwn ? endpoint.load?.kind : undefined) ?? 'other';
  }

  /** Refuses a request unless there is room for its kind of work. */
  #isRefused(load: Load | undefined, incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    if (load === undefined || admission.admits(load.kind)) return false;
    const failed = this.#failed;
    admission.refuse(incoming, outgoing);
    const isShort = isPlainRequest(incoming);
    const finish = (reply: Reply): void => write(outgoing, closing(reply, isShort), failed);
    const reply = load.tooMany(readHead(incoming), admission.retryAfter());
    if (reply instanceof Promise) reply.then(finish, (error: unknown) => finish(failed(error)));
    else finish(reply);
    return true;
  }

  #answersBelow(path: string, incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const found = this.#prefixOf(path);
    if (found === undefined) return false;
    if (this.#isRefused(found.load, incoming, outgoing)) return true;
    const failed = this.#failed;
    const finish = (reply: Reply): void => write(outgoing, reply, failed);
    const isShort = isPlainRequest(incoming);
    begin(found.load, () => {
      found.answer(readHead(incoming)).then(
        (reply) => finish(closing(reply, isShort)),
        (error: unknown) => finish(failed(error)),
      );
    });
    return true;
  }
}

/** After the answer Node reads the rest of a body to discard it: not of a long one. */
function closing(reply: Reply, isShort: boolean): Reply {
  return isShort ? reply : withHeaders(reply, { Connection: 'close' });
}

function begin(load: Load | undefined, work: () => void): void {
  if (load === undefined) inTurn('requests', work);
  else admission.begin(load.kind, work);
}

/** The client has hung up: it is not read. */
const cutOff: Reply = Object.freeze({ status: 400, headers: Object.freeze({}), body: '' });
