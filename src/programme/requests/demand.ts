// Owns reading a gateway's demand on credentials from the verify URL.

import { countOf, describeName, type RulePath } from '../../oauth/cause.ts';
import { Refusal } from '../../oauth/failure.ts';
import { type Parameters, parseForm } from '../../oauth/parameters.ts';
import type { FailureReason } from '../../oauth/reasons.ts';
import type { ScopeRules } from '../../oauth/scope.ts';
import { readQuery, refuse } from './request_reader.ts';

/** The authentication that an endpoint of the API needs (C-4). */
export const verificationModes = ['none', 'member', 'client'] as const;
export type VerificationMode = (typeof verificationModes)[number];

export interface Demand {
  readonly mode: VerificationMode;
  /** An API key is required, besides the token if the mode needs one. */
  readonly key: boolean;
  /** The lowest level that passes, as its index in `levels`; -1 for any. */
  readonly level: number;
  /** Scopes the token must hold. */
  readonly scopes: readonly string[];
  /** Scopes that the gateway itself demands: only then does a restricted scope pass (P-15). */
  readonly opens: readonly string[];
  /** Of the API behind the gateway; the programme's own if left out. */
  readonly audience?: string | undefined;
}

/**
 * The demand is `member` or `member,level=…,scope=…`; a gateway may append any path. The gateway
 * wrote this first segment, and the query if the URL ends with the bare mode. Any other query is
 * the caller's: it may add demands and never opens a restricted scope, or a caller could send
 * `?scope=reset_password` with such a token.
 */
export function readDemand(rules: ScopeRules, path: string, query: string): Demand | undefined {
  const slash = path.indexOf('/');
  const segment = slash < 0 ? path : path.slice(0, slash);
  const comma = segment.indexOf(',');
  const name = comma < 0 ? segment : segment.slice(0, comma);
  const mode = verificationModes.find((known) => known === name);
  if (mode === undefined) return undefined;
  const isBare = slash < 0 && comma < 0;
  const written = isBare ? query : segment.slice(mode.length + 1).replaceAll(',', '&');
  const own = written === '' ? nothing : readOwn(rules, mode, readQuery(written, refuse));
  const more = isBare || query === '' || mode === 'none' ? nothing : readForeign(rules, query);
  return {
    mode,
    key: mode === 'none' || own.key,
    level: Math.max(own.level, more.level),
    scopes: [...own.scopes, ...more.scopes],
    opens: own.scopes,
    ...(own.audience === undefined ? {} : { audience: own.audience }),
  };
}

interface Floor {
  readonly key: boolean;
  readonly level: number;
  readonly scopes: readonly string[];
  readonly audience?: string | undefined;
}

const nothing: Floor = { key: false, level: -1, scopes: [] };

/** What a gateway can demand besides a mode. */
export const demandNames: readonly string[] = ['level', 'scope', 'audience', 'key'];

/** The gateway's own demands; refuses a demand that could not be enforced. */
function readOwn(rules: ScopeRules, mode: VerificationMode, parameters: Parameters): Floor {
  for (const [name, values] of parameters) {
    if (!demandNames.includes(name)) {
      refuseDemand('unknown_parameter', name, 'level, scope, audience and key alone', describeName(name));
    }
    if (values.length > 1) {
      const came = `${name} ${countOf(values.length, 'time')}`;
      refuseDemand('repeated_parameter', name, 'each once', came);
    }
    // A token is needed for a level: on `none` it would let everybody through. `key` has no value.
    if (name === 'key' ? values[0] !== '' : mode === 'none') {
      const words = name === 'key' ? 'key without a value' : `no ${name} for the mode none`;
      refuseDemand('invalid_parameter', name, words, name);
    }
  }
  const [level] = parameters.get('level') ?? [];
  const [scope] = parameters.get('scope') ?? [];
  const place = level === undefined ? -1 : rules.levels.indexOf(level);
  if (level !== undefined && place < 0) {
    const expected = `one of ${rules.levels.join(', ')}`;
    refuseDemand('invalid_parameter', 'level', expected, describeName(level), levelsRule);
  }
  const scopes = scope === undefined ? [] : rules.split(scope);
  const odd = scopes.find((one) => !rules.values.includes(one));
  if (odd !== undefined) {
    const expected = `some of ${rules.values.join(', ')}`;
    refuseDemand('invalid_parameter', 'scope', expected, describeName(odd), levelsRule);
  }
  const [audience] = parameters.get('audience') ?? [];
  return { key: parameters.has('key'), level: place, scopes, audience };
}

/** What scopes and levels there are. */
export const levelsRule: RulePath = ['scope', 'values'];

/** Refuses the demand that the gateway's configuration has in its URL. */
function refuseDemand(
  reason: FailureReason,
  parameter: string,
  expected: string,
  came: string,
  rule: RulePath = ['verify'],
): never {
  const cause = { rule, expected: `in the gateway's URL, ${expected}`, came };
  throw new Refusal(reason, { parameter, cause });
}

/** Demands in the caller's query; its other parameters are the API's. */
function readForeign(rules: ScopeRules, query: string): Floor {
  let parameters: Parameters;
  try {
    parameters = parseForm(query);
  } catch {
    return nothing;
  }
  const levels = (parameters.get('level') ?? []).map((level) => rules.levels.indexOf(level));
  const scopes = (parameters.get('scope') ?? []).flatMap((scope) => rules.split(scope));
  return {
    key: false,
    level: Math.max(-1, ...levels),
    scopes: scopes.filter((scope) => rules.values.includes(scope)),
  };
}
