// Owns a search through all histories of one login: its servers, an honest client and a thief, judged by the
// real judgement and kept by a real store. The first history found for a fault is one of the shortest.

import { type Instant, instant, milliseconds } from '../../src/lib/clock.ts';
import type { Answer, LoginState } from '../../src/oauth/grant.ts';
import type { Store } from '../../src/store/contract.ts';
import { judgeRefresh, type RefreshVerdict } from '../../src/store/judgement.ts';
import { aLogin, anAnswer, at } from './fixtures.ts';
import { findLogin, tokenOf } from './login.ts';

/** What may happen beside requests. Time goes by in steps of 5 s, or of a minute where there are sweeps. */
export type Happening = 'lost answers' | 'a thief' | 'a revocation' | 'sweeps';

export interface Scope {
  readonly happenings: readonly Happening[];
  /** Seconds in which a retry gets the answer again. */
  readonly grace: number;
  /** Requests of a history, of which two may be under way. */
  readonly requests: number;
  /** Worlds to look at before the search ends. */
  readonly most: number;
}

export interface Found {
  readonly worlds: number;
  /** How often each verdict came up, and how often a request found the login changed. */
  readonly seen: Readonly<Record<string, number>>;
  /** The first history of each fault. */
  readonly faults: Readonly<Record<string, string>>;
}

interface Request {
  readonly id: number;
  readonly by: 'client' | 'thief';
  readonly held: Answer;
  /** When it first read the login: it goes by that time to its end. */
  readonly arrived?: Instant;
  /** Honest and in time: it has to be answered. */
  readonly isDue?: boolean;
  /** The login that it read and is about to advance. */
  readonly from?: LoginState | undefined;
}

interface World {
  readonly now: Instant;
  readonly state: LoginState | undefined;
  /** The latest answer that the client and the thief were told; the thief's is copied at first. */
  readonly held: { readonly client: Answer; readonly thief?: Answer };
  readonly requests: readonly Request[];
  readonly sent: number;
  /** The refresh digest that was told of each generation. */
  readonly told: Readonly<Record<number, string>>;
  /** The client has revoked the login. */
  readonly isEnded: boolean;
}

/** One thing that happens to a world: in words, and what it does by way of the store. */
interface Step {
  readonly name: string;
  readonly take: (store: Store, history: History) => Promise<World>;
}

/** What a step tells the search. */
interface History {
  readonly saw: (what: RefreshVerdict | 'changed meanwhile') => void;
  readonly fault: (what: string) => void;
}

const second = 1000;
const tokenLife = milliseconds(20 * second);
const latest = 30;

function firstWorld({ grace }: Scope): World {
  const login = aLogin({
    accessSpan: tokenLife,
    refreshSpan: tokenLife,
    retrySpan: milliseconds(grace * second),
    forgetAt: at(20),
    endsAt: at(45),
  });
  return {
    now: at(0),
    state: { ...login, revoked: false },
    held: { client: login },
    requests: [],
    sent: 0,
    told: {},
    isEnded: false,
  };
}

/** Breadth first, through every world that differs from those before it. */
export async function explore(scope: Scope, open: () => Store): Promise<Found> {
  const first = firstWorld(scope);
  const known = new Set([JSON.stringify(first)]);
  const queue: { readonly world: World; readonly path: string }[] = [{ world: first, path: '' }];
  const seen: Record<string, number> = {};
  const faults: Record<string, string> = {};
  const store = open();
  for (const { world, path } of queue) {
    if (known.size > scope.most) break;
    for (const { name, take } of stepsOf(world, scope)) {
      const before = Object.keys(faults).length;
      const here = path === '' ? name : `${path} → ${name}`;
      const history: History = {
        saw: (what) => (seen[what] = (seen[what] ?? 0) + 1),
        fault: (what) => (faults[what] ??= here),
      };
      await placeIn(store, world);
      const next = await take(store, history);
      examine(world, next, history);
      const key = JSON.stringify(next);
      if (known.has(key) || Object.keys(faults).length > before) continue;
      known.add(key);
      queue.push({ world: next, path: here });
    }
  }
  await store.close();
  return { worlds: known.size, seen, faults };
}

/** Has the login in the store as the world has it, and nothing else. */
async function placeIn(store: Store, { state }: World): Promise<void> {
  await store.sweep(at(1_000_000_000), 1);
  if (state === undefined) return;
  const { revoked, ...login } = state;
  await store.startLogin(login);
  if (revoked) await store.revoke(login.programme, { place: login.place }, at(0));
}

function stepsOf(world: World, { happenings, grace, requests }: Scope): Step[] {
  const { now, state, held } = world;
  const steps: Step[] = [];
  const pass = (seconds: number): void =>
    void steps.push({
      name: `${seconds} s pass`,
      take: async () => ({ ...world, now: instant(now + seconds * second) }),
    });
  if (now < at(latest)) pass(5);
  if (world.sent < requests && world.requests.length < 2) {
    for (const by of ['client', 'thief'] as const) {
      const token = held[by];
      if (token !== undefined) steps.push(sending(world, by, token));
    }
  }
  for (const request of world.requests) {
    for (const isLost of happenings.includes('lost answers') ? [false, true] : [false]) {
      steps.push(
        request.from === undefined
          ? reading(world, request, isLost, grace)
          : committing(world, request, request.from, isLost),
      );
    }
  }
  if (happenings.includes('a thief') && held.thief === undefined) {
    steps.push({
      name: `a thief copies the client’s token ${held.client.generation}`,
      take: async () => ({ ...world, held: { ...held, thief: held.client } }),
    });
  }
  if (happenings.includes('a revocation') && state !== undefined) {
    steps.push({
      name: 'the client revokes the login',
      take: async (store) => {
        await store.revoke(state.programme, { place: state.place }, now);
        return { ...world, state: await findLogin(store), isEnded: true };
      },
    });
  }
  if (happenings.includes('sweeps')) {
    if (now < at(200)) pass(60);
    steps.push({
      name: 'a sweep',
      take: async (store) => {
        for (let calls = 0; calls < 5; calls += 1) await store.sweep(now, 10);
        return { ...world, state: await findLogin(store) };
      },
    });
  }
  return steps;
}

function sending(world: World, by: Request['by'], held: Answer): Step {
  const id = world.sent + 1;
  return {
    name: `${by} sends token ${held.generation} (request ${id})`,
    take: async () => ({ ...world, sent: id, requests: [...world.requests, { id, by, held }] }),
  };
}

function reading(world: World, request: Request, isLost: boolean, grace: number): Step {
  const { state } = world;
  return {
    name: `request ${request.id} is read${isLost ? ', its answer lost' : ''}`,
    take: async (store, { saw, fault }) => {
      const arrived = request.arrived ?? world.now;
      const verdict = judgeRefresh(await findLogin(store), tokenOf(request.held), arrived);
      saw(verdict);
      const isDue = request.isDue ?? deserves(world, request, grace);
      const read = { ...request, arrived, isDue };
      if (verdict === 'rotate') {
        const requests = world.requests.map((one) =>
          one === request ? { ...read, from: state } : one,
        );
        return { ...world, requests };
      }
      if (verdict === 'retry' && state !== undefined)
        return told(world, request, state, isLost, fault);
      if (isDue && !isStalled(world, read, grace)) fault(`an honest client in time got ${verdict}`);
      if (verdict === 'reuse')
        await store.revoke(aLogin().programme, { place: aLogin().place }, arrived);
      const next = { ...without(world, request), state: await findLogin(store) };
      if (verdict === 'reuse' && next.state?.revoked !== true) fault('reuse left the login alive');
      return next;
    },
  };
}

function committing(world: World, request: Request, from: LoginState, isLost: boolean): Step {
  return {
    name: `request ${request.id} commits${isLost ? ', its answer lost' : ''}`,
    take: async (store, { saw, fault }) => {
      const answer = anAnswer(from, `request ${request.id}`, { answeredAt: request.arrived! });
      if (!(await store.advanceLogin(from.programme, from.place, from, answer))) {
        saw('changed meanwhile');
        const again = { ...request, from: undefined };
        return { ...world, requests: world.requests.map((one) => (one === request ? again : one)) };
      }
      const state = await findLogin(store);
      return told({ ...world, state }, request, answer, isLost, fault);
    },
  };
}

/** The world in which a request was answered, or its answer was lost on the way. */
function told(
  world: World,
  request: Request,
  { generation, refreshDigest, ...rest }: Answer,
  isLost: boolean,
  fault: History['fault'],
): World {
  const before = world.told[generation];
  if (before !== undefined && before !== refreshDigest) fault('two answers for one generation');
  const answer: Answer = { generation, refreshDigest, ...rest };
  const holds = world.held[request.by]?.generation ?? 0;
  const held = isLost || generation <= holds ? world.held : { ...world.held, [request.by]: answer };
  return { ...without(world, request), held, told: { ...world.told, [generation]: refreshDigest } };
}

function without(world: World, request: Request): World {
  return { ...world, requests: world.requests.filter((one) => one !== request) };
}

/** Whether an honest request that reads the login now has to be answered: told by what the client holds alone. */
function deserves({ state, now, held, isEnded }: World, request: Request, grace: number): boolean {
  if (state === undefined || held.thief !== undefined || isEnded || state.revoked) return false;
  if (now >= state.endsAt) return false;
  const behind = state.generation - request.held.generation;
  const age = now - state.answeredAt;
  return behind === 0 ? age < tokenLife : behind === 1 && grace > 0 && age <= grace * second;
}

/**
 * A request that was overtaken by more than the contract allows: its successor was used meanwhile, or at
 * grace 0 any other request came first; the answer it lost to is that of a request that took longer than
 * the grace; the login was revoked, which was examined then; a thief came between; it took a minute.
 */
function isStalled({ state, held, now }: World, request: Request, grace: number): boolean {
  const { arrived = now } = request;
  if (held.thief !== undefined || now - arrived >= 60 * second) return true;
  if (state === undefined || state.revoked) return state?.revoked === true;
  const isOvertaken = state.generation - request.held.generation > (grace > 0 ? 1 : 0);
  return isOvertaken || arrived - state.answeredAt > grace * second;
}

/** What holds of every world and from one to the next. */
function examine(before: World, { state, held, isEnded, now }: World, { fault }: History): void {
  const { client, thief } = held;
  if (state === undefined) {
    const isLive =
      before.state !== undefined && now < before.state.answeredAt + tokenLife + 60 * second;
    if (isLive) fault('a login went that could be used');
    return;
  }
  if (state.generation < (before.state?.generation ?? 0)) fault('a generation fell');
  if (before.state?.revoked === true && !state.revoked) fault('a revoked login lives');
  if (isEnded && !state.revoked) fault('a login lives on after its revocation');
  if (client.generation > state.generation) fault('a token that was told is not known');
  const isSplit =
    client.generation === thief?.generation && client.refreshDigest !== thief.refreshDigest;
  if (isSplit && !state.revoked) fault('two lineages live');
}
