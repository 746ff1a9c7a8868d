// Owns the headers and cookies that a dialect adds to token responses: constant texts, and fields.

import * as v from 'valibot';

import { note, key, named, type Output } from '../schema/notes.ts';
import { answerHeadersSchemaOf, headerTextSchema, matching } from '../schema/scalars.ts';
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

const cookieSchema = v.pipe(
  v.strictObject({
    value: key(tokenFieldSchemas.field, {
      text: 'What it holds: a [field](#fields-of-an-answer) of one text. If the value is absent, the cookie is not set.',
      example: 'refresh_token',
    }),
    path: key(v.optional(matching(/^\/[!-:<-~]*$/, 'expected a path'), '/'), {
      text: 'The path below which browsers send it.',
      example: '/api',
    }),
    max_age: key(v.exactOptional(v.picklist(['access_lifetime', 'refresh_lifetime'])), {
      text: 'How long browsers keep it.',
      example: 'refresh_lifetime',
      otherwise: 'until the browser is closed',
    }),
    http_only: key(v.optional(v.boolean(), true), {
      text: 'Whether the cookie is hidden from scripts of pages.',
      example: 'false',
      departs: [
        {
          name: 'exposed_cookie',
          when: (isHidden) => !isHidden,
          message: 'scripts of a page can read the token in this cookie (RFC 6265bis 8.6)',
          hint: 'leave http_only out',
        },
      ],
    }),
    secure: key(v.optional(v.boolean(), true), {
      text: 'Whether browsers send it by https alone.',
      example: 'false',
      departs: [
        {
          name: 'exposed_cookie',
          when: (isSecure) => !isSecure,
          message: 'browsers send the token in this cookie over plain http, too (RFC 6265bis 8.3)',
          hint: 'leave secure out',
        },
      ],
    }),
    same_site: key(v.optional(v.picklist(['Strict', 'Lax', 'None']), 'Strict'), {
      text: 'Whether browsers send it with requests that other sites cause. `Strict`: never. `Lax`: with links that are followed. `None`: always.',
      example: 'Lax',
      departs: [
        {
          name: 'exposed_cookie',
          when: (site) => site !== 'Strict',
          message:
            'browsers send this cookie with requests that other sites cause (RFC 6265bis 8.2)',
          hint: 'whoever reads it must check Origin or a token of its own',
        },
      ],
    }),
  }),
  named('cookie'),
);

/** By cookie name (RFC 6265 4.1.1). */
export const cookiesSchema = v.record(
  matching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'this is no name that a cookie can have'),
  cookieSchema,
);

export type Cookies = Output<typeof cookiesSchema>;
