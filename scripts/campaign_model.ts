// Owns the expected content of a store, from its acknowledgements, and comparing a file with it.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { ChangeLook } from './campaign_changes.ts';
import type { Line, Offer, Step } from './campaign_steps.ts';

/** A step with its outcomes; without outcomes it was interrupted, and may have happened or not. */
interface Act {
  readonly step: Step;
  outcomes?: readonly string[];
}

const tables = ['code', 'family', 'refresh_token', 'access_token'] as const;
type Row = Readonly<Record<string, unknown>> | undefined;

/** Everything that the workers of one file have reported. */
export class Model {
  readonly #acts: Act[] = [];
  readonly #pending = new Map<string, Act>();

  /** Numbers of acknowledged and interrupted steps. */
  get told(): { readonly acknowledged: number; readonly cutOff: number } {
    const acknowledged = this.#acts.filter(({ outcomes }) => outcomes !== undefined).length;
    return { acknowledged, cutOff: this.#acts.length - acknowledged };
  }

  hear(line: Line): void {
    if ('ready' in line) return;
    if ('step' in line) {
      const act: Act = { step: line.step };
      this.#pending.set(line.lane, act);
      this.#acts.push(act);
      return;
    }
    const act = this.#pending.get(line.lane);
    if (act) act.outcomes = line.outcomes;
  }

  /** Differences from the acknowledgements, and half-done steps, in words; from step `first` on. */
  compare(database: DatabaseSync, first: number): string[] {
    return faultsOf(database, this.#acts.slice(first));
  }

  /** Remembers the acknowledgements so far; the result compares a later file with them. */
  remember(): (database: DatabaseSync) => string[] {
    const told = this.#acts.filter(({ outcomes }) => outcomes !== undefined);
    return (database) => faultsOf(database, told);
  }

  get length(): number {
    return this.#acts.length;
  }
}

function faultsOf(database: DatabaseSync, acts: readonly Act[]): string[] {
  const look = new Look(database);
  return acts.flatMap((act) => {
    const fault = look.faultOf(act);
    return fault === undefined ? [] : [`${fault}: ${JSON.stringify(act)}`];
  });
}

/** Reads rows with SQL of its own, so that the store under test does not judge itself. */
class Look {
  readonly #select: Readonly<Record<(typeof tables)[number], StatementSync>>;
  readonly #revocation: StatementSync;
  readonly #changes: ChangeLook;

  constructor(database: DatabaseSync) {
    const select = (table: string): StatementSync =>
      database.prepare(`SELECT * FROM ${table} WHERE programme = 'campaign' AND key = ?`);
    this.#select = {
      code: select('code'),
      family: select('family'),
      refresh_token: select('refresh_token'),
      access_token: select('access_token'),
    };
    this.#changes = new ChangeLook(database);
    this.#revocation = database.prepare(
      `SELECT * FROM revocation WHERE programme = 'campaign' AND owner = 'subject ' || ?`,
    );
  }

  faultOf({ step, outcomes }: Act): string | undefined {
    const isSure = outcomes !== undefined;
    switch (step.act) {
      case 'save':
        return isSure && !this.#has('access_token', step.access) ? 'a token is lost' : undefined;
      case 'issue':
        return isSure && !this.#has('code', step.code) ? 'a code is lost' : undefined;
      case 'revoke':
        return isSure && !this.#isRevoked(step.family) ? 'a revocation is lost' : undefined;
      case 'revokeAll': {
        const until = this.#revocation.get(step.subject)?.['revoked_until'];
        return isSure && until === undefined ? 'a revocation of all is lost' : undefined;
      }
      case 'spend':
        return this.#raceFault(step.offers, outcomes, ['spent', 'replayed'], (offer) => [
          this.#row('code', step.code)?.['spent_for'] === offer.family,
          this.#has('family', offer.family ?? ''),
        ]);
      case 'rotate':
        return this.#raceFault(step.offers, outcomes, ['rotated', 'retried'], (offer) => [
          this.#row('refresh_token', step.token)?.['successor'] === offer.refresh,
        ]);
      default:
        return this.#changes.faultOf(step, isSure);
    }
  }

  /** Of concurrent tries exactly one wins with all its rows; the others leave nothing. */
  #raceFault(
    offers: readonly Offer[],
    outcomes: readonly string[] | undefined,
    [won, lost]: readonly [string, string],
    others: (offer: Offer) => readonly boolean[],
  ): string | undefined {
    const parts = offers.map((offer) => [
      ...others(offer),
      this.#has('refresh_token', offer.refresh),
      this.#has('access_token', offer.access),
    ]);
    if (parts.some((flags) => new Set(flags).size > 1)) return 'half of a step is there';
    const winners = parts.map(([flag]) => flag === true);
    if (winners.filter(Boolean).length > 1) return 'won twice';
    if (outcomes === undefined) return undefined;
    if (!outcomes.every((outcome, n) => outcome === (winners[n] ? won : lost))) {
      return 'the file is not what was acknowledged';
    }
    const spentTwice = won === 'spent' && offers.length > 1;
    const winner = offers[winners.indexOf(true)]?.family ?? '';
    return spentTwice && !this.#isRevoked(winner) ? 'a replay has revoked nothing' : undefined;
  }

  #isRevoked(family: string): boolean {
    const row = this.#row('family', family);
    return row !== undefined && row['revoked_at'] !== null;
  }

  #has(table: (typeof tables)[number], key: string): boolean {
    return this.#row(table, key) !== undefined;
  }

  #row(table: (typeof tables)[number], key: string): Row {
    return this.#select[table].get(key);
  }
}
