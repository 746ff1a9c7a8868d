// Owns the rows of an endpoint's reading: methods, media types and inputs.

import { formatRows } from '../../language/input_formats.ts';
import { loginInputs, tokenInputs } from '../../language/known_inputs.ts';
import { describeShape, isNarrower } from '../../language/value_shape.ts';
import { writtenValues } from '../../language/value_tree.ts';
import type { FailureReason } from '../../oauth/reasons.ts';
import type { Programme } from '../../programme/programme.ts';
import type { Input } from '../../programme/requests/inputs.ts';
import { isReadAlike, type Reading } from '../../programme/requests/reading.ts';
import { renderings, tellsParameter } from '../failures.ts';
import { choice, names, offer, type Row, type Rows } from './rows.ts';

type AnyInput = Input<unknown>;
type AnyReading = Reading<unknown>;

/** Methods, media types, treatment of odd parameters, and each input. */
export function readingRows(programme: Programme, reading: AnyReading): Rows {
  const { methods, mediaTypes, root, repeated, unknown, empty, inputs } = reading;
  const types = mediaTypes.map(([type, form]) => `${type} (${form})`).toSorted();
  return [
    ...methods.toSorted().map((method) => offer(`method ${method}`, 'answered')),
    types.length !== 0 && names('media types', types),
    root !== undefined && choice('root element', root, true),
    choice('repeated parameters', repeatedTexts[repeated], repeated === 'refuse'),
    choice('unknown parameters', `${unknown}d`, unknown === 'refuse'),
    choice('empty values', empty === 'missing' ? 'count as missing' : 'count as sent', false),
    ...inputs.map((input) => ({
      ...inputRow(programme, input, reading),
      title: titleAmong(inputs, input),
    })),
    orderRow(programme, reading),
  ];
}

const repeatedTexts = {
  refuse: 'refused',
  first: 'the first one counts',
  last: 'the last one counts',
} as const;

export function inputRow(
  programme: Programme,
  input: AnyInput,
  { kinds, unknown }: Pick<AnyReading, 'kinds' | 'unknown'>,
): Row {
  const isLogin = kinds.includes('login');
  const { role, name, neededBy, inHeader, inPath } = input;
  const known = (isLogin ? loginInputs : tokenInputs).has(role);
  const isDrawn = !isLogin && programme.login.draws.has(role);
  const isOfSome = (input.isOfGrants && !isLogin) || isDrawn;
  const need = isOfSome ? `required for ${neededBy.join(', ')}` : 'required';
  const demands = [
    ...demandsOf(input, programme.identifier),
    ...(isDrawn ? ['must be what the login drew'] : []),
  ];
  const words = [
    inHeader ? '' : input.places.toSorted().join(' or '),
    input.attribute ? 'an attribute' : '',
    known && role !== name ? `is the ${role}` : '',
    neededBy.length > 0 ? need : 'optional',
    ...shapeWords(input),
    ...demands,
  ].filter((word) => word !== '');
  const faults = isLogin ? [] : faultsOf(input as Input);
  const meaning = (): string => {
    const meant = faults.map(([fault, reason]) => `${fault}: ${renderings(programme, reason)}`);
    return [...words, ...meant].join('; ');
  };
  return {
    title: titleOf(input),
    otherwise: role,
    text: [...words, ...faults.map(([fault, reason]) => `${fault}: ${reason}`)].join('; '),
    value: { input, demands, meaning },
    // Two failure reasons with one answer are the same to partners.
    differs: (later) => (later.value as Asked).meaning() !== meaning(),
    breaks: (later) => {
      if (later !== undefined)
        return inputBreak({ input, demands, meaning }, kinds, later.value as Asked);
      const isRefused = !inHeader && !inPath && unknown === 'refuse' && input.readBy.length > 0;
      return isRefused ? 'refused as unknown' : undefined;
    },
    burdens: (requests) => (burdenedBy(input, requests).length > 0 ? 'newly required' : undefined),
  };
}

/** An input with the demands on its value beside its shape, each in words. */
interface Asked {
  readonly input: AnyInput;
  readonly demands: readonly string[];
  /** Its row, with the answers to its failures in place of their reasons. */
  readonly meaning: () => string;
}

/** Why an input breaks partners whose requests were answered before. */
function inputBreak(was: Asked, requests: readonly string[], is: Asked): string | undefined {
  const { input: before } = was;
  const { input: after } = is;
  const burdened = burdenedBy(after, requests);
  const neededBefore: readonly string[] = before.neededBy;
  if (burdened.some((request) => !neededBefore.includes(request))) return 'newly required';
  // No request has had it that is still answered.
  if (!before.readBy.some((request) => after.readBy.includes(request))) return undefined;
  const isNeeded = burdened.length > 0;
  if (isNeeded && before.name !== after.name) return 'it has another name';
  const places = before.places.filter((place) => !after.places.includes(place));
  // An optional header that is not read any more is ignored; a parameter can be misplaced.
  const isMissed = isNeeded || !places.includes('header');
  if (places.length > 0 && isMissed) return `no longer read in: ${places.join(', ')}`;
  if (isNeeded && before.scheme?.toLowerCase() !== after.scheme?.toLowerCase())
    return 'it has another scheme';
  const demand = is.demands.find((one) => !was.demands.includes(one));
  if (demand !== undefined) return `new demand: ${demand}`;
  const { allowed } = after;
  const refused = before.allowed?.filter((value) => allowed?.includes(value) === false) ?? [];
  if (refused.length > 0) return `no longer allowed: ${refused.join(', ')}`;
  if (before.allowed === undefined && allowed !== undefined) return 'it is narrower';
  // Values of a list are allowed whatever the shapes are: `check` holds them to the shape.
  const isListed = before.allowed !== undefined;
  return !isListed && isNarrower(before, after) ? 'it is narrower' : undefined;
}

/** The requests among those of before that must have the input. */
function burdenedBy({ neededBy }: AnyInput, requests: readonly string[]): readonly string[] {
  return neededBy.filter((request) => requests.includes(request));
}

/** The reasons for which a value, or the lack of one, is refused, where it can be. */
function faultsOf(input: Input): readonly (readonly [fault: string, reason: FailureReason])[] {
  const { inHeader, scheme, tests, missedBy, must_equal: comparison } = input;
  const isFormed =
    inHeader || scheme !== undefined || tests.some(({ key }) => key !== 'must_equal');
  return [
    ...(missedBy.length > 0 ? [['missing', input.whenMissing] as const] : []),
    ...(isFormed ? [['malformed', input.whenInvalid] as const] : []),
    ...(comparison === undefined ? [] : [['unequal', input.whenUnequal] as const]),
  ];
}

/** Inputs of two grants can have one name. */
function titleAmong(inputs: readonly AnyInput[], input: AnyInput): string {
  const isShared = inputs.some((other) => other !== input && isReadAlike(input, other));
  return isShared ? `${titleOf(input)} as ${input.role}` : titleOf(input);
}

function titleOf({ inHeader, name }: AnyInput): string {
  return `${inHeader ? 'header' : 'parameter'} ${name}`;
}

function shapeWords(input: AnyInput): readonly string[] {
  const { prefix, characters, length, allowed, scheme } = input;
  const isShaped = prefix !== undefined || characters !== undefined || length !== undefined;
  return [
    scheme === undefined ? '' : `after the scheme ${scheme.toLowerCase()}`,
    isShaped ? describeShape(input) : '',
    allowed === undefined ? '' : `one of ${[...new Set(allowed)].toSorted().join(', ')}`,
  ].filter((word) => word !== '');
}

/** Further demands on the value. */
function demandsOf(
  { must_equal: comparison, format }: AnyInput,
  identifier: string,
): readonly string[] {
  const demands: readonly string[] = format === undefined ? [] : [formatRows[format].demand];
  if (comparison === undefined) return demands;
  if (comparison === 'programme.identifier') return [...demands, `must be "${identifier}"`];
  const property = comparison.slice('client.'.length).replaceAll('_', ' ');
  return [...demands, `must be the client's ${property}`];
}

/** A check that can fail, and the answer when it does. */
interface Check {
  readonly title: string;
  readonly answer: () => string;
  /** The kinds of request that are checked; checks of different kinds have no order. */
  readonly kinds: readonly string[];
}

/** The order of the checks that can fail (C-8). */
function orderRow(programme: Programme, { inputs, kinds }: AnyReading): Row {
  const isLogin = kinds.includes('login');
  const checks = inputs
    .filter(({ missedBy, tests, clientTest }) => missedBy.length + tests.length > 0 || clientTest)
    .map((input): Check => ({
      title: titleAmong(inputs, input),
      answer: () => answerOf(programme, input, isLogin),
      // A token endpoint checks all headers before it looks at the grant.
      kinds: input.readBy.map((kind) =>
        input.inHeader && !input.isOfGrants ? `${kind}, headers` : kind,
      ),
    }));
  return {
    title: 'order of the checks',
    text: checks.map(({ title }) => title).join(', '),
    value: checks,
    isRelative: true,
    differs: (later) => isReordered(checks, later.value as readonly Check[]),
  };
}

/** Two checks of one request that both can fail: the first of them answers. */
function isReordered(before: readonly Check[], after: readonly Check[]): boolean {
  const places = new Map(after.map((check, place) => [check.title, { check, place }]));
  return before.some((one, index) =>
    before.slice(index + 1).some((other) => {
      const [first, second] = [places.get(one.title), places.get(other.title)];
      if (first === undefined || second === undefined || first.place < second.place) return false;
      const isTogether = first.check.kinds.some((kind) => second.check.kinds.includes(kind));
      return isTogether && first.check.answer() !== second.check.answer();
    }),
  );
}

/** What tells one failing check from another: the answers, and the name where they tell it. */
function answerOf(programme: Programme, input: AnyInput, isLogin: boolean): string {
  const { name } = input;
  if (!isLogin) {
    const { whenMissing, whenInvalid, whenUnequal } = input as Input;
    const reasons = [whenMissing, whenInvalid, whenUnequal];
    const isTold = reasons.some((reason) => tellsParameter(programme, reason));
    return reasons.map((reason) => renderings(programme, reason)).join() + (isTold ? name : '');
  }
  const isTold = writtenValues(programme.layouts.redirect.more).has('parameter');
  return isTold ? name : String(name === 'response_type');
}
