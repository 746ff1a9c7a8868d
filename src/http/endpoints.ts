// Owns the app as requests find it: endpoints by path, through Hono's router or past it.

import type { IncomingMessage, ServerResponse } from 'node:http';

import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';

import { inTurn } from '../lib/turn.ts';
import { HungUp } from '../oauth/failure.ts';
import type { Reply } from '../oauth/reply.ts';
import type { RequestHead, WireRequest } from '../oauth/wire_request.ts';
import { noProxies, type ProxyTest } from './caller_address.ts';
import {
  isPlainRequest,
  readHead,
  readRequest,
  receiveRequest,
  splitTarget,
} from './read_request.ts';
import { type Answer, respond, withHeaders, write } from './respond.ts';

/** What is answered by the head alone. */
export type HeadReply = (head: RequestHead) => Promise<Reply> | Reply;

/** What answers a path. */
export interface Endpoint {
  readonly methods: ReadonlySet<string>;
  readonly wrongMethod: HeadReply;
  readonly answer: (request: WireRequest) => Promise<Answer> | Answer;
}

/** Answers every path below a prefix, every method, by the head alone: the body stays unread. */
export type HeadAnswer = (head: RequestHead) => Promise<Reply>;

interface Prefix {
  readonly prefix: string;
  readonly answer: HeadAnswer;
}

type Select = (incoming: IncomingMessage) => Endpoint;

/**
 * The app of one deployment. Every endpoint is a route of it; the usual request to one, a method it
 * has and a body of known length, is answered without the router and its requests and responses,
 * which cost more than most answers.
 */
export class App extends Hono<{ Bindings: HttpBindings }> {
  readonly #endpoints = new Map<string, Select>();
  readonly #prefixes = new Map<string, Prefix>();
  /** Lengths of the prefixes: there are as many look-ups as lengths, not as prefixes. */
  #prefixLengths: readonly number[] = [];
  readonly #failed: (error: unknown) => Reply;
  readonly #isProxy: ProxyTest;

  /**
   * @param failed reports what an endpoint threw, and tells what is answered then
   * @param isProxy whose X-Forwarded-For is believed
   */
  constructor(failed: (error: Error) => Reply, isProxy: ProxyTest = noProxies) {
    super({
      getPath: (_request, options) =>
        splitTarget((options as { env: HttpBindings }).env.incoming.url ?? '').path,
    });
    this.#isProxy = isProxy;
    this.#failed = (error) => {
      if (error instanceof HungUp) return cutOff;
      return failed(error instanceof Error ? error : new Error(String(error)));
    };
    this.onError((error) => respond(this.#failed(error)));
  }

  /** Adds one path; on a shared one the request's head decides which endpoint it is. */
  endpoint(path: string, target: Endpoint | Select): void {
    const select = typeof target === 'function' ? target : (): Endpoint => target;
    this.#endpoints.set(path, select);
    this.all(path, async (context) => {
      const { incoming } = context.env;
      const endpoint = select(incoming);
      // HEAD is not GET here: it would cost a login its transaction (HOSTILE 45).
      if (!endpoint.methods.has(incoming.method ?? '')) {
        return respond(await endpoint.wrongMethod(readHead(incoming)));
      }
      const request = await readRequest(context.env, this.#isProxy);
      const reply = await endpoint.answer(request);
      return respond(
        request.body === 'too_large' ? withHeaders(reply, { Connection: 'close' }) : reply,
      );
    });
  }

  /** Adds every path that begins with a prefix, which ends with `/` and has no other below it. */
  below(prefix: string, answer: HeadAnswer): void {
    this.#prefixes.set(prefix, { prefix, answer });
    this.#prefixLengths = [...new Set([...this.#prefixLengths, prefix.length])];
    this.all(`${prefix}*`, async ({ env }) => respond(await answer(readHead(env.incoming))));
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
    const received = (request: WireRequest): void => inTurn('requests', () => answer(request));
    receiveRequest({ incoming, outgoing }, this.#isProxy, received, fail);
    return true;
  }

  #answersBelow(path: string, incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const found = this.#prefixOf(path);
    if (found === undefined) return false;
    const failed = this.#failed;
    const finish = (reply: Reply): void => write(outgoing, reply, failed);
    // Node discards what is left of a body once the answer is out; of a long one, it need not.
    const isShort = isPlainRequest(incoming);
    inTurn('requests', () => {
      found.answer(readHead(incoming)).then(
        (reply) => finish(isShort ? reply : withHeaders(reply, { Connection: 'close' })),
        (error: unknown) => finish(failed(error)),
      );
    });
    return true;
  }
}

/** Nobody reads it. */
const cutOff: Reply = Object.freeze({ status: 400, headers: Object.freeze({}), body: '' });
