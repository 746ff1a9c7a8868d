// Owns what a verification asks of credentials: a scope that meets the demand, and headers that fit programme
// and client.

import type { Definition } from '../../language/definition.ts';
import { countOf, endpointRule, ownCause, type RulePath } from '../../oauth/cause.ts';
import { longestApiKey } from '../../oauth/client.ts';
import type { Client } from '../../oauth/client.ts';
import { Refusal } from '../../oauth/failure.ts';
import type { ScopeRules } from '../../oauth/scope.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import { type Demand, levelsRule, readDemand } from './demand.ts';
import { checkInput } from './input_checks.ts';
import { unequalFault } from './input_faults.ts';
import type { Input, Inputs } from './inputs.ts';
import { compileComparedHeaders, type ToldHeader, toldHeaders } from './verify_headers.ts';

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

export type VerificationDefinition = Pick<
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
