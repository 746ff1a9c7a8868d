// Owns the compiled inputs of an endpoint: for each its names, its places, which requests read and need it, and
// the tests of its values in the order in which they are made. The engine, `why`, the sandbox and all that tells
// partners of an input read these rows.

import { authenticationAt } from '../../language/client_schema.ts';
import type { Definition } from '../../language/definition.ts';
import { formatRows } from '../../language/input_formats.ts';
import {
  type Comparison,
  type EndpointDefinition,
  type InputDefinition,
  type Place,
  placesOf,
} from '../../language/input_schema.ts';
import { question } from '../../language/known_inputs.ts';
import { shapeTests, type ValueTest } from '../../language/value_shape.ts';
import { present } from '../../lib/present.ts';
import { attributeMark } from '../../oauth/bodies/xml_parameters.ts';
import { describeDifference, describeName, describeText } from '../../oauth/cause.ts';
import type { Client, StoredSecret } from '../../oauth/client.ts';
import { grantRows, inputsOfGrants } from '../../oauth/grant.ts';
import { memberPath } from '../../oauth/parameters.ts';
import { proofInputs } from '../../oauth/pkce.ts';
import type { FailureReason } from '../../oauth/reasons.ts';
import { isPathValue } from '../path_index.ts';
import { type Choice, formChoice, lifetimeChoice, resourceChoice } from './choices.ts';
import { heldValues } from './client_values.ts';
import { isGrant, needsWord, type RequestKind, readsInput, proofsOf } from './grant_places.ts';

/** Values of a request by the engine's names; an empty value is absent. */
export type Inputs = ReadonlyMap<string, string>;

/** Whether a text is one of a client's secrets, which are stored as keyed digests. */
export type SecretTest = (text: string, secrets: readonly StoredSecret[]) => boolean;

/** One reason to refuse the value of an input; `Reason` is its endpoint's list of failures. */
export interface InputTest<Reason = FailureReason> extends ValueTest {
  readonly reason: Reason;
}

/** The comparison of a value with the registration of the request's client. */
export interface ClientTest<Reason = FailureReason> {
  readonly reason: Reason;
  readonly holds: (value: string, client: Client, isSecret: SecretTest) => boolean;
}

/** What an input asks of its values, as the file says it. */
type Demands = Pick<
  InputDefinition,
  'prefix' | 'characters' | 'length' | 'format' | 'allowed' | 'must_equal'
>;

export interface Input<Reason = FailureReason> extends Demands {
  /** The engine's name of the input. */
  readonly role: string;
  /** The name of the parameter, header, cookie or member by itself; headers in lower case. */
  readonly wireName: string;
  /** Its name as the file writes it: the wire name, headers in their case. */
  readonly writtenName: string;
  /** Its name in messages: the wire name after the names of enclosing objects or elements. */
  readonly name: string;
  /** Its key among a request's parameters. */
  readonly key: string;
  /** The objects or elements that it lies in, outermost first. */
  readonly within: readonly string[];
  /** It is an attribute of an XML element. */
  readonly attribute: boolean;
  readonly places: readonly Place[];
  /** What stands between its values where they come as a list of texts in JSON. */
  readonly between?: string;
  readonly inHeader: boolean;
  /** A segment of the path: always there. */
  readonly inPath: boolean;
  readonly inCookie: boolean;
  /** Several header lines form one list. */
  readonly list: boolean;
  /** An empty value counts as sent. */
  readonly keepsEmpty: boolean;
  /** The authentication scheme before the value. */
  readonly scheme: string | undefined;
  /** The header's value without its scheme; undefined if the scheme is absent. */
  readonly unwrap: (sent: string) => string | undefined;
  /** The file requires it. */
  readonly required: boolean;
  /** Belongs to some grants only. */
  readonly isOfGrants: boolean;
  /** The kinds of request that read it. */
  readonly readBy: readonly RequestKind[];
  /** The kinds that cannot do without it. */
  readonly neededBy: readonly RequestKind[];
  /** The kinds that are refused with `whenMissing` if it is absent: some have failed to authenticate before. */
  readonly missedBy: readonly RequestKind[];
  /** What is asked of a value whoever sends it, in the order of C-8. */
  readonly tests: readonly InputTest<Reason>[];
  /** A value that fits, where neither shape nor list tells one. */
  readonly sample?: string;
  /** What its values stand for: for partners, as Markdown. */
  readonly meaning?: string;
  /** Whether the file asks a form of its values: the comparison with the programme apart. */
  readonly fits: (value: string) => boolean;
  readonly clientTest?: ClientTest<Reason>;
  readonly whenMissing: Reason;
  readonly whenInvalid: Reason;
  readonly whenUnequal: Reason;
  readonly whenRepeated: FailureReason;
}

/** The reasons for which an input is refused. */
export type InputReasons<Reason> = Pick<
  Input<Reason>,
  'whenMissing' | 'whenInvalid' | 'whenUnequal' | 'whenRepeated'
>;

type ReasonsOf<Reason> = (
  role: string,
  definition: InputDefinition,
  inHeader: boolean,
) => InputReasons<Reason>;

/**
 * The inputs of an endpoint; those of PKCE only if the programme uses PKCE.
 *
 * @param kinds the kinds of request that the endpoint answers
 */
export function compileInputs(
  endpoint: EndpointDefinition,
  definition: Definition,
  kinds: readonly RequestKind[],
): readonly Input[] {
  return compileInputsWith(endpoint, definition, kinds, tokenReasons);
}

export function compileInputsWith<Reason>(
  endpoint: EndpointDefinition,
  definition: Definition,
  kinds: readonly RequestKind[],
  reasonsOf: ReasonsOf<Reason>,
): readonly Input<Reason>[] {
  const { authorize, programme_identifier: identifier } = definition;
  return Object.entries(endpoint.inputs)
    .filter(([role]) => authorize.pkce !== 'off' || !proofInputs.has(role))
    .map(([role, input]) => {
      const isOfTokens = kinds.includes('login') || kinds.some(isGrant);
      const choice = isOfTokens ? choiceOf(role, input, definition) : undefined;
      const row = compile(role, input, identifier, endpoint, reasonsOf, choice);
      return {
        ...row,
        // Of a login, an empty list in a header is malformed, not missing.
        keepsEmpty: kinds.includes('login') ? row.list : row.keepsEmpty,
        ...needsOf(role, input, endpoint, definition, kinds),
        ...(role === 'scope' && { between: scopeSeparator(definition) }),
      };
    });
}

function scopeSeparator({ scope }: Definition): string {
  return scope.kind === 'list' && scope.separator !== 'none' ? scope.separator : ' ';
}

type Needs = Pick<Input, 'readBy' | 'neededBy' | 'missedBy'>;

const none: readonly never[] = [];

/** What a request chooses by the input, where the programme says what it can choose. */
function choiceOf(
  role: string,
  input: InputDefinition,
  definition: Definition,
): Choice | undefined {
  const { requested } = definition.tokens.access;
  if (role === 'resource') return resourceChoice(definition);
  if (role === 'answer_form' && definition.answer_forms !== undefined) {
    return formChoice(definition, input);
  }
  return role === 'access_lifetime' && requested !== undefined
    ? lifetimeChoice(requested, input)
    : undefined;
}

/** The grants whose logins have drawn what their requests repeat. */
const drawnGrants: ReadonlySet<RequestKind> = new Set([
  'authorization_code',
  'refresh_token',
  'token_exchange',
]);

/** The one formula for which requests read and need an input. */
function needsOf(
  role: string,
  input: InputDefinition,
  endpoint: EndpointDefinition,
  definition: Definition,
  kinds: readonly RequestKind[],
): Needs {
  const { authorize } = definition;
  const isDrawn = Object.hasOwn(authorize.draws, role);
  const authentication = authenticationAt(definition, endpoint);
  const { isUnread, proves } = proofsOf(authentication, endpoint, role);
  const readBy = isUnread ? [] : kinds.filter((kind) => !isGrant(kind) || readsInput(kind, role));
  const served = kinds.filter(isGrant);
  const isAsked = (kind: RequestKind): boolean => {
    if (input.required) return true;
    if (isGrant(kind)) {
      const isWord = role === 'grant_type' && needsWord(definition, endpoint, served, kind);
      return isWord || grantRows[kind].needs.includes(role);
    }
    if (kind === 'management') return role === question;
    if (kind !== 'login') return false;
    if (role === 'redirect_uri') return authorize.redirect_uri.login === 'required';
    const isChallenge = role === 'code_challenge' || role === 'code_challenge_method';
    const isNamed = !definition.client.authentication.methods.includes('unnamed');
    return (role === 'client_id' && isNamed) || (isChallenge && authorize.pkce === 'required');
  };
  const inPath = input.in === 'path';
  // Without it a request asks for something else.
  const isTold = role === 'grant_type' && endpoint.without_grant_type !== undefined;
  // The grant judges their lack, by the code (RFC 6749 4.1.3, RFC 7636 4.6).
  const { login, token } = authorize.redirect_uri;
  const verifies = (kind: RequestKind): boolean =>
    (isDrawn && drawnGrants.has(kind)) ||
    (kind === 'authorization_code' &&
      ((role === 'code_verifier' && authorize.pkce === 'required') ||
        (role === 'redirect_uri' && login === 'required' && token === 'if_sent')));
  return {
    readBy,
    neededBy: readBy.filter((kind) => inPath || isAsked(kind) || proves(kind) || verifies(kind)),
    missedBy: inPath || isTold ? [] : readBy.filter((kind) => isAsked(kind) && !proves(kind)),
  };
}

/** An input by itself: nothing is known of the requests that read it. */
export function compileInput(
  role: string,
  definition: InputDefinition,
  programmeIdentifier: string,
  endpoint: Pick<EndpointDefinition, 'read' | 'empty'> = { read: [], empty: 'missing' },
): Input {
  const alone = { readBy: none, neededBy: none, missedBy: none };
  return { ...compile(role, definition, programmeIdentifier, endpoint, tokenReasons), ...alone };
}

function compile<Reason>(
  role: string,
  own: InputDefinition,
  programmeIdentifier: string,
  endpoint: Pick<EndpointDefinition, 'read' | 'empty'>,
  reasonsOf: ReasonsOf<Reason>,
  choice?: Choice,
): Omit<Input<Reason>, keyof Needs> {
  const definition = { ...choice?.demands, ...own };
  const { sample, meaning, isList = false, tests: ofChoice = [] } = choice ?? {};
  const inHeader = definition.in === 'header';
  const { name: ownName = role, within = none, attribute = false, scheme, required } = definition;
  const { prefix, characters, length, format, allowed, must_equal: comparison } = definition;
  const wireName = inHeader ? ownName.toLowerCase() : ownName;
  const name = inHeader ? wireName : [...within, ownName].join('.');
  const reasons = reasonsOf(role, definition, inHeader);
  const place = inHeader ? `the header ${name}` : name;
  const formTests = [...formTestsOf(definition), ...ofChoice].map(({ expected, ...test }) => ({
    ...test,
    ...(choice !== undefined && !Object.hasOwn(own, test.key) && { rule: choice.rule }),
    reason: reasons.whenInvalid,
    expected: `${place}: ${expected}`,
  }));
  return {
    role,
    wireName,
    writtenName: ownName,
    name,
    key: memberPath([...within, attribute ? attributeMark + ownName : ownName]),
    within,
    attribute,
    places: placesOf(definition, endpoint),
    inHeader,
    inPath: definition.in === 'path',
    inCookie: definition.in === 'cookie',
    list: inHeader && (format !== undefined || isList),
    keepsEmpty: endpoint.empty === 'value',
    scheme,
    unwrap: compileUnwrap(scheme),
    required,
    isOfGrants: inputsOfGrants.has(role),
    ...present({ prefix, characters, length, format, allowed, must_equal: comparison }),
    ...present({ sample, meaning }),
    tests: [
      ...formTests,
      ...(comparison === 'programme.identifier'
        ? [programmeTest(name, programmeIdentifier, reasons.whenUnequal)]
        : []),
    ],
    fits: (value) => formTests.every(({ came }) => came(value) === undefined),
    ...(comparison !== undefined &&
      comparison !== 'programme.identifier' && {
        clientTest: { reason: reasons.whenUnequal, holds: compileComparison(comparison) },
      }),
    ...reasons,
  };
}

const target = 'invalid_target';

/** The reasons at token endpoints, where a file can choose others. */
function tokenReasons(
  role: string,
  definition: InputDefinition,
  inHeader: boolean,
): InputReasons<FailureReason> {
  const { when_missing, when_invalid, when_unequal, must_equal: comparison } = definition;
  if (role === 'resource') {
    // RFC 8707 2: whatever is wrong with it.
    const [whenMissing, whenInvalid] = [when_missing ?? target, when_invalid ?? target];
    return {
      whenMissing,
      whenInvalid,
      whenUnequal: when_unequal ?? target,
      whenRepeated: whenInvalid,
    };
  }
  const whenInvalid = when_invalid ?? (inHeader ? 'invalid_header' : 'invalid_parameter');
  return {
    whenMissing: when_missing ?? missingReason(role, inHeader),
    whenInvalid,
    whenUnequal: when_unequal ?? unequalReason(comparison),
    whenRepeated: inHeader ? whenInvalid : 'repeated_parameter',
  };
}

function missingReason(role: string, inHeader: boolean): FailureReason {
  if (inHeader) return 'missing_header';
  return role === 'grant_type' ? 'missing_grant_type' : 'missing_parameter';
}

function unequalReason(comparison: Comparison | undefined): FailureReason {
  if (comparison === 'programme.identifier') return 'programme_mismatch';
  return comparison === 'client.id' ? 'client_mismatch' : 'context_mismatch';
}

/** The tests of a value's form, in their order. */
function* formTestsOf(definition: InputDefinition): Iterable<ValueTest> {
  const { in: place, format, allowed } = definition;
  yield* shapeTests(definition);
  if (format !== undefined) {
    const { expected, fits } = formatRows[format];
    yield {
      key: 'format',
      expected,
      came: (value) => (fits(value) ? undefined : describeText(value)),
    };
  }
  if (allowed === undefined && place !== 'path') return;
  const list = allowed ?? [];
  const values = allowed === undefined ? undefined : new Set(allowed);
  yield {
    key: 'allowed',
    expected: `one of ${list.join(', ')}`,
    came: (value) => {
      if ((place !== 'path' || isPathValue(value)) && values?.has(value) !== false)
        return undefined;
      const near = list.find((one) => one.toLowerCase() === value.trim().toLowerCase());
      return near === undefined ? describeName(value) : describeDifference(value, near);
    },
  };
}

function programmeTest<Reason>(name: string, right: string, reason: Reason): InputTest<Reason> {
  return {
    key: 'must_equal',
    reason,
    expected: `${name}: the programme identifier ${right}`,
    came: (value) => (value === right ? undefined : describeDifference(value, right)),
  };
}

function compileComparison(comparison: Comparison): ClientTest['holds'] {
  if (comparison === 'client.api_key') {
    return (value, client, isSecret) => isSecret(value, client.apiKeys);
  }
  const valuesOf = heldValues(comparison);
  return (value, client) => valuesOf(client).includes(value);
}

const whole: Input['unwrap'] = (sent) => sent;

/** RFC 9110 11.1: a scheme in any case, spaces, then the value. */
function compileUnwrap(scheme: string | undefined): Input['unwrap'] {
  if (scheme === undefined) return whole;
  const form = new RegExp(`^${scheme} +(\\S+)$`, 'i');
  return (sent) => form.exec(sent)?.[1];
}
