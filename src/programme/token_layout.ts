// Owns the token response: a TokenSet in the dialect's names, nesting and units.

import type { Client } from '../oauth/client.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import type { Definition } from './definition.ts';
import { clientPropertyPrefix, tokenValueKinds } from './token_values.ts';
import { compileTree, inCase, type Values } from './value_tree.ts';

/** A token response in the programme's dialect. */
export type TokenRenderer = (tokens: TokenSet, client: Client) => Reply;

/** What every answer of a programme can name besides the tokens themselves. */
export interface ProgrammeValues {
  readonly programme_identifier: string;
  readonly issuer: string;
  readonly audience: string;
}

export function compileTokenLayout(
  layout: Definition['token_response'],
  programme: ProgrammeValues,
): TokenRenderer {
  const { status } = layout;
  const headers = Object.freeze({
    'Content-Type': layout.content_type,
    ...noStore,
    ...layout.headers,
  });
  const write = compileTree(layout.fields, tokenValueKinds, layout.name_case);
  const wrappers = layout.wrap.map((name) => inCase(name, layout.name_case)).toReversed();
  return (tokens, client) => {
    const fields: unknown = write(tokenValues(tokens, client, programme));
    const body = wrappers.reduce<unknown>((inner, name) => ({ [name]: inner }), fields);
    return { status, headers, body: JSON.stringify(body) };
  };
}

/** A TokenSet before its tokens are made: their claims are drawn from the rest. */
export type TokenFacts = Omit<TokenSet, 'accessToken' | 'refreshToken'>;

/** Everything of a TokenSet by the names a file uses; spans and instants in milliseconds. */
export function tokenValues(
  tokens: TokenFacts & Partial<TokenSet>,
  client: Client,
  programme: ProgrammeValues,
): Values {
  return {
    ...clientProperties(client),
    ...programme,
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
    scope: tokens.scope,
    access_lifetime: tokens.accessExpiresAt - tokens.issuedAt,
    refresh_lifetime:
      tokens.refreshExpiresAt === undefined ? undefined : tokens.refreshExpiresAt - tokens.issuedAt,
    issued_at: tokens.issuedAt,
    access_expires_at: tokens.accessExpiresAt,
    refresh_expires_at: tokens.refreshExpiresAt,
    token_id: tokens.tokenId,
    subject: tokens.subject,
    grant: tokens.grant,
    kind: tokens.kind,
    level: tokens.level,
    membership_number: tokens.membershipNumber,
    client_id: client.id,
    client_name: client.name,
    business_context: client.businessContext,
    partner_id: client.partnerId,
  };
}

function clientProperties(client: Client): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(client.properties)) {
    values[clientPropertyPrefix + name] = value;
  }
  return values;
}
