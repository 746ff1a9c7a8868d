// Owns what is left to keep in memory: gateways, login attempts, node numbers, the key check, time.

import type { Instant } from '../../lib/clock.ts';
import { frozenCopy } from '../../lib/frozen.ts';
import type { Gateway } from '../../oauth/gateway.ts';
import type { Store } from '../contract.ts';
import { sameGateway } from '../judgement.ts';
import type { Keeping } from '../keeping.ts';
import {
  attemptsEndAt,
  type AttemptState,
  beginAttempt,
  endAttempt,
  showAttempts,
} from '../login_attempts.ts';
import { type NodeLease, nextLease } from '../node_leases.ts';
import { ThrottleCounter } from '../throttle_counter.ts';
import { MemoryTable } from './table.ts';

type GatewayVerbs = Pick<
  Store,
  'addGateway' | 'findGateway' | 'listGateways' | 'changeGateway' | 'removeGateway'
>;

/** The gateways' verbs over a table of their own. */
export function memoryGateways(): GatewayVerbs {
  const gateways = new MemoryTable<Gateway>();
  return {
    async addGateway(gateway) {
      const { programme, id } = gateway;
      if (gateways.get(programme, id) !== undefined) return 'taken';
      gateways.set(programme, id, frozenCopy(gateway));
      return 'added';
    },
    async findGateway(programme, id) {
      return gateways.get(programme, id);
    },
    async listGateways(programme) {
      return gateways.filter((gateway) => gateway.programme === programme);
    },
    async changeGateway(programme, id, change) {
      const before = gateways.get(programme, id);
      if (before === undefined) return undefined;
      const after = frozenCopy(sameGateway(before, change(before)));
      gateways.set(programme, id, after);
      return after;
    },
    async removeGateway(programme, id) {
      if (gateways.get(programme, id) === undefined) return false;
      gateways.delete(programme, id);
      return true;
    },
  };
}

type AttemptVerbs = Pick<
  Store,
  'beginLoginAttempt' | 'endLoginAttempt' | 'loginAttempts' | 'unlockAccount'
>;

/** The login attempts' verbs, and forgetting those that are over. */
export class MemoryLoginAttempts implements AttemptVerbs {
  readonly #accounts = new MemoryTable<AttemptState>();

  async beginLoginAttempt(
    ...[programme, account, policy, now]: Parameters<Store['beginLoginAttempt']>
  ): ReturnType<Store['beginLoginAttempt']> {
    const before = this.#accounts.get(programme, account);
    const { state, answer } = beginAttempt(before, policy, now);
    this.#accounts.set(programme, account, state);
    return answer;
  }

  async endLoginAttempt(
    ...[programme, account, outcome, now]: Parameters<Store['endLoginAttempt']>
  ): Promise<void> {
    const left = endAttempt(this.#accounts.get(programme, account), outcome, now);
    if (left === undefined) this.#accounts.delete(programme, account);
    else this.#accounts.set(programme, account, left);
  }

  async loginAttempts(
    ...[programme, account, now]: Parameters<Store['loginAttempts']>
  ): ReturnType<Store['loginAttempts']> {
    return showAttempts(this.#accounts.get(programme, account), now);
  }

  async unlockAccount(
    ...[programme, account]: Parameters<Store['unlockAccount']>
  ): Promise<boolean> {
    const was = this.#accounts.get(programme, account) !== undefined;
    this.#accounts.delete(programme, account);
    return was;
  }

  forgetAll(): void {
    this.#accounts.remove(() => true);
  }

  sweep(now: Instant, limit: number): number {
    return this.#accounts.sweep(limit, (state) => now >= attemptsEndAt(state));
  }
}

type RestVerbs = Pick<
  Store,
  Exclude<keyof Keeping, 'recordSecretUse' | 'secretUses' | 'sweep'> | 'countTokenRequest'
>;

/** Verbs about the store as a whole; `endLaterThan` hears of a time that is accepted. */
export function memoryRest(endLaterThan: (now: Instant, isBack: boolean) => void): RestVerbs {
  const throttles = new ThrottleCounter();
  const leases = new Map<number, NodeLease>();
  let recorded: Instant | undefined;
  let keyCheck: string | undefined;
  return {
    async leaseNode(now, holder) {
      const lease = nextLease([...leases.values()], holder, now);
      leases.set(lease.node, lease);
      return lease.node;
    },
    async ensureKeyCheck(candidate) {
      // Its keys are made with it, under the one master key there is.
      keyCheck ??= candidate;
      return keyCheck;
    },
    async recordedTime() {
      return recorded;
    },
    async recordTime(now) {
      if (recorded === undefined || recorded < now) recorded = now;
    },
    // No other process has it.
    async currentTime() {
      return undefined;
    },
    async acceptedElsewhere() {
      return undefined;
    },
    async followTime() {},
    async acceptTime(now) {
      const isBack = recorded !== undefined && now < recorded;
      if (isBack) leases.clear();
      recorded = now;
      endLaterThan(now, isBack);
    },
    async countTokenRequest(programme, client, throttle, now) {
      return throttles.count(programme, client, throttle, now);
    },
    async close() {},
  };
}
