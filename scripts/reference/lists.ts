// Owns the tables of the reference that list names instead of keys: failures, values, inputs,
// formats, characters, and the endpoints that the variants have.

import type { PageFailure, RedirectFailure } from '../../src/language/authorize_schema.ts';
import type { Definition } from '../../src/language/definition.ts';
import type { EndpointDefinition } from '../../src/language/input_schema.ts';
import { inputRows } from '../../src/language/known_inputs.ts';
import { formatsOf, formatterOf } from '../../src/language/value_format.ts';
import { characterRanges } from '../../src/language/value_shape.ts';
import {
  errorVocabulary,
  nothing,
  redirectVocabulary,
  tokenVocabulary,
  type Vocabulary,
} from '../../src/language/vocabularies.ts';
import { loginReasons } from '../../src/oauth/login_reasons.ts';
import { failureReasons, reasons, type UsualAnswer, usualAnswer } from '../../src/oauth/reasons.ts';
import { departures, warningNames } from '../../src/rules/warnings.ts';
import { code } from '../../src/schema/key_words.ts';
import { hasKeys, notesOf, typesOf } from '../../src/schema/keys.ts';
import type { Schema } from '../../src/schema/walk.ts';
import type { Definitions } from './json_schema.ts';
import { table, type Variants } from './markdown.ts';

/** The listed part of a variant's document. */
type Listed = Pick<Definition, 'authorize' | 'token_endpoints' | 'errors'>;

/** The tables that the page's template can name. */
export function listTables(variants: Variants): Readonly<Record<string, string>> {
  const listed = Object.entries(variants) as [string, Listed][];
  const names = listed.map(([name]) => name);
  return {
    failures: table(
      ['Reason', 'When', 'Usual answer', ...names],
      failureReasons.map((reason) => {
        const usual = usualAnswer(reason);
        const others = listed.map(([, { errors }]) => otherWords(errors.reasons[reason], usual));
        return [code(reason), reasons[reason].text, errorWords(usual), ...others];
      }),
    ),
    'login failures': table(
      ['Failure', 'When', 'In the variants'],
      Object.entries(loginReasons).map(([reason, { text }]) => [
        code(reason),
        text,
        inVariants(listed.map(([, { authorize }]) => failureWords(authorize.failures, reason))),
      ]),
    ),
    endpoints: table(
      ['Variant', 'Key', 'Path', 'Inputs'],
      listed.flatMap(([name, { authorize, token_endpoints }]) => [
        endpointRow(name, 'authorize.endpoint', authorize.endpoint),
        ...Object.entries(token_endpoints).map(([key, endpoint]) =>
          endpointRow(name, `token_endpoints.${key}`, endpoint),
        ),
      ]),
    ),
    warnings: named(warningNames.filter((name) => !departures.has(name))),
    'departures with a risk': named(departureNames(false)),
    'departures in form': named(departureNames(true)),
    'token values': valuesTable(tokenVocabulary),
    'error values': valuesTable(errorVocabulary),
    'redirect values': valuesTable(redirectVocabulary),
    formats: table(['`as`', 'For a', 'Written'], formatRows()),
    inputs: table(
      ['Input', 'Request', 'Use'],
      Object.entries(inputRows)
        .filter(([, { at }]) => !at.includes('management'))
        .map(([name, { at, use }]) => [code(name), at.join(', '), use]),
    ),
    'character classes': table(
      ['Class', 'Characters', 'What they are'],
      Object.entries(characterRanges).map(([name, [range, text]]) => [
        code(name),
        code(range),
        text,
      ]),
    ),
  };
}

/** Names in a sentence; each key's row says which departures are its own, and why. */
function named(names: readonly string[]): string {
  return `${names.toSorted().map(code).join(', ')}.`;
}

function departureNames(isQuiet: boolean): readonly string[] {
  return [...departures].flatMap(([name, row]) =>
    (row.isQuiet ?? false) === isQuiet ? [name] : [],
  );
}

/** The types that have no keys, with their form where it is a pattern. */
export function kindsTable(schema: Schema, definitions: Definitions): string {
  const rows = [...typesOf(schema)].flatMap(([name, type]) => {
    const pattern = definitions[name]?.pattern;
    const form = pattern === undefined ? '' : code(pattern);
    return hasKeys(type) ? [] : [[name.replaceAll('_', ' '), notesOf(type).text ?? '', form]];
  });
  return table(['Kind', 'What it is', 'Form'], rows);
}

function valuesTable({ values }: Vocabulary): string {
  const rows = Object.entries(values).map(([name, [, text]]) => [code(name), text]);
  return table(['Value', 'What it is'], [...rows, [code(nothing), '`null`.']]);
}

/** Each format, with the same lifetime, time or scope. */
function formatRows(): readonly string[][] {
  const samples = [
    ['span', 'lifetime', 1_800_000],
    ['instant', 'time', Date.UTC(2026, 0, 1)],
    ['scope', 'scope', 'read write'],
  ] as const;
  return samples.flatMap(([kind, word, value]) =>
    formatsOf(kind).map((format) => {
      const written = formatterOf(kind, format, (scope) => scope.split(' '))(value);
      return [code(format), word, code(JSON.stringify(written))];
    }),
  );
}

function errorWords(answer: UsualAnswer): string {
  const { status, error, error_description: text, challenge } = answer;
  const details = [...(text === undefined ? [] : [text]), ...(challenge ? ['challenge'] : [])];
  return `${status} ${[code(error), ...details].join(', ')}`;
}

/** What an answer has that is not as in the usual one. */
function otherWords(answer: UsualAnswer, usual: UsualAnswer): string {
  const { status, error, error_description: text, challenge } = answer;
  const isOther = status !== usual.status || error !== usual.error || challenge !== usual.challenge;
  if (isOther) return errorWords(answer);
  return text === usual.error_description ? '' : (text ?? 'no description');
}

/** What all of them have. Throws if they do not agree, since the page has one column for them. */
function inVariants([words = '', ...others]: readonly string[]): string {
  if (others.some((one) => one !== words)) throw new Error(`${words} is not in every variant`);
  return words;
}

function failureWords(
  failures: Readonly<Record<string, PageFailure | RedirectFailure>>,
  reason: string,
): string {
  const failure = failures[reason];
  if (failure === undefined) return 'not mapped';
  if ('redirect' in failure) return code(failure.redirect);
  return `page, ${failure.page.status} ${failure.page.title}`;
}

function endpointRow(variant: string, key: string, endpoint: EndpointDefinition): string[] {
  const { methods, path, read, inputs } = endpoint;
  const words = Object.entries(inputs).map(([role, { in: place, name, required }]) => {
    const wire = name === undefined ? '' : ` as ${code(name)}`;
    const where = place === 'header' ? ' (header)' : '';
    return `${code(role)}${wire}${where}${required ? '\\*' : ''}`;
  });
  return [
    variant,
    code(key),
    `${methods.join(', ')} ${code(path)}, ${[read].flat().join(' or ')}`,
    words.join(', '),
  ];
}
