// Owns what one correct server answers about one login: its states, and which answer is possible in each.

import type { Act, Outcome, Tokens } from './history.ts';

/** The tokens of an answer that nobody has received yet. */
const unheard = 'unheard';

/** What the server knows of the login. */
export interface State {
  readonly code: 'none' | 'unspent' | 'spent';
  readonly revoked: boolean;
  /** The last answer; undefined before the first. */
  readonly current: Tokens | typeof unheard | undefined;
  /** Refresh tokens that were rotated, the latest last. */
  readonly rotated: readonly string[];
  readonly accesses: readonly string[];
}

export const beginning: State = {
  code: 'none',
  revoked: false,
  current: undefined,
  rotated: [],
  accesses: [],
};

/**
 * The state after a request; undefined where the server cannot have given this answer. Without an
 * outcome the request took effect and its answer was lost.
 */
export function step(
  state: State,
  act: Act,
  outcome: Outcome | undefined,
  hasGrace: boolean,
): State | undefined {
  switch (act.kind) {
    case 'issue':
      return state.code === 'none' ? { ...state, code: 'unspent' } : undefined;
    case 'spend':
      if (state.code === 'none') return undefined;
      // RFC 6749 4.1.2: a replay ends what the code was spent for.
      if (state.code === 'spent') return refused(revoked(state), outcome);
      return answered({ ...state, code: 'spent' }, outcome);
    case 'own':
      return state.current === undefined ? answered(state, outcome) : undefined;
    case 'refresh':
      return refresh(state, act.token, outcome, hasGrace);
    case 'revoke':
      return outcome === undefined || outcome === 'done' ? revoked(state) : undefined;
    default: {
      const expected =
        !state.revoked && state.accesses.includes(act.token) ? 'valid' : ('refused' as const);
      return outcome === undefined || outcome === expected ? state : undefined;
    }
  }
}

/** RFC 9700 4.14.2: a token that was rotated earlier ends the login. */
function refresh(
  state: State,
  token: string,
  outcome: Outcome | undefined,
  hasGrace: boolean,
): State | undefined {
  const { current, rotated } = state;
  if (state.revoked) return refused(state, outcome);
  if (current !== unheard && current?.refresh === token) {
    return answered({ ...state, rotated: [...rotated, token] }, outcome);
  }
  if (!rotated.includes(token)) return undefined;
  if (!hasGrace || rotated.at(-1) !== token) return refused(revoked(state), outcome);
  if (outcome === undefined) return state;
  if (current === unheard) return answered(state, outcome);
  const isSame =
    typeof outcome === 'object' &&
    outcome.refresh === current?.refresh &&
    outcome.access === current?.access;
  return isSame ? state : undefined;
}

function revoked(state: State): State {
  return state.revoked ? state : { ...state, revoked: true };
}

function refused(state: State, outcome: Outcome | undefined): State | undefined {
  return outcome === undefined || outcome === 'refused' ? state : undefined;
}

function answered(state: State, outcome: Outcome | undefined): State | undefined {
  if (outcome === undefined) return { ...state, current: unheard };
  if (typeof outcome !== 'object') return undefined;
  return { ...state, current: outcome, accesses: [...state.accesses, outcome.access] };
}
