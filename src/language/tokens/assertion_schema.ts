// Owns the schema of `client.authentication.assertion`: which JWTs of clients are good (RFC 7523).

import * as v from 'valibot';

import { longestTolerance } from '../../lib/clock.ts';
import { assertionAlgorithms } from '../../oauth/client_certificate.ts';
import { key } from '../../schema/notes.ts';
import {
  durationSchema,
  lifetimeSchema,
  listOf,
  matching,
  oneOrMore,
  textSchema,
} from '../../schema/scalars.ts';
import { clientPropertyForm } from '../vocabularies.ts';

const propertyWords = 'expected client.id, or client. and the name of a property';

export const assertionSchema = v.strictObject({
  audience: key(v.optional(oneOrMore(textSchema), 'issuer'), {
    text: "What `aud` must hold, one of these. `issuer`: the programme's public base URL. `token_endpoint`: the URL of any of its token endpoints; if the path has values, they are the client's own. `client.id` or `client.NAME`: what is registered for the client. Any other text: that text. `absent`: an assertion may be without `aud`.",
    example: '[token_endpoint, "https://login.example.com"]',
    tells: { row: 'aud of assertions', words: (audience) => audience.join(' or ') },
  }),
  algorithms: key(
    v.optional(
      v.pipe(
        listOf(v.picklist(assertionAlgorithms)),
        v.nonEmpty('expected at least one algorithm'),
      ),
      [...assertionAlgorithms],
    ),
    {
      text: 'What assertions may be signed with, if the key fits it. HMAC is none of them, since Jetway does not keep secrets.',
      example: '[RS256, ES256]',
      tells: { row: 'algorithms of assertions', words: (algorithms) => algorithms.join(', ') },
    },
  ),
  issuer: key(v.optional(matching(clientPropertyForm, propertyWords), 'client.id'), {
    text: 'What `iss` must be: the client identifier, or a registered property. With the identifier, `sub` can be left out. With a property, a `client_assertion` names its client by `sub`. An assertion of the grant `jwt_bearer` then names it by the input `client_id`, or by other credentials.',
    example: 'client.team_id',
    tells: { row: 'iss of assertions' },
  }),
  longest: key(v.optional(lifetimeSchema, '1h'), {
    text: 'How far ahead `exp` may lie. An assertion without `exp` is refused.',
    example: '5m',
    tells: { row: 'longest life of an assertion', isSpan: true },
  }),
  tolerance: key(
    v.optional(
      v.pipe(
        durationSchema,
        v.check((span) => span <= longestTolerance, 'expected at most 10m'),
      ),
      '30s',
    ),
    {
      text: "How far a client's clock may be off, for `exp`, `nbf` and `iat`.",
      example: '1m',
      tells: { row: 'tolerance for clocks', isSpan: true },
    },
  ),
  jti: key(v.exactOptional(v.picklist(['required', 'optional'])), {
    text: 'Whether an assertion without `jti` is refused. An assertion with `jti` is good once in any case.',
    example: 'required',
    otherwise: '`required` of a `client_assertion`, `optional` in the grant `jwt_bearer`',
  }),
});
