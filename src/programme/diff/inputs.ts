// Owns the items of an endpoint's reading: methods, media types, inputs and the order of their checks.

import type { FailureReason } from '../../oauth/reasons.ts';
import type { Contract } from '../contract/contract.ts';
import { renderings, tellsParameter } from '../contract/failures.ts';
import { loginInputs, tokenInputs } from '../language/known_inputs.ts';
import { describeShape } from '../language/value_shape.ts';
import { writtenValues } from '../language/value_tree.ts';
import type { Input } from '../requests/inputs.ts';
import type { Reading } from '../requests/reading.ts';
import { type Check, choice, type Item, type Items, names, offer } from './item.ts';

type AnyInput = Input<unknown>;
type AnyReading = Reading<unknown>;

/** Methods, media types, treatment of odd parameters, and each input. */
export function readingItems(contract: Contract, reading: AnyReading): Items {
  const { methods, mediaTypes, root, repeated, unknown, empty, inputs } = reading;
  const types = mediaTypes.map(([type, form]) => `${type} (${form})`).toSorted();
  const checks = inputs.filter(canFail).map((input) => checkOf(contract, input, reading));
  return [
    ...methods.toSorted().map((method) => offer(`method ${method}`, 'answered')),
    types.length !== 0 && names('media types', types),
    root !== undefined && choice('root element', root, true),
    choice('repeated parameters', repeatedTexts[repeated], repeated === 'refuse'),
    choice('unknown parameters', `${unknown}d`, unknown === 'refuse'),
    choice('empty values', empty === 'missing' ? 'count as missing' : 'count as sent', false),
    ...inputs.map((input) => inputItem(contract, input, reading)),
    { title: 'order of the checks', promise: { kind: 'order', checks } },
  ];
}

const repeatedTexts = {
  refuse: 'refused',
  first: 'the first one counts',
  last: 'the last one counts',
} as const;

export function inputItem(
  { definition, programme }: Contract,
  input: AnyInput,
  { kinds, unknown }: Pick<AnyReading, 'kinds' | 'unknown'>,
): Item {
  const isLogin = kinds.includes('login');
  const { role, name, neededBy, inHeader, inPath } = input;
  const known = (isLogin ? loginInputs : tokenInputs).has(role);
  const need = input.isOfGrants && !isLogin ? `required for ${neededBy.join(', ')}` : 'required';
  const demands = demandsOf(input, definition.programme_identifier);
  const words = [
    inHeader ? '' : input.places.toSorted().join(' or '),
    input.attribute ? 'an attribute' : '',
    known && role !== name ? `is the ${role}` : '',
    neededBy.length > 0 ? need : 'optional',
    ...shapeWords(input),
    ...demands,
  ].filter((word) => word !== '');
  const faults = isLogin ? [] : faultsOf(input as Input);
  const promise = {
    text: [...words, ...faults.map(([fault, reason]) => `${fault}: ${reason}`)].join('; '),
    meaning: () => {
      const meant = faults.map(([fault, reason]) => `${fault}: ${renderings(programme, reason)}`);
      return [...words, ...meant].join('; ');
    },
    requests: kinds,
    demands,
    strict: !inHeader && !inPath && unknown === 'refuse',
    input,
  };
  return { title: titleOf(input), otherwise: role, promise: { kind: 'input', ...promise } };
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

function titleOf({ inHeader, name }: AnyInput): string {
  return `${inHeader ? 'header' : 'parameter'} ${name}`;
}

function canFail(input: AnyInput): boolean {
  const { neededBy, format, must_equal: equal } = input;
  const isHeld = format !== undefined || equal !== undefined;
  return neededBy.length > 0 || shapeWords(input).length > 0 || isHeld;
}

function checkOf(contract: Contract, input: AnyInput, { kinds }: AnyReading): Check {
  const { readBy, inHeader, isOfGrants } = input;
  return {
    name: titleOf(input),
    answer: () => answerOf(contract, input, kinds.includes('login')),
    // A token endpoint checks all headers before it looks at the grant.
    requests: readBy.map((request) => (inHeader && !isOfGrants ? `${request}, headers` : request)),
  };
}

function shapeWords(input: AnyInput): readonly string[] {
  const { prefix, characters, length, allowed, scheme } = input;
  const isShaped = prefix !== undefined || characters !== undefined || length !== undefined;
  return [
    scheme === undefined ? '' : `after the scheme ${scheme}`,
    isShaped ? describeShape(input) : '',
    allowed === undefined ? '' : `one of ${[...new Set(allowed)].toSorted().join(', ')}`,
  ].filter((word) => word !== '');
}

const formatWords = {
  accepts_json: 'accepts JSON',
  ip_list: 'a list of IP addresses',
} as const;

/** Further demands on the value. */
function demandsOf(
  { must_equal: comparison, format }: AnyInput,
  identifier: string,
): readonly string[] {
  const demands = format === undefined ? [] : [formatWords[format]];
  if (comparison === undefined) return demands;
  if (comparison === 'programme.identifier') return [...demands, `must be "${identifier}"`];
  const property = comparison.slice('client.'.length).replaceAll('_', ' ');
  return [...demands, `must be the client's ${property}`];
}

/** What tells one failing check from another: the answers, and the name where they tell it. */
function answerOf({ definition, programme }: Contract, input: AnyInput, isLogin: boolean): string {
  const { name } = input;
  if (!isLogin) {
    const { whenMissing, whenInvalid, whenUnequal } = input as Input;
    const reasons = [whenMissing, whenInvalid, whenUnequal];
    const isTold = reasons.some((reason) => tellsParameter(programme, reason));
    return reasons.map((reason) => renderings(programme, reason)).join() + (isTold ? name : '');
  }
  const isTold = writtenValues(definition.authorize.answer.more).has('parameter');
  return isTold ? name : String(name === 'response_type');
}
