// Owns the tables of the reference that list names instead of keys: failures, values, inputs,
// formats, characters, and the endpoints that the variants have.

import type {
  PageFailure,
  RedirectFailure,
} from '../../src/programme/language/authorize_schema.ts';
import type { Definition } from '../../src/programme/language/definition.ts';
import type { ErrorMapping } from '../../src/programme/language/errors_schema.ts';
import type { EndpointDefinition } from '../../src/programme/language/input_schema.ts';
import { characterRanges } from '../../src/programme/language/value_shape.ts';
import { failureDocs, loginFailureDocs } from './docs_failures.ts';
import { kindDocs } from './docs_types.ts';
import {
  classDocs,
  errorValueDocs,
  formatDocs,
  inputDocs,
  redirectValueDocs,
  tokenValueDocs,
} from './docs_values.ts';
import type { Translation } from './json_schema.ts';
import { code, table, type Variants } from './markdown.ts';

/** The part of a variant's document that is listed. */
type Listed = Pick<Definition, 'authorize' | 'token_endpoints' | 'errors'>;

/** The tables that the page can ask for, by name. */
export function listTables(variants: Variants): Readonly<Record<string, string>> {
  const listed = Object.entries(variants) as [string, Listed][];
  const names = listed.map(([name]) => name);
  return {
    failures: table(
      ['Reason', 'When', ...names],
      Object.entries(failureDocs).map(([reason, when]) => [
        code(reason),
        when,
        ...listed.map(([, { errors }]) => errorWords(errors.reasons, reason)),
      ]),
    ),
    'login failures': table(
      ['Failure', 'When', ...names],
      Object.entries(loginFailureDocs).map(([reason, when]) => [
        code(reason),
        when,
        ...listed.map(([, { authorize }]) => failureWords(authorize.failures, reason)),
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
    'token values': namesTable('Value', tokenValueDocs),
    'error values': namesTable('Value', errorValueDocs),
    'redirect values': namesTable('Value', redirectValueDocs),
    formats: table(
      ['`as`', 'For a', 'Written'],
      Object.entries(formatDocs).map(([name, [kind, example]]) => [code(name), kind, example]),
    ),
    inputs: table(
      ['Input', 'Request', 'Use'],
      Object.entries(inputDocs).map(([name, [where, use]]) => [code(name), where, use]),
    ),
    'character classes': table(
      ['Class', 'Characters', 'What they are'],
      Object.entries(characterRanges).map(([name, range]) => [
        code(name),
        code(range),
        classDocs[name as keyof typeof classDocs],
      ]),
    ),
  };
}

/** The kinds of values that have no keys of their own, with their form where it is a pattern. */
export function kindsTable({ definitions }: Translation): string {
  const rows = Object.entries(kindDocs).map(([name, text]) => {
    const pattern = definitions[name]?.pattern;
    return [name.replaceAll('_', ' '), text, pattern === undefined ? '' : code(pattern)];
  });
  return table(['Kind', 'What it is', 'Form'], rows);
}

function namesTable(head: string, docs: Readonly<Record<string, string>>): string {
  return table(
    [head, 'What it is'],
    Object.entries(docs).map(([name, text]) => [code(name), text]),
  );
}

function errorWords(reasons: Readonly<Record<string, ErrorMapping>>, reason: string): string {
  const mapping = reasons[reason];
  if (mapping === undefined) return 'not mapped';
  const { status, error, error_description: text, challenge } = mapping;
  const details = [...(text === undefined ? [] : [text]), ...(challenge ? ['challenge'] : [])];
  return `${status} ${[code(error), ...details].join(', ')}`;
}

function failureWords(
  failures: Readonly<Record<string, PageFailure | RedirectFailure>>,
  reason: string,
): string {
  const failure = failures[reason];
  if (failure === undefined) return 'not mapped';
  if ('redirect' in failure) return `redirect, ${code(failure.redirect)}`;
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
