// Owns the expected content of a store, from its acknowledgements, and comparing a file with it.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { codeKey } from '../../src/oauth/grant.ts';
import { codeName } from '../../src/store/sql/login_rows.ts';
import { type Ask, faultOfChange } from './changes.ts';
import { type Line, type Offer, programme, type Step } from './steps.ts';

/** A step with its outcomes; without outcomes it was interrupted, and may have happened or not. */
interface Act {
  readonly step: Step;
  outcomes?: readonly string[];
}

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

/** Whether a code is there unspent, and for which place it was spent. */
function codeIn(ask: Ask, code: string) {
  const name = codeName(programme, codeKey(code));
  const isUnspent = ask('SELECT 1 FROM code WHERE digest = ?', name.digest) !== undefined;
  const known = ask('SELECT place FROM known_code WHERE digest = ?', name.digest);
  return { isUnspent, spentFor: isUnspent ? undefined : known?.['place'] };
}

const loginAt = `SELECT substr(state, 1, 4) AS generation, substr(state, 21, 12) AS nonce, revoked_at
  FROM login WHERE programme = '${programme}' AND place = ?`;
const revocationOf = `SELECT * FROM revocation
  WHERE programme = '${programme}' AND owner = 'subject ' || ?`;

function faultsOf(database: DatabaseSync, acts: readonly Act[]): string[] {
  const prepared = new Map<string, StatementSync>();
  const ask: Ask = (sql, ...values) => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement.get(...values);
  };
  return acts.flatMap((act) => {
    const fault = faultOf(ask, act);
    return fault === undefined ? [] : [`${fault}: ${JSON.stringify(act)}`];
  });
}

function faultOf(ask: Ask, { step, outcomes }: Act): string | undefined {
  const isSure = outcomes !== undefined;
  switch (step.act) {
    case 'start':
      return outcomes?.[0] === 'started' && !findLogin(ask, step.place)
        ? 'a login is lost'
        : undefined;
    case 'issue':
      return isSure && !Object.values(codeIn(ask, step.code)).some(Boolean)
        ? 'a code is lost'
        : undefined;
    case 'revoke':
      return isSure && !findLogin(ask, step.place)?.isRevoked ? 'a revocation is lost' : undefined;
    case 'revokeAll': {
      const until = ask(revocationOf, step.subject)?.['revoked_until'];
      return isSure && until === undefined ? 'a revocation of all is lost' : undefined;
    }
    case 'spend':
      return spendFault(ask, step.code, step.offers, outcomes);
    case 'refresh':
      return refreshFault(ask, step.generation, step.offers, outcomes);
    default:
      return faultOfChange(ask, step, isSure);
  }
}

/** Of concurrent tries exactly one wins, with its login; the others leave nothing. */
function spendFault(
  ask: Ask,
  code: string,
  offers: readonly Offer[],
  outcomes: readonly string[] | undefined,
): string | undefined {
  const { spentFor } = codeIn(ask, code);
  const winners = offers.map(({ place, nonce }) => {
    const found = findLogin(ask, place);
    // Another process may have drawn the place of a try that left nothing: its login has another nonce.
    return found !== undefined && (found.nonce === nonce || spentFor === place);
  });
  if (offers.some(({ place }, n) => (spentFor === place) !== winners[n])) {
    return 'half of a step is there';
  }
  if (outcomes === undefined) return undefined;
  const isLoser = (one: string): boolean => one === 'replayed' || one === 'taken';
  if (!outcomes.every((one, n) => (winners[n] ? one === 'spent' : isLoser(one)))) {
    return 'the file is not what was acknowledged';
  }
  const winner = offers[winners.indexOf(true)]?.place ?? 0;
  return outcomes.includes('replayed') && !findLogin(ask, winner)?.isRevoked
    ? 'a replay has revoked nothing'
    : undefined;
}

/** Of concurrent tries exactly one wins; a later generation has been taken note of by its own step. */
function refreshFault(
  ask: Ask,
  generation: number,
  offers: readonly Offer[],
  outcomes: readonly string[] | undefined,
): string | undefined {
  const found = findLogin(ask, offers[0]?.place ?? 0);
  if (found === undefined) return 'a login is lost';
  const wins = outcomes?.filter((outcome) => outcome === 'advanced').length ?? 1;
  if (wins !== 1) return `a refresh was answered ${wins} times`;
  if (found.generation > generation) return undefined;
  if (found.generation < generation) return outcomes && 'a refresh is lost';
  const winner = offers.findIndex(({ nonce }) => nonce === found.nonce);
  if (winner < 0) return 'an answer that nobody gave is there';
  return outcomes && outcomes[winner] !== 'advanced'
    ? 'the file is not what was acknowledged'
    : undefined;
}

function findLogin(ask: Ask, place: number) {
  const row = ask(loginAt, place);
  return (
    row && {
      generation: Buffer.from(row['generation'] as Uint8Array).readUInt32BE(),
      nonce: Buffer.from(row['nonce'] as Uint8Array).toString('hex'),
      isRevoked: row['revoked_at'] !== null,
    }
  );
}
