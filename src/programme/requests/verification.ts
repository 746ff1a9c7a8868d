// Owns a gateway's demands on credentials, compiled: reading a demand from the verify URL, checking
// a token's scope, and comparing headers with programme and client.

import type { Client } from '../../oauth/client.ts';
import { Refusal } from '../../oauth/failure.ts';
import { type Parameters, parseForm } from '../../oauth/parameters.ts';
import type { ScopeRules } from '../../oauth/scope.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import type { Definition } from '../language/definition.ts';
import { compileInput, type Inputs, type InputRule } from './input_rules.ts';
import { readQuery, refuse } from './request_reader.ts';
import { checkInput } from './token_endpoint.ts';
import { heldHeaders, type ToldHeader, toldHeaders } from './verify_headers.ts';

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
}

type ShownHeaders = Pick<WireRequest, 'rawHeaders'>;

export interface VerificationRules {
  /** The header's name as in the file. */
  readonly apiKeyHeader: string;
  /** The API key as sent; throws `invalid_api_key` for two of them. */
  readonly readApiKey: (request: ShownHeaders) => string | undefined;
  /**
   * Reads the demand from the path after `/verify/` and the query. Undefined for an unknown mode;
   * throws `Refusal` for an invalid demand of the gateway.
   */
  readonly readDemand: (path: string, query: string) => Demand | undefined;
  /** Throws `insufficient_scope` unless the token's scope meets the demand. */
  readonly checkScope: (demand: Demand, scope: string | undefined) => void;
  /**
   * The headers that are compared with programme and client (P-4, P-15). Throws `Refusal` if one is
   * missing, malformed or names another programme.
   */
  readonly readHeaders: (request: ShownHeaders) => Inputs;
  /** The clients that the headers name; throws `Refusal` if none of `clients` matches. */
  readonly clientsMeant: (headers: Inputs, clients: readonly Client[]) => readonly Client[];
  /** The right values of these headers, with which a gateway replaces the caller's. */
  readonly toldHeaders: readonly ToldHeader[];
}

export type VerificationDefinition = Pick<
  Definition,
  'programme_identifier' | 'token_endpoints' | 'verify'
>;

export function compileVerification(
  definition: VerificationDefinition,
  scope: ScopeRules,
): VerificationRules {
  const { verify, programme_identifier: identifier } = definition;
  const required = verify.headers === 'required';
  const rules = [...heldHeaders(definition)].map(([role, input]) =>
    compileInput(role, { ...input, required }, identifier),
  );
  const clientRules = rules.filter((rule) => rule.equalsClient !== undefined);
  return {
    apiKeyHeader: verify.api_key_header,
    readApiKey: compileKeyReader(verify.api_key_header.toLowerCase()),
    readDemand: (path, query) => readDemand(scope, path, query),
    checkScope: compileScopeCheck(scope),
    readHeaders: (request) => readHeaders(rules, request),
    clientsMeant: (headers, clients) => clientsMeant(clientRules, headers, clients),
    toldHeaders: toldHeaders(definition),
  };
}

/** Longer than any API key that Jetway makes or imports. */
export const longestApiKey = 1024;

function compileKeyReader(name: string): VerificationRules['readApiKey'] {
  return (request) => {
    const [key, another] = headerValues(request, name);
    if (key === undefined || (key === '' && another === undefined)) return undefined;
    // A proxy and the API could each believe another of the two keys.
    if (another !== undefined || key.length > longestApiKey) throw new Refusal('invalid_api_key');
    return key;
  };
}

const noHeaders: Inputs = new Map();

function readHeaders(rules: readonly InputRule[], request: ShownHeaders): Inputs {
  if (rules.length === 0) return noHeaders;
  const values = new Map<string, string>();
  for (const rule of rules) {
    const [sent, another] = headerValues(request, rule.wireName);
    if (another !== undefined) throw new Refusal(rule.whenInvalid, { parameter: rule.told });
    if (sent !== undefined && sent !== '') {
      const value = rule.unwrap(sent);
      if (value === undefined) throw new Refusal(rule.whenInvalid, { parameter: rule.told });
      values.set(rule.role, value);
    }
    checkInput(rule, values, rule.required);
  }
  return values;
}

/** `heldHeaders` leaves out comparisons with an API key. */
const noSecret = (): boolean => false;

function clientsMeant(
  rules: readonly InputRule[],
  headers: Inputs,
  clients: readonly Client[],
): readonly Client[] {
  let meant = clients;
  for (const rule of rules) {
    const value = headers.get(rule.role);
    if (value === undefined) continue;
    meant = meant.filter((client) => rule.equalsClient?.(value, client, noSecret) !== false);
    if (meant.length === 0) throw new Refusal(rule.whenUnequal, { parameter: rule.told });
  }
  return meant;
}

/**
 * The demand is `member` or `member,level=…,scope=…`; a gateway may append any path. The gateway
 * wrote this first segment, and the query if the URL ends with the bare mode. Any other query is
 * the caller's: it may add demands and never opens a restricted scope, or a caller could send
 * `?scope=reset_password` with such a token.
 */
function readDemand(rules: ScopeRules, path: string, query: string): Demand | undefined {
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
  };
}

interface Floor {
  readonly key: boolean;
  readonly level: number;
  readonly scopes: readonly string[];
}

const nothing: Floor = { key: false, level: -1, scopes: [] };

/** What a gateway can demand besides a mode. */
export const demandNames: readonly string[] = ['level', 'scope', 'key'];

/** The gateway's own demands; refuses a demand that could not be enforced. */
function readOwn(rules: ScopeRules, mode: VerificationMode, parameters: Parameters): Floor {
  for (const [name, values] of parameters) {
    if (!demandNames.includes(name)) {
      throw new Refusal('unknown_parameter', { parameter: name });
    }
    if (values.length > 1) throw new Refusal('repeated_parameter', { parameter: name });
    // A token is needed for a level: on `none` it would let everybody through. `key` has no value.
    if (name === 'key' ? values[0] !== '' : mode === 'none') {
      throw new Refusal('invalid_parameter', { parameter: name });
    }
  }
  const [level] = parameters.get('level') ?? [];
  const [scope] = parameters.get('scope') ?? [];
  const place = level === undefined ? -1 : rules.levels.indexOf(level);
  if (level !== undefined && place < 0) refuse('invalid_parameter', { parameter: 'level' });
  const scopes = scope === undefined ? [] : rules.split(scope);
  if (!scopes.every((one) => rules.values.includes(one))) {
    refuse('invalid_parameter', { parameter: 'scope' });
  }
  return { key: parameters.has('key'), level: place, scopes };
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

function compileScopeCheck(rules: ScopeRules): VerificationRules['checkScope'] {
  const places = new Map(rules.levels.map((level, place) => [level, place]));
  const hasLevels = rules.levels.length > 0;
  return (demand, scope) => {
    const held = scope === undefined ? [] : rules.split(scope);
    const place = places.get(scope ?? '') ?? -1;
    const meets = (wanted: string): boolean =>
      hasLevels ? place >= (places.get(wanted) ?? Infinity) : held.includes(wanted);
    if (place < demand.level || !demand.scopes.every(meets)) refuseScope();
    const narrow = held.filter((one) => rules.restricted.has(one));
    if (narrow.length > 0 && !narrow.some((one) => demand.opens.includes(one))) refuseScope();
  };
}

function refuseScope(): never {
  throw new Refusal('insufficient_scope');
}
