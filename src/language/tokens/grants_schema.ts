// Owns the schema of grants: which exist, where each is served and to whom.

import * as v from 'valibot';

import { quote } from '../../lib/fault.ts';
import { roles } from '../../oauth/client.ts';
import { grantRows, type GrantType, jwtBearer, tokenExchange } from '../../oauth/grant.ts';
import { key, type KeyDeparture, named } from '../../schema/notes.ts';
import { lifetimeSchema, matching, oneOrMore, textSchema } from '../../schema/scalars.ts';
import { valueShapeSchema } from '../value_shape.ts';
import { longAccessTokens, oddBearerTokens } from './token_schema.ts';

const renamedGrant: KeyDeparture<string> = {
  name: 'renamed_grants',
  isQuiet: true,
  // Of a key below grants.TYPE.
  when: (word, { path: [, type] }) => word !== (grantRows[type as GrantType].registered ?? type),
  message: 'standard clients send another grant_type for this grant (RFC 6749 4.1.3)',
  hint: 'partners of this programme need the client its document describes',
};

const entries = {
  endpoint: key(oneOrMore(textSchema), {
    text: 'The token endpoint that serves it, by its name under `token_endpoints`, or a list of them (P-9). Clients are told of the first.',
    example: '[key, refresh]',
  }),
  grant_type: key(v.exactOptional(textSchema), {
    text: 'The value of `grant_type` on the wire.',
    example: 'member_login',
    otherwise: "the grant's own name",
    departs: [renamedGrant],
  }),
  role: key(v.picklist(roles), {
    text: 'The role that a client must have been given at onboarding (`--role`). `member`: clients that log members in. `partner`: clients with tokens of their own. A client without the role gets `grant_not_allowed` (G-20, P-11).',
    example: 'member',
  }),
  access_lifetime: key(v.exactOptional(lifetimeSchema), {
    text: 'How long access tokens of this grant are good, if that is not `tokens.access.lifetime`. The same bounds hold.',
    example: '12h',
    otherwise: 'as `tokens.access.lifetime`',
    departs: [longAccessTokens],
  }),
  access_format: key(v.exactOptional(v.picklist(['opaque', 'jwt'])), {
    text: 'The format of its access tokens, if that is not `tokens.access.format`.',
    example: 'jwt',
    otherwise: 'as `tokens.access.format`',
  }),
  refresh_token: key(v.exactOptional(v.picklist(['on', 'off'])), {
    text: "Whether its answers bring a refresh token, if the grant `refresh_token` is on. A refresh token for a client's own token does not follow RFC 6749 4.4.3. It is revoked and refreshed as a member's.",
    example: 'on',
    otherwise: '`on` for `authorization_code` and `password`',
    departs: [
      {
        name: 'own_refresh_token',
        when: (word, { path }) => word === 'on' && path[1] === 'client_credentials',
        message: "a refresh token comes with a client's own token (RFC 6749 4.4.3)",
        hint: 'the client must prove itself with it, as for a new one',
      },
    ],
  }),
  access_form: key(v.exactOptional(valueShapeSchema), {
    text: 'What opaque access tokens of this grant look like, if that is not `tokens.access.form`.',
    example: '{ prefix: ghs_, length: 36 }',
    otherwise: 'as `tokens.access.form`',
    departs: [oddBearerTokens],
  }),
};

const grantSchema = v.exactOptional(v.pipe(v.strictObject(entries), named('grant')));

const exchangeSchema = v.exactOptional(
  v.pipe(
    v.strictObject(entries),
    named('grant'),
    v.transform((grant) => ({ grant_type: tokenExchange, ...grant })),
  ),
);

/** `client.` and the name of a property, or where a member is looked for. */
const subjectSchema = matching(
  /^(?:client|username|subject|client\.[A-Za-z][A-Za-z0-9_.-]{0,63})$/,
  ({ input }) =>
    `${quote(input)} names nobody: expected client, username, subject, or client. and the name of a property`,
);

/** The client can make another assertion at any time (RFC 7521 4.1). */
const { refresh_token: _, ...withoutRefresh } = entries;

const assertionGrantSchema = v.exactOptional(
  v.strictObject({
    ...withoutRefresh,
    grant_type: key(v.optional(textSchema, jwtBearer), {
      text: 'As of every grant.',
      example: 'jwt_login',
      departs: [renamedGrant],
    }),
    subject: key(oneOrMore(subjectSchema), {
      text: "Who `sub` may be, in this order. `client`: the client itself, by its identifier, its `iss` or no `sub`. `client.NAME`: the client itself, by a property. `username`: a member of the store's own directory. `subject`: a member of any directory.",
      example: '[client, username]',
      departs: [
        {
          name: 'member_by_assertion',
          when: (ways) => ways.includes('username') || ways.includes('subject'),
          message: 'clients get tokens for any member without that member (RFC 6749 1.3)',
          hint: 'give the role of this grant to nobody else; tokens can be revoked by member',
        },
      ],
    }),
  }),
);

export const grantsSchema = v.strictObject({
  authorization_code: key(grantSchema, {
    text: 'A client exchanges the code of a login for tokens (RFC 6749 4.1.3). The endpoint must declare the input `code`. `redirect_uri` and `code_verifier` are compared, if they are declared and sent.',
    example: '{ endpoint: grant, role: member }',
    otherwise: 'the programme has no login',
  }),
  refresh_token: key(grantSchema, {
    text: 'A client exchanges a refresh token for new tokens and a successor (RFC 6749 6). The endpoint must declare the input `refresh_token`. Without this grant, no refresh tokens are issued.',
    example: '{ endpoint: grant, role: member }',
    otherwise: 'no refresh tokens',
  }),
  client_credentials: key(grantSchema, {
    text: 'A client gets a token of its own, without a member (RFC 6749 4.4). No refresh token comes with it (G-11), unless `refresh_token` is on.',
    example: '{ endpoint: grant, role: partner }',
    otherwise: 'clients get no tokens of their own',
  }),
  password: key(grantSchema, {
    text: 'A partner exchanges what its customer typed for tokens (RFC 6749 4.3, P-9). The endpoint must declare the inputs `username` and `password`. RFC 9700 2.4 forbids this grant, and `check` warns of it.',
    example: '{ endpoint: grant, role: member }',
    otherwise: 'off',
    departs: [
      {
        name: 'password_grant',
        when: () => true,
        message:
          'partners see the passwords of members, who learn to type them anywhere (RFC 9700 2.4)',
        hint: 'the directory is asked as by the login page, and passwords are never logged',
      },
      {
        name: 'password_unlimited',
        when: (_grant, { get }) => get('throttle') === 'off',
        message: 'nothing limits how many passwords a partner can try (RFC 6749 4.3.2)',
        hint: 'set throttle; the address of a partner stands for all of its customers and is not counted',
      },
    ],
  }),
  token_exchange: key(exchangeSchema, {
    text: "A client exchanges a live access token for another one (RFC 8693). The new token is of the same login and ends with it, or is the client's own, as the old one was. Its scope is the same or a part of it. `access_lifetime` and `access_format` say what is new. If the client revokes a token, all that was exchanged from it ends too. The endpoint must declare the input `subject_token`. Without `grant_type`, clients send the URN of RFC 8693.",
    example: '{ endpoint: grant, role: member, access_lifetime: 20d }',
    otherwise: 'off',
  }),
  jwt_bearer: key(assertionGrantSchema, {
    text: 'A client exchanges an assertion that it has signed for a token of its own, or for one of the member that the assertion names (RFC 7523 2.1). No refresh token comes with it. The endpoint must declare the input `assertion`. If `methods` has `private_key_jwt`, the assertion proves the client too; otherwise its credentials come beside it. If the request has no parameter `scope`, the claim `scope` counts. It has the keys of every grant but `refresh_token`.',
    example: '{ endpoint: grant, role: partner, subject: client }',
    otherwise: 'off',
  }),
});
