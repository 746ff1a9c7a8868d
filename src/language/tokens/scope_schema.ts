// Owns the schema of scopes: levels, or names that are asked for.

import * as v from 'valibot';

import { key, named } from '../../schema/notes.ts';
import { listOf, matching, oneOrMore, textSchema } from '../../schema/scalars.ts';

const levelScopeSchema = v.pipe(
  v.strictObject({
    kind: key(v.literal('level'), {
      text: "Scopes are levels: how securely the token's owner was authenticated. A request may ask for a lower level, never for a higher one.",
      example: 'level',
    }),
    values: key(v.pipe(listOf(textSchema), v.nonEmpty('expected at least one level')), {
      text: 'The levels, lowest first.',
      example: '[AUTHN-LEVEL-10, AUTHN-LEVEL-12, AUTHN-LEVEL-15, AUTHN-LEVEL-20]',
    }),
    client: key(textSchema, {
      text: "The level of a client's own tokens; one of `values`.",
      example: 'AUTHN-LEVEL-12',
    }),
    member_default: key(textSchema, {
      text: "The level of a member's tokens, if the directory names none, or one that is not in `values`.",
      example: 'AUTHN-LEVEL-12',
    }),
  }),
  named('level scope'),
);

/** Of texts as they are once they are decoded; a letter or digit could stand in a scope. */
const separatorSchema = matching(
  /^[ !-/:-@[-`{-~]{1,2}$/,
  'expected one or two characters that are no letters or digits, as they are after decoding (" " for %20), or none',
);

const listScopeSchema = v.pipe(
  v.strictObject({
    kind: key(v.literal('list'), {
      text: 'Scopes are names that a login or token request asks for (RFC 6749 3.3). Without a `default`, the login request and the endpoints of grants without a login must declare an input `scope`.',
      example: 'list',
    }),
    values: key(listOf(textSchema), {
      text: 'The scopes that exist. With an empty list every scope is refused.',
      example: '[reset_password, retrieve_username, statements]',
    }),
    separator: key(v.optional(v.union([v.literal('none'), separatorSchema]), ' '), {
      text: 'What stands between several scopes in one value, once it is decoded: one or two characters such as a space, `,`, `|` or `", "`. `none`: a request names one scope at a time. With `+`, Jetway takes a space as well, since a form turns an unencoded plus into one. Answers have `+` in any case.',
      example: '","',
    }),
    default: key(v.exactOptional(oneOrMore(textSchema)), {
      text: 'The scope if none is asked for, of a login or of a token without one: one of `values` or several (RFC 6749 3.3).',
      example: '[read, write]',
      otherwise: 'such tokens have no scope',
    }),
    unknown: key(v.optional(v.picklist(['refuse', 'ignore']), 'refuse'), {
      text: 'What happens with a name that is not in `values`. `refuse`: the request gets `invalid_scope`. `ignore`: the rest of the scope counts (OpenID Connect Core 3.1.2.1). If nothing is left, `default` counts; without one, the request gets `invalid_scope`. A name that contains a restricted one is refused in any case. Answers must then tell `scope` (RFC 6749 3.3).',
      example: 'ignore',
      tells: { row: 'unknown scopes', isStrict: (unknown) => unknown === 'refuse' },
      departs: [
        {
          name: 'unknown_scope_refused',
          isQuiet: true,
          when: (unknown, { get }) => unknown === 'refuse' && get('id_token') !== undefined,
          message: 'a scope that is not known is refused (OpenID Connect Core 3.1.2.1)',
          hint: 'standard clients ask for profile and email, too: set scope.unknown to ignore',
        },
      ],
    }),
    restricted: key(v.optional(listOf(textSchema), []), {
      text: 'Scopes for one purpose each. A gateway lets a token that holds one pass only if it asks for that scope (P-15). `userinfo` answers no such token.',
      example: '[reset_password]',
    }),
  }),
  named('list scope'),
);

export const scopeSchema = v.variant('kind', [levelScopeSchema, listScopeSchema]);
