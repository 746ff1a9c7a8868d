// Owns the headers that a dialect adds to token responses: constant texts, and fields.

import * as v from 'valibot';

import { note } from '../schema/notes.ts';
import { answerHeadersSchemaOf, headerTextSchema } from '../schema/scalars.ts';
import { fieldSchemasOf } from './field_schema.ts';
import type { Field, FieldTree } from './value_tree.ts';
import { tokenVocabulary } from './vocabularies.ts';

/** By header name: a constant text, or a field. */
export type ResponseHeaders = Readonly<Record<string, string | Exclude<Field, string>>>;

/** Fields of token responses and of the claims of JWTs. */
export const tokenFieldSchemas = fieldSchemasOf(tokenVocabulary);

export const responseHeadersSchema: v.GenericSchema<unknown, ResponseHeaders> =
  answerHeadersSchemaOf(
    v.pipe(
      v.lazy((input) => (typeof input === 'string' ? headerTextSchema : tokenFieldSchemas.field)),
      note({ alternatives: () => [headerTextSchema, tokenFieldSchemas.field] }),
    ) as v.GenericSchema<unknown, ResponseHeaders[string]>,
  );

export function headerFields(headers: ResponseHeaders): FieldTree {
  return new Map(
    Object.entries(headers).flatMap(([name, field]) =>
      typeof field === 'string' ? [] : [[name, field] as const],
    ),
  );
}

export function constantHeaders(headers: ResponseHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, field]) =>
      typeof field === 'string' ? [[name, field] as const] : [],
    ),
  );
}
