// Owns the schemas of identity tokens and of the userinfo endpoint (OpenID Connect Core).

import * as v from 'valibot';

import { signingAlgorithms } from '../../oauth/signing_key.ts';
import { key } from '../../schema/notes.ts';
import { lifetimeSchema, pathSchema } from '../../schema/scalars.ts';
import { tokenFieldSchemas } from '../response_headers.ts';

/** The scope that asks for an identity token (OpenID Connect Core 3.1.2.1). */
export const openid = 'openid';

export const identityTokenSchema = v.strictObject({
  lifetime: key(v.optional(lifetimeSchema, '10m'), {
    text: 'How long an identity token may be taken for a login (`exp`).',
    example: '5m',
  }),
  algorithm: key(v.exactOptional(v.picklist(signingAlgorithms)), {
    text: 'What identity tokens are signed with, by keys of their own beside those of access tokens (`jetway key list --kind identity`). Many standard clients take `RS256` alone. To change a programme that issues identity tokens already, publish the first key before: `jetway key rotate --kind identity --algorithm RS256`.',
    example: 'RS256',
    otherwise: 'the keys of `tokens.access.algorithm` sign them',
  }),
  claims: key(v.optional(tokenFieldSchemas.tree, {}), {
    text: 'Claims beside `iss`, `sub`, `aud` (the client), `exp`, `iat`, `auth_time`, `nonce` and `at_hash`, as [fields](#fields-of-an-answer).',
    example: '{ tier: member.tier }',
  }),
});

export const userinfoSchema = v.strictObject({
  path: key(pathSchema, {
    text: "The path below the programme's own path, as of `login.path`.",
    example: '/userinfo',
  }),
  fields: key(v.optional(tokenFieldSchemas.tree, { sub: 'subject' }), {
    text: 'The members of its answer, in order, as [fields](#fields-of-an-answer): what a login knows of its member. With identity tokens, `sub: subject` must be one of them.',
    example: '{ sub: subject, tier: member.tier }',
  }),
});
