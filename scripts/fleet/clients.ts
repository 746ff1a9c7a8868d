// Owns the load of a fleet: clients that log in, refresh, verify and revoke at all nodes at once, and
// the history of each login.

import { setTimeout as sleep } from 'node:timers/promises';

import { type FormAnswer, logIn, post } from '../load/login.ts';
import type { Act, History, Outcome, Request, Tokens } from './history.ts';
import type { FleetNode } from './node.ts';
import type { Programme } from './site.ts';

/** Refreshes of one login at most; short histories are decided quickly. */
const longestLogin = 12;
/** Milliseconds at most between two requests of a client, and before a retry. */
const pause = 60;
const retryAfter = 150;
/** Tries of one request, which outlast every outage of a scenario. */
const mostTries = 120;
/** Milliseconds after which a client gives up. */
const patience = 4000;

/** An answer to a node that was there all the time. */
interface Timed {
  readonly at: number;
  readonly node: number;
  readonly took: number;
  /** It changed something in the store, and was done. */
  readonly isChange: boolean;
}

export class Clients {
  readonly histories: History[] = [];
  readonly times: Timed[] = [];
  /** Answers that nothing explains, in words. */
  readonly strange: string[] = [];
  readonly #nodes: readonly FleetNode[];
  readonly #ended: Promise<unknown>;
  #isOver = false;

  constructor(nodes: readonly FleetNode[], usernames: readonly string[]) {
    this.#nodes = nodes;
    this.#ended = Promise.all([
      ...usernames.map((username, index) =>
        this.#live(index % 2 === 0 ? 'graced' : 'strict', username),
      ),
      this.#live('graced'),
    ]);
  }

  get requests(): number {
    return this.histories.reduce((sum, { requests }) => sum + requests.length, 0);
  }

  /** Resolves when the sessions under way have ended. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  async #live(programme: Programme, username?: string): Promise<void> {
    while (!this.#isOver) {
      const session = new Session(this, this.#nodes, programme);
      try {
        await (username === undefined ? session.holdOwnToken() : session.logIn(username));
      } catch (error) {
        if (!(error instanceof Strange)) throw error;
        this.strange.push(error.message);
      }
      if (session.requests.length > 0) {
        this.histories.push({ hasGrace: programme === 'graced', requests: session.requests });
      }
      await sleep(Math.random() * pause);
    }
  }
}

/** One login from its code to its end, or one token of a client's own. */
class Session {
  readonly requests: Request[] = [];
  readonly #clients: Clients;
  readonly #nodes: readonly FleetNode[];
  readonly #programme: Programme;

  constructor(clients: Clients, nodes: readonly FleetNode[], programme: Programme) {
    this.#clients = clients;
    this.#nodes = nodes;
    this.#programme = programme;
  }

  async logIn(username: string): Promise<void> {
    const code = await this.#code(username);
    if (code === undefined) return;
    let outcome = await this.#sometimesTwice({ kind: 'spend', code });
    for (let round = 0; round < longestLogin && isTokens(outcome); round += 1) {
      const { access, refresh: token = '' } = outcome;
      if (Math.random() < 0.5) await this.#until({ kind: 'verify', token: access });
      await sleep(Math.random() * pause);
      if (round === longestLogin - 1) return this.#revoke(token, outcome);
      outcome = await this.#sometimesTwice({ kind: 'refresh', token });
    }
  }

  async holdOwnToken(): Promise<void> {
    const outcome = await this.#until({ kind: 'own' });
    if (!isTokens(outcome)) return;
    for (let round = 0; round < longestLogin; round += 1) {
      await this.#until({ kind: 'verify', token: outcome.access });
      await sleep(pause);
    }
    await this.#revoke(outcome.access, outcome);
  }

  async #revoke(token: string, { access, refresh }: Tokens): Promise<void> {
    await this.#until({ kind: 'revoke', token });
    for (const { presence } of this.#nodes)
      if (presence !== undefined) await this.#until({ kind: 'verify', token: access });
    if (refresh !== undefined) await this.#until({ kind: 'refresh', token: refresh });
  }

  /** Now and then at two nodes at once, which may not both do it. */
  async #sometimesTwice(act: Asked): Promise<Outcome | undefined> {
    if (Math.random() > 0.05) return this.#until(act);
    const outcomes = await Promise.all([this.#once(act), this.#once(act)]);
    return outcomes.find(isTokens);
  }

  /** Tries until it is answered. */
  async #until(act: Asked): Promise<Outcome | undefined> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const outcome = await this.#once(act);
      if (outcome !== undefined) return outcome;
      await sleep(retryAfter);
    }
    return undefined;
  }

  async #once(act: Asked): Promise<Outcome | undefined> {
    const node = this.#anyNode();
    if (node?.port === undefined) return undefined;
    const { index, presence } = node;
    const invoked = performance.now();
    const answer = await tryPost(node.port, `/${this.#programme}/${pathOf(act)}`, fieldsOf(act));
    if (answer === 'not sent') return undefined;
    const outcome = answer && outcomeOf(act, answer);
    const at = performance.now();
    const completed = outcome === undefined ? Infinity : at;
    this.requests.push({ act, node: index, invoked, completed, outcome });
    const isChange = outcome !== undefined && (act.kind === 'refresh' || act.kind === 'revoke');
    if (presence !== undefined && presence === node.presence) {
      this.#clients.times.push({ at, node: index, took: at - invoked, isChange });
    }
    return outcome;
  }

  async #code(username: string): Promise<string | undefined> {
    const node = this.#anyNode();
    if (node?.port === undefined) return undefined;
    const invoked = performance.now();
    try {
      const code = await logIn(node.port, username, this.#programme);
      const completed = performance.now();
      const act = { kind: 'issue', code } as const;
      this.requests.push({ act, node: node.index, invoked, completed, outcome: 'done' });
      return code;
    } catch {
      // Away, or in an outage: the login begins anew.
      return undefined;
    }
  }

  #anyNode(): FleetNode | undefined {
    return this.#nodes[Math.floor(Math.random() * this.#nodes.length)];
  }
}

function isTokens(outcome: Outcome | undefined): outcome is Tokens {
  return typeof outcome === 'object';
}

/** An answer that no state of the service explains. */
class Strange extends Error {
  override readonly name = 'Strange';
}

/** Posts a form; undefined if no answer came, `not sent` if the node does not listen. */
export async function tryPost(
  port: number,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<FormAnswer | 'not sent' | undefined> {
  try {
    return await post(port, path, fields, AbortSignal.timeout(patience));
  } catch (error) {
    const { cause } = error as { readonly cause?: NodeJS.ErrnoException };
    return cause?.code === 'ECONNREFUSED' ? 'not sent' : undefined;
  }
}

/** What is asked of a node by one form. */
type Asked = Exclude<Act, { readonly kind: 'issue' }>;

function pathOf({ kind }: Asked): string {
  if (kind === 'verify') return 'introspect';
  return kind === 'revoke' ? 'revoke' : 'api/grant';
}

function fieldsOf(act: Asked): Readonly<Record<string, string>> {
  if (act.kind === 'spend') return { grant_type: 'authorization_code', code: act.code };
  if (act.kind === 'refresh') return { grant_type: 'refresh_token', refresh_token: act.token };
  return act.kind === 'own' ? { grant_type: 'client_credentials' } : { token: act.token };
}

/** What an answer means; undefined if the store was away. */
function outcomeOf({ kind }: Asked, { status, body }: FormAnswer): Outcome | undefined {
  if (status === 503) return undefined;
  const told = JSON.parse(body === '' ? '{}' : body) as Readonly<Record<string, unknown>>;
  if (kind === 'verify' && status === 200) return told['active'] === true ? 'valid' : 'refused';
  if (kind === 'revoke' && status === 200) return 'done';
  if (status === 400 && told['error'] === 'invalid_grant') return 'refused';
  const { access_token: access, refresh_token: refresh } = told;
  if (status !== 200 || typeof access !== 'string') throw new Strange(`${status} ${body}`);
  return typeof refresh === 'string' ? { access, refresh } : { access };
}
