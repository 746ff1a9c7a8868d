// Owns what a gateway may ask of a request's credentials, compiled: how it is read from the verify
// address, whether a token's scope meets it, and which headers must be those of the programme and of
// the client.

import type { Client } from '../../oauth/client.ts';
import { Refusal } from '../../oauth/failure.ts';
import { MalformedParameters, type Parameters, parseForm } from '../../oauth/parameters.ts';
import type { ScopeRules } from '../../oauth/scope.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import type { Definition } from '../language/definition.ts';
import { compileInput, type Inputs, type InputRule } from './input_rules.ts';
import { checkInput } from './token_endpoint.ts';
import { heldHeaders, type ToldHeader, toldHeaders } from './verify_headers.ts';

/** The kinds of authentication an endpoint of the API needs (C-4). */
export const verificationModes = ['none', 'member', 'client'] as const;
export type VerificationMode = (typeof verificationModes)[number];

/** What a gateway asks for one endpoint of the API. */
export interface Demand {
  readonly mode: VerificationMode;
  /** Whether an API key must come, beside the token where there is one. */
  readonly key: boolean;
  /** The lowest level that will do, as its place in `levels`; -1 where nothing is asked. */
  readonly level: number;
  /** Scopes the token must hold. */
  readonly scopes: readonly string[];
  /** Those of them that the gateway itself asked for, so that a restricted one may pass (P-15). */
  readonly opens: readonly string[];
}

type ShownHeaders = Pick<WireRequest, 'rawHeaders'>;

export interface VerificationRules {
  /** Name of the header that an API key comes in, as the file has it. */
  readonly apiKeyHeader: string;
  /** The API key's header as it was sent; throws `invalid_api_key` where it was sent twice. */
  readonly readApiKey: (request: ShownHeaders) => string | undefined;
  /**
   * What the gateway asks, by what follows `/verify/` and by the query. Undefined for a mode that
   * there is not; throws `Refusal` where a demand of the gateway's own makes no sense.
   */
  readonly readDemand: (path: string, query: string) => Demand | undefined;
  /** Throws `insufficient_scope` unless a token of that scope meets the demand. */
  readonly checkScope: (demand: Demand, scope: string | undefined) => void;
  /**
   * The headers that are held against programme and client (P-4, P-15). Throws `Refusal` where one
   * is missing, malformed or names another programme.
   */
  readonly readHeaders: (request: ShownHeaders) => Inputs;
  /** Those of the clients that the headers name; throws `Refusal` where they name none of them. */
  readonly clientsMeant: (headers: Inputs, clients: readonly Client[]) => readonly Client[];
  /** The same headers as a gateway is told them, for it to put in the place of the caller's. */
  readonly toldHeaders: readonly ToldHeader[];
}

/** What of a definition bears upon verification. */
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

/** Longer than any API key this service makes; it imports none that is longer. */
export const longestApiKey = 1024;

function compileKeyReader(name: string): VerificationRules['readApiKey'] {
  return (request) => {
    const [key, another] = headerValues(request, name);
    if (key === undefined || (key === '' && another === undefined)) return undefined;
    // Which of two a proxy or the API would believe is not for us to guess.
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

/** An API key is never compared with a header here: `heldHeaders` leaves those out. */
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
 * `member`, `member,level=…,scope=…`, and then whatever path the gateway appends. What stands in
 * that segment was written by the gateway, and so was the query of an address that ends with the
 * bare mode. Any other query came with the request: it may ask for more and opens nothing, or a
 * caller could send `?scope=reset_password` along with such a token.
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
  const own = written === '' ? nothing : readOwn(rules, mode, parse(written));
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

/** What the gateway wrote: a floor that would not be held must not pass for one that is. */
function readOwn(rules: ScopeRules, mode: VerificationMode, parameters: Parameters): Floor {
  for (const [name, values] of parameters) {
    if (name !== 'level' && name !== 'scope' && name !== 'key') {
      throw new Refusal('unknown_parameter', { parameter: name });
    }
    if (values.length > 1) throw new Refusal('repeated_parameter', { parameter: name });
    // No token, no level: a floor on `none` would let everybody through. `key` is a bare word.
    if (name === 'key' ? values[0] !== '' : mode === 'none') {
      throw new Refusal('invalid_parameter', { parameter: name });
    }
  }
  const [level] = parameters.get('level') ?? [];
  const [scope] = parameters.get('scope') ?? [];
  return {
    key: parameters.has('key'),
    level: level === undefined ? -1 : placeOf(rules, level),
    scopes: scope === undefined ? [] : knownParts(rules, scope),
  };
}

function placeOf({ levels }: ScopeRules, level: string): number {
  const place = levels.indexOf(level);
  if (place < 0) throw new Refusal('invalid_parameter', { parameter: 'level' });
  return place;
}

function knownParts(rules: ScopeRules, scope: string): readonly string[] {
  const parts = rules.split(scope);
  if (parts.every((part) => rules.values.includes(part))) return parts;
  throw new Refusal('invalid_parameter', { parameter: 'scope' });
}

/** What a request's own query says that would be a floor; the rest of it is the API's business. */
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

function parse(text: string): Parameters {
  try {
    return parseForm(text);
  } catch (error) {
    if (!(error instanceof MalformedParameters)) throw error;
    throw new Refusal('malformed_body', { detail: error.message });
  }
}

function compileScopeCheck(rules: ScopeRules): VerificationRules['checkScope'] {
  const places = new Map(rules.levels.map((level, place) => [level, place]));
  const hasLevels = rules.levels.length > 0;
  return (demand, scope) => {
    const held = scope === undefined ? [] : rules.split(scope);
    const place = places.get(scope ?? '') ?? -1;
    const meets = (wanted: string): boolean =>
      hasLevels ? place >= (places.get(wanted) ?? Infinity) : held.includes(wanted);
    if (place < demand.level || !demand.scopes.every(meets)) refuse();
    const narrow = held.filter((one) => rules.restricted.has(one));
    if (narrow.length > 0 && !narrow.some((one) => demand.opens.includes(one))) refuse();
  };
}

function refuse(): never {
  throw new Refusal('insufficient_scope');
}
