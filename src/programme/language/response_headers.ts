// Owns the headers of a token response that a dialect adds: constant texts, and values by name.

import * as v from 'valibot';

import { note } from '../../schema/notes.ts';
import { answerHeadersSchemaOf, headerTextSchema } from '../../schema/scalars.ts';
import { compileTexts, type Values, type WritingRules } from '../answers/tree_writer.ts';
import { fieldSchemasOf } from './field_schema.ts';
import type { Field, FieldTree } from './value_tree.ts';
import { tokenVocabulary } from './vocabularies.ts';

/** By header name: a text that is always the same, or a field. */
export type ResponseHeaders = Readonly<Record<string, string | Exclude<Field, string>>>;

/** Of token responses, and of the claims of JWTs. */
export const tokenFieldSchemas = fieldSchemasOf(tokenVocabulary);

export const responseHeadersSchema: v.GenericSchema<unknown, ResponseHeaders> =
  answerHeadersSchemaOf(
    v.pipe(
      v.lazy((input) => (typeof input === 'string' ? headerTextSchema : tokenFieldSchemas.field)),
      note({ alternatives: () => [headerTextSchema, tokenFieldSchemas.field] }),
    ) as v.GenericSchema<unknown, ResponseHeaders[string]>,
  );

/** The headers that are no constants, as a tree. */
export function headerFields(headers: ResponseHeaders): FieldTree {
  return new Map(
    Object.entries(headers).flatMap(([name, field]) =>
      typeof field === 'string' ? [] : [[name, field] as const],
    ),
  );
}

/** The headers that are the same in every answer. */
export function constantHeaders(headers: ResponseHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, field]) =>
      typeof field === 'string' ? [[name, field] as const] : [],
    ),
  );
}

/**
 * A function that writes those that are not; undefined where there are none. What HTTP cannot carry
 * (RFC 9110 5.5) is left out of their texts.
 */
export function compileHeaders(
  headers: ResponseHeaders,
  rules: WritingRules,
): ((values: Values) => Readonly<Record<string, string>>) | undefined {
  const write = compileTexts(headerFields(headers), rules);
  if (write === undefined) return undefined;
  return (values) => {
    const written = Object.entries(write(values));
    return Object.fromEntries(
      written.map(([name, text]) => [name, text.replaceAll(/[^ -~]/g, '')] as const),
    );
  };
}
