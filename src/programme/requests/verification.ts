// Owns what a verification asks of credentials: the gateway's demand, a scope that meets it, and headers that fit
// programme and client, with the headers that gateways pass on.

import type { Definition } from '../../language/definition.ts';
import type { InputDefinition } from '../../language/input_schema.ts';
import { memberPropertyPrefix } from '../../language/vocabularies.ts';
import { type RulePath, countOf, describeName, endpointRule, ownCause } from '../../oauth/cause.ts';
import { type Client, longestApiKey } from '../../oauth/client.ts';
import { Refusal } from '../../oauth/failure.ts';
import type { Member } from '../../oauth/member.ts';
import { type Parameters, parseForm } from '../../oauth/parameters.ts';
import type { FailureReason } from '../../oauth/reasons.ts';
import type { ScopeRules } from '../../oauth/scope.ts';
import { type WireRequest, headerValues } from '../../oauth/wire_request.ts';
import { isFreeHeader } from '../../schema/scalars.ts';
import { type Caller, heldValues } from './client_values.ts';
import { checkInput, unequalFault } from './input_faults.ts';
import { type Input, type Inputs, compileInput } from './inputs.ts';
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
      refuseDemand(
        'unknown_parameter',
        name,
        'level, scope, audience and key alone',
        describeName(name),
      );
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
const levelsRule: RulePath = ['scope', 'values'];

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

/**
 * The headers that a token endpoint compares with programme or client, by role. Where several
 * endpoints read a role, the first endpoint counts. Credentials are left out: an API key has a header
 * of its own, and Authorization has the token.
 */
export function heldHeaders({
  verify,
  token_endpoints: endpoints,
}: Pick<Definition, 'verify' | 'token_endpoints'>): ReadonlyMap<string, InputDefinition> {
  const found = new Map<string, InputDefinition>();
  if (verify.headers === 'ignored') return found;
  for (const { inputs } of Object.values(endpoints)) {
    for (const [role, input] of Object.entries(inputs)) {
      const { in: place, must_equal: comparison = 'client.api_key' } = input;
      if (place !== 'header' || comparison === 'client.api_key' || found.has(role)) continue;
      // It says what a token is for, not who calls: a gateway names its own audience.
      if (role === 'resource') continue;
      if (headerName(role, input).toLowerCase() !== 'authorization') found.set(role, input);
    }
  }
  return found;
}

/** The same as compiled inputs of calls. */
function compileComparedHeaders(
  definition: Pick<Definition, 'verify' | 'token_endpoints' | 'programme_identifier'>,
): readonly Input[] {
  const required = definition.verify.headers === 'required';
  const kinds = ['call'] as const;
  return [...heldHeaders(definition)].map(([role, input]) => ({
    ...compileInput(role, { ...input, required }, definition.programme_identifier),
    readBy: kinds,
    neededBy: required ? kinds : [],
    missedBy: required ? kinds : [],
  }));
}

function headerName(role: string, { name = role }: InputDefinition): string {
  return name;
}

interface ToldHeader {
  readonly name: string;
  /** The input's; undefined where requests have no such header. */
  readonly role?: string;
  /**
   * Undefined if caller or member are not known to have such a value. Of several, the one that was sent: it
   * was compared before.
   */
  readonly valueFor: (caller: Caller, sent?: string, member?: Member) => string | undefined;
}

/** The right values, without names that have another meaning in an answer. */
export function toldHeaders(
  definition: Pick<Definition, 'verify' | 'token_endpoints' | 'programme_identifier'>,
): readonly ToldHeader[] {
  const more = Object.entries(definition.verify.tells).map(([name, told]) => ({
    name,
    valueFor: propertyOf(told),
  }));
  const held = [...heldHeaders(definition)].flatMap(([role, input]): readonly ToldHeader[] => {
    const name = headerName(role, input);
    if (!isFreeHeader(name) || /^x-auth-/i.test(name)) return [];
    const { must_equal: comparison = 'programme.identifier', scheme } = input;
    const valueFor =
      comparison === 'programme.identifier'
        ? () => definition.programme_identifier
        : rightOf(heldValues(comparison));
    if (scheme === undefined) return [{ name, role, valueFor }];
    return [{ name, role, valueFor: (caller, sent) => withScheme(scheme, valueFor(caller, sent)) }];
  });
  return [...held, ...more];
}

/** The value of `member.NAME` or `client.NAME`. */
function propertyOf(told: string): ToldHeader['valueFor'] {
  if (!told.startsWith(memberPropertyPrefix))
    return rightOf(heldValues(told as `client.${string}`));
  const name = told.slice(memberPropertyPrefix.length);
  return (_caller, _sent, member) => {
    const { properties = {} } = member ?? {};
    return Object.hasOwn(properties, name) ? properties[name] : undefined;
  };
}

function rightOf(valuesOf: ReturnType<typeof heldValues>): ToldHeader['valueFor'] {
  return (caller, sent) => {
    const values = valuesOf(caller);
    return values.length === 1 ? values[0] : values.find((value) => value === sent);
  };
}

function withScheme(scheme: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${scheme} ${value}`;
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
  /** The headers that are compared with programme and client (P-4, P-15). */
  readonly comparedHeaders: readonly Input[];
  /**
   * Their values. Throws `Refusal` if one is
   * missing, malformed or names another programme.
   */
  readonly readHeaders: (request: ShownHeaders) => Inputs;
  /** The clients that the headers name; throws `Refusal` if none of `clients` matches. */
  readonly clientsMeant: (headers: Inputs, clients: readonly Client[]) => readonly Client[];
  /** Names of the values of clients and members that answers tell besides. */
  readonly tells: readonly string[];
  /** The right values of these headers, with which a gateway replaces the caller's. */
  readonly toldHeaders: readonly ToldHeader[];
}

type VerificationDefinition = Pick<
  Definition,
  'programme_identifier' | 'token_endpoints' | 'verify'
>;

export function compileVerification(
  definition: VerificationDefinition,
  scope: ScopeRules,
): VerificationRules {
  const { verify } = definition;
  const headers = compileComparedHeaders(definition);
  const ofClients = headers.filter(({ clientTest }) => clientTest !== undefined);
  return {
    apiKeyHeader: verify.api_key_header,
    readApiKey: compileKeyReader(verify.api_key_header.toLowerCase()),
    readDemand: (path, query) => readDemand(scope, path, query),
    checkScope: compileScopeCheck(scope),
    comparedHeaders: headers,
    readHeaders: (request) => readHeaders(headers, request),
    clientsMeant: (values, clients) => clientsMeant(ofClients, values, clients),
    tells: Object.values(verify.tells),
    toldHeaders: toldHeaders(definition),
  };
}

function compileKeyReader(name: string): VerificationRules['readApiKey'] {
  return (request) => {
    const [key, another] = headerValues(request, name);
    if (key === undefined || (key === '' && another === undefined)) return undefined;
    // A proxy and the API could each believe another of the two keys.
    if (another !== undefined || key.length > longestApiKey) {
      const came = another === undefined ? `one of ${countOf(key.length, 'character')}` : 'several';
      const expected = `one header ${name} of at most ${longestApiKey} characters`;
      const cause = ownCause(['verify', 'api_key_header'], expected, came, name);
      throw new Refusal('invalid_api_key', { cause });
    }
    return key;
  };
}

const noHeaders: Inputs = new Map();

function readHeaders(rules: readonly Input[], request: ShownHeaders): Inputs {
  if (rules.length === 0) return noHeaders;
  const values = new Map<string, string>();
  for (const rule of rules) {
    const [sent, another] = headerValues(request, rule.wireName);
    if (another !== undefined) throw malformed(rule, 'several');
    if (sent !== undefined && sent !== '') {
      const value = rule.unwrap(sent);
      if (value === undefined) throw malformed(rule, 'one without the scheme before its value');
      values.set(rule.role, value);
    }
    checkInput(rule, values, rule.required);
  }
  return values;
}

function malformed({ whenInvalid, name, role }: Input, came: string): Refusal {
  const cause = ownCause(endpointRule('inputs', role), `one header ${name}`, came, name);
  return new Refusal(whenInvalid, { parameter: name, cause });
}

/** `heldHeaders` leaves out comparisons with an API key. */
const noSecret = (): boolean => false;

function clientsMeant(
  rules: readonly Input[],
  headers: Inputs,
  clients: readonly Client[],
): readonly Client[] {
  let meant = clients;
  for (const rule of rules) {
    const value = headers.get(rule.role);
    if (value === undefined) continue;
    meant = meant.filter((client) => rule.clientTest?.holds(value, client, noSecret) !== false);
    if (meant.length === 0) {
      const { reason, facts } = unequalFault(rule, value);
      throw new Refusal(reason, facts);
    }
  }
  return meant;
}

function compileScopeCheck(rules: ScopeRules): VerificationRules['checkScope'] {
  const places = new Map(rules.levels.map((level, place) => [level, place]));
  const hasLevels = rules.levels.length > 0;
  return (demand, scope) => {
    const held = scope === undefined ? [] : rules.split(scope);
    const place = places.get(scope ?? '') ?? -1;
    const meets = (wanted: string): boolean =>
      hasLevels ? place >= (places.get(wanted) ?? Infinity) : held.includes(wanted);
    const floor = rules.levels[demand.level];
    const lacking = place < demand.level ? floor : demand.scopes.find((one) => !meets(one));
    if (lacking !== undefined) refuseScope(levelsRule, lacking, scope);
    const narrow = held.filter((one) => rules.restricted.has(one));
    if (narrow.length > 0 && !narrow.some((one) => demand.opens.includes(one))) {
      refuseScope(
        ['scope', 'restricted'],
        `an endpoint that demands ${narrow.join(' or ')}`,
        scope,
      );
    }
  };
}

function refuseScope(rule: RulePath, expected: string, scope: string | undefined): never {
  const came = scope === undefined ? 'a token without a scope' : `a token of ${scope}`;
  throw new Refusal('insufficient_scope', { cause: ownCause(rule, expected, came) });
}
