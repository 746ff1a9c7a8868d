// Owns the load of a fleet: clients that log in, refresh, verify and revoke at all nodes at once, and
// the history of each login.

import { setTimeout as sleep } from 'node:timers/promises';

import { logIn } from '../load/login.ts';
import { NotSent, perform, Strange } from './act.ts';
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
    const spend = { kind: 'spend', code } as const;
    let outcome = await this.#sometimesTwice(spend);
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
  async #sometimesTwice(act: Act): Promise<Outcome | undefined> {
    if (Math.random() > 0.05) return this.#until(act);
    const outcomes = await Promise.all([this.#once(act), this.#once(act)]);
    return outcomes.find(isTokens);
  }

  /** Tries until it is answered. */
  async #until(act: Act): Promise<Outcome | undefined> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const outcome = await this.#once(act);
      if (outcome !== undefined) return outcome;
      await sleep(retryAfter);
    }
    return undefined;
  }

  async #once(act: Act): Promise<Outcome | undefined> {
    const node = this.#nodes[Math.floor(Math.random() * this.#nodes.length)];
    if (act.kind === 'issue' || node?.port === undefined) return undefined;
    const { index, presence } = node;
    const invoked = performance.now();
    let outcome: Outcome | undefined;
    try {
      outcome = await perform(node.port, this.#programme, act);
    } catch (error) {
      if (error instanceof NotSent) return undefined;
      throw error;
    }
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
    const node = this.#nodes[Math.floor(Math.random() * this.#nodes.length)];
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
}

function isTokens(outcome: Outcome | undefined): outcome is Tokens {
  return typeof outcome === 'object';
}
