// Owns the schema of `client.authentication.assertion`: which JWTs of clients are good (RFC 7523).

import * as v from 'valibot';

import { longestTolerance } from '../../lib/clock.ts';
import { assertionAlgorithms } from '../../oauth/client_certificate.ts';
import { privateKeyJwt } from '../../oauth/methods.ts';
import { key, type Surroundings } from '../../schema/notes.ts';
import {
  durationSchema,
  lifetimeSchema,
  listOf,
  matching,
  oneOrMore,
  textSchema,
} from '../../schema/scalars.ts';
import { clientPropertyForm, clientPropertyPrefix } from '../vocabularies.ts';

const propertyWords = 'expected client.id, or client. and the name of a property';

const hour = 3_600_000;

const subjectWords = 'expected required, optional, or client. and the name of a property';

const subjectSchema = v.union(
  [
    v.picklist(['required', 'optional']),
    matching(/^client\.(?!id$)[A-Za-z][\w.-]{0,63}$/, subjectWords),
  ],
  subjectWords,
);

/** Whether a word of these keys names a property of the client, and not its identifier. */
export function isProperty(word: string): word is `client.${string}` {
  return word.startsWith(clientPropertyPrefix) && word !== 'client.id';
}

type Get = Surroundings['get'];

/** Whether clients authenticate by assertions. */
function signs(get: Get): boolean {
  const methods = get('client', 'authentication', 'methods') as readonly string[];
  return methods.includes(privateKeyJwt);
}

/** Whether a dialect takes any. */
function takesAssertions(get: Get): boolean {
  return signs(get) || get('grants', 'jwt_bearer') !== undefined;
}

export const assertionSchema = v.strictObject({
  audience: key(v.optional(oneOrMore(textSchema), 'issuer'), {
    text: "What `aud` must hold, one of these. `issuer`: the programme's public base URL. `token_endpoint`: the URL of any of its token endpoints; if the path has values, they are the client's own. `client.id` or `client.NAME`: what is registered for the client. Any other text: that text. `absent`: an assertion may be without `aud`.",
    example: '[token_endpoint, "https://login.example.com"]',
    tells: { row: 'aud of assertions', words: (audience) => audience.join(' or ') },
    departs: [
      {
        name: 'assertion_audience',
        when: (audience, { get }) =>
          takesAssertions(get) && audience.some((one) => one !== 'issuer' && one !== 'absent'),
        message: 'assertions are taken whose audience is not the issuer (RFC 7523bis 4)',
        hint: 'a client that can be led to the endpoint of a stranger signs for whom that stranger names',
      },
      {
        name: 'assertion_without_audience',
        when: (audience, { get }) => takesAssertions(get) && audience.includes('absent'),
        message: 'assertions are taken that are meant for nobody in particular (RFC 7523 3)',
        hint: 'whoever else gets one of the same keys can send it here',
      },
    ],
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
      text: 'What assertions may be signed with, if the key fits it. HMAC is none of them: of a client secret Jetway keeps a digest alone.',
      example: '[RS256, ES256]',
      tells: { row: 'algorithms of assertions', words: (algorithms) => algorithms.join(', ') },
      departs: [
        {
          name: 'assertion_algorithms',
          isQuiet: true,
          when: (algorithms, { get }) => takesAssertions(get) && !algorithms.includes('RS256'),
          message: 'assertions that are signed with RS256 are refused (RFC 7523 5)',
          hint: 'every client of assertions has it; add RS256',
        },
      ],
    },
  ),
  issuer: key(v.optional(matching(clientPropertyForm, propertyWords), 'client.id'), {
    text: 'What `iss` must be: the client identifier, or a registered property. With a property, a `client_assertion` names its client by `sub` (but see there). An assertion of the grant `jwt_bearer` then names it by the input `client_id`, or by other credentials.',
    example: 'client.team_id',
    tells: { row: 'iss of assertions' },
    departs: [
      {
        name: 'assertion_issuer',
        isQuiet: true,
        when: (issuer, { get }) => issuer !== 'client.id' && signs(get),
        message: 'the iss of an assertion is not the client identifier (OpenID Connect Core 9)',
        hint: (_, { get }) =>
          isProperty(String(get('client', 'authentication', 'assertion', 'sub')))
            ? 'client_id names the client then'
            : 'sub names the client then',
      },
    ],
  }),
  longest: key(v.optional(lifetimeSchema, '1h'), {
    text: 'How far ahead `exp` may lie. An assertion without `exp` is refused.',
    example: '5m',
    tells: { row: 'longest life of an assertion', isSpan: true },
    departs: [
      {
        name: 'long_assertions',
        when: (longest, { get }) => takesAssertions(get) && longest > hour,
        message: 'assertions may live for more than an hour (RFC 7523 3)',
        hint: 'one with jti is good once, unless the store was put back since; a key that is taken away ends them all',
      },
    ],
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
  jti: key(v.exactOptional(v.picklist(['required', 'optional', 'repeatable'])), {
    text: 'Whether an assertion without `jti` is refused. An assertion with `jti` is good once, but with `repeatable`: then `jti` does not matter, and an assertion may come again until it ends, as the token does that Kubernetes leaves in a file for an hour.',
    example: 'required',
    otherwise: '`required` of a `client_assertion`, `optional` in the grant `jwt_bearer`',
  }),
  sub: key(v.optional(subjectSchema, 'required'), {
    text: 'What `sub` of a `client_assertion` must be. `required`: the client identifier. `optional`: the same, or none; `iss` then names the client, if that is the client identifier. `client.NAME`: a property of the client, as it is with federated workload identity. The assertion then speaks of somebody else, such as a job of a build server. With `issuer: client.NAME` that server signs it, and the request names the client by the input `client_id`. So must the `sub` of an assertion of `jwt_bearer` be, where that alone proves its client.',
    example: 'client.workload',
    tells: { row: 'sub of client assertions', isStrict: (rule) => rule !== 'optional' },
    departs: [
      {
        name: 'assertion_subject',
        when: (rule, { get }) => isProperty(rule) && signs(get),
        message: 'the sub of a client_assertion is not the client identifier (RFC 7523 3)',
        hint: 'whoever can get an assertion with that sub is the client: register the whole sub, such as a repository with its branch, and its issuer (issuer: client.NAME)',
      },
      {
        name: 'assertion_without_subject',
        when: (rule, { get }) => rule === 'optional' && signs(get),
        message:
          'a client_assertion that does not say who authenticates is taken (RFC 7523 3, OpenID Connect Core 9)',
        hint: 'iss, which the key of the client has signed, is held against the client',
      },
    ],
  }),
});
