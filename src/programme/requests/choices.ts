// Owns what a token request may choose, the lifetime of its access token and the form of its answer: what it can say,
// and what that stands for.

import type { Definition } from '../../language/definition.ts';
import type { EncodingName } from '../../language/encoding.ts';
import type { InputDefinition } from '../../language/input_schema.ts';
import type { ValueTest } from '../../language/value_shape.ts';
import { type Milliseconds, milliseconds } from '../../lib/clock.ts';
import { formatDuration } from '../../lib/duration.ts';
import { describeText, type RulePath } from '../../oauth/cause.ts';

export type Requestable = NonNullable<Definition['tokens']['access']['requested']>;

const units = { seconds: 1000, minutes: 60_000 } as const;

/** A number that JavaScript has exactly, without a sign, a fraction or an exponent. */
const longestNumber = 15;

/** Of the programmes whose requests choose by a number; undefined of words. */
interface Bounds {
  /** In the unit: the first and the last number that is taken, and the number of the longest lifetime. */
  readonly least: number;
  readonly most: number;
  readonly longest: number;
  readonly unit: keyof typeof units;
}

function boundsOf(requested: Requestable): Bounds | undefined {
  const { longest, shortest = 60_000, unit = 'seconds', over = 'refuse' } = requested;
  if (longest === undefined) return undefined;
  const size = units[unit];
  const last = Math.floor(longest / size);
  return {
    least: Math.ceil(shortest / size),
    most: over === 'refuse' ? last : 10 ** longestNumber,
    longest: last,
    unit,
  };
}

/** The longest lifetime that a request can choose. */
export function longestRequested({
  words = {},
  longest = milliseconds(0),
}: Requestable): Milliseconds {
  return milliseconds(Math.max(longest, ...Object.values(words)));
}

/** The lifetime that a value asks for, never above the longest; undefined of a value that is refused. */
export function requestedLifetime(requested: Requestable, value: string): Milliseconds | undefined {
  const bounds = boundsOf(requested);
  if (bounds === undefined) {
    const { words = {} } = requested;
    return Object.hasOwn(words, value) ? words[value] : undefined;
  }
  if (!/^\d{1,15}$/.test(value)) return undefined;
  const { least, most, longest, unit } = bounds;
  const number = Number(value);
  if (number < least || number > most) return undefined;
  return milliseconds(Math.min(number, longest) * units[unit]);
}

/** Values that a request can choose by: all words, or the least and the greatest number that count. */
export function choosable(requested: Requestable): readonly string[] {
  const bounds = boundsOf(requested);
  if (bounds === undefined) return Object.keys(requested.words ?? {});
  return [String(bounds.least), String(bounds.longest)];
}

/** What is asked of an input by keys that are not its own. */
export interface Choice {
  /** For each of these the input can have a narrower demand of its own. */
  readonly demands: Pick<InputDefinition, 'allowed' | 'characters' | 'length'>;
  /** The key that makes these demands. */
  readonly rule: RulePath;
  readonly tests: readonly ValueTest[];
  /** Several header lines form one list. */
  readonly isList?: boolean;
  /** A value that is taken, of a form that its characters alone do not tell. */
  readonly sample?: string;
  /** What its values stand for: for partners, as Markdown. */
  readonly meaning?: string;
}

const requestedRule: RulePath = ['tokens', 'access', 'requested'];

/** @param input as the file has it: it can take a part of what there is */
export function lifetimeChoice(requested: Requestable, { allowed }: InputDefinition): Choice {
  const bounds = boundsOf(requested);
  if (bounds === undefined) {
    const { words = {} } = requested;
    const told = Object.entries(words).flatMap(([word, span]) =>
      allowed?.includes(word) === false ? [] : [`\`${word}\` for ${formatDuration(span)}`],
    );
    const demands = { allowed: Object.keys(words) };
    const rule = [...requestedRule, 'words'];
    return { demands, rule, tests: [], meaning: told.join(', ') };
  }
  const { least, most, longest, unit } = bounds;
  const rule = [...requestedRule, 'longest'];
  const isCut = most > longest;
  const expected = `a number of ${unit} from ${least}${isCut ? '' : ` to ${longest}`}`;
  const bounded = isCut ? `${expected}; more than ${longest} gets ${longest}` : expected;
  return {
    demands: { characters: 'digits', length: { min: 1, max: longestNumber } },
    rule,
    tests: [
      {
        key: 'allowed',
        rule,
        expected,
        came: (value) => {
          if (requestedLifetime(requested, value) !== undefined) return undefined;
          if (value.length > longestNumber || /\D/.test(value)) return describeText(value);
          return Number(value) > most ? 'a greater one' : 'a smaller one';
        },
      },
    ],
    sample: allowed?.[0] ?? String(longest),
    meaning: allowed === undefined ? bounded : `one of ${allowed.join(', ')} ${unit}`,
  };
}

/** RFC 8707: one of those that the file registers, or fewer of them if the input says so. */
export function resourceChoice({ resources }: Definition): Choice {
  return { demands: { allowed: resources }, rule: ['resources'], tests: [] };
}

/** Its header where requests choose by the types that they accept (RFC 9110 12.5.1). */
export const acceptHeader = 'accept';

/** Whether the input is the header in which clients weigh media types. */
export function choosesByType({ in: place, name = 'answer_form' }: InputDefinition): boolean {
  return place === 'header' && name.toLowerCase() === acceptHeader;
}

/** What is asked of the input: one of the forms' names, if it does not weigh them. */
export function formChoice(definition: Definition, input: InputDefinition): Choice {
  const { allowed: taken } = input;
  const names = Object.keys(definition.answer_forms ?? {});
  const told = Object.entries(definition.answer_forms ?? {}).flatMap(([name, { encoding }]) =>
    taken?.includes(name) === false ? [] : [`\`${name}\` for ${formWords[encoding]}`],
  );
  const meaning = `${told.join(', ')}; without it, ${formWords[definition.token_response.encoding]}`;
  const isList = choosesByType(input);
  const demands = isList ? {} : { allowed: names };
  return { demands, rule: ['answer_forms'], isList, tests: [], meaning };
}

const formWords: Readonly<Record<EncodingName, string>> = {
  json: 'JSON',
  form: 'a form',
  xml: 'XML',
  text: 'text',
};
