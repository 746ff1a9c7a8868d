// Owns the schema of a cookie that carries a token.

import * as v from 'valibot';

import { key, named, type Output } from '../../schema/notes.ts';
import { matching } from '../../schema/scalars.ts';
import { tokenFieldSchemas } from '../response_headers.ts';

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
