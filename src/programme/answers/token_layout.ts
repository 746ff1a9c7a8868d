// Owns the token response: a TokenSet in the dialect's names, nesting and units.

import { randomUUID } from 'node:crypto';

import type { Definition } from '../../language/definition.ts';
import { encodingOf } from '../../language/encoding.ts';
import {
  constantHeaders,
  headerFields,
  type ResponseHeaders,
} from '../../language/response_headers.ts';
import { writtenValues } from '../../language/value_tree.ts';
import {
  clientProperties,
  memberProperties,
  tokenVocabulary,
} from '../../language/vocabularies.ts';
import type { Budget, Client } from '../../oauth/client.ts';
import { headerText, noStore, type Reply } from '../../oauth/reply.ts';
import type { ScopeRules } from '../../oauth/scope.ts';
import type { BesideToken, TokenSet } from '../../oauth/token_set.ts';
import { type BudgetWriter, compileCookies } from './headers.ts';
import { compileBody, compileTexts, type Values, type WritingRules } from './tree_writer.ts';

/**
 * `budget` is what the client has left of its limit, where it has one; `sent` holds values of the
 * request by their names in files; `form` is the form of the answer that the request has chosen.
 */
export type TokenRenderer = (
  tokens: TokenSet,
  client: Client,
  budget?: Budget,
  sent?: Values,
  form?: string,
) => Reply;

/** Values of the programme that every answer can name. */
export interface ProgrammeValues {
  readonly programme_identifier: string;
  readonly issuer: string;
  readonly audience: string;
}

/** The writing rules for answers and claims of a programme. */
export function tokenWriting({ split }: Pick<ScopeRules, 'split'>): WritingRules {
  return { vocabulary: tokenVocabulary, occasion: 'grant', split };
}

export function compileTokenLayout(
  layout: Definition['token_response'],
  programme: ProgrammeValues,
  scope: ScopeRules,
  tellBudget?: BudgetWriter,
): TokenRenderer {
  const { status } = layout;
  const encoding = encodingOf[layout.encoding];
  const headers = Object.freeze({
    'Content-Type': layout.content_type,
    ...noStore,
    ...constantHeaders(layout.headers),
  });
  const rules = tokenWriting(scope);
  const { name_case: nameCase, wrap, before } = layout;
  const write = compileBody(layout.fields, { ...rules, encoding, nameCase, wrap, before });
  const writeHeaders = compileHeaders(layout.headers, rules);
  const writeCookies = compileCookies(layout.cookies, rules);
  const isPlain = (writeHeaders ?? writeCookies ?? tellBudget) === undefined;
  const tellsRequest = writtenValues(layout.fields).has('request_id');
  return (tokens, client, budget, sent) => {
    const known = tokenValues(tokens, client, programme);
    const { beside } = tokens;
    const given = beside === undefined ? sent : { ...sent, ...besideValues(beside, tokens) };
    const more = tellsRequest ? { ...given, request_id: randomUUID() } : given;
    const values = more === undefined ? known : { ...known, ...more };
    const body = write(values);
    if (isPlain) return { status, headers, body };
    const told = budget === undefined ? undefined : tellBudget?.(budget);
    const all = { ...headers, ...writeHeaders?.(values), ...told };
    const cookies = writeCookies?.(values);
    return { status, headers: all, body, ...(cookies && { cookies }) };
  };
}

/** A TokenSet without its tokens: the claims of its JWTs are made from these facts. */
export type TokenFacts = Omit<TokenSet, 'accessToken' | 'refreshToken' | 'idToken' | 'beside'>;

/** All values of a TokenSet by their names in files; spans and instants in milliseconds. */
export function tokenValues(
  tokens: TokenFacts & Partial<TokenSet>,
  client: Client,
  programme: ProgrammeValues,
): Values {
  return {
    // First: an object of known size costs less than one that grows by the properties below.
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
    id_token: tokens.idToken,
    scope: tokens.scope,
    access_lifetime: tokens.accessExpiresAt - tokens.issuedAt,
    refresh_lifetime:
      tokens.refreshExpiresAt === undefined ? undefined : tokens.refreshExpiresAt - tokens.issuedAt,
    issued_at: tokens.issuedAt,
    access_expires_at: tokens.accessExpiresAt,
    refresh_expires_at: tokens.refreshExpiresAt,
    token_id: tokens.tokenId,
    issued_token_type: tokens.issuedTokenType,
    subject: tokens.subject,
    grant: tokens.grant,
    kind: tokens.kind,
    level: tokens.level,
    membership_number: tokens.membershipNumber,
    client_id: client.id,
    client_name: client.name,
    business_context: client.businessContext,
    partner_id: client.partnerId,
    programme_identifier: programme.programme_identifier,
    issuer: programme.issuer,
    audience: tokens.resource ?? programme.audience,
    ...clientProperties(client),
    ...memberProperties(tokens.memberProperties),
  };
}

/** The values of a client's token that stands beside a member's. */
function besideValues(
  { accessToken, expiresAt, scope }: BesideToken,
  { issuedAt }: Pick<TokenSet, 'issuedAt'>,
): Values {
  return {
    client_token: accessToken,
    client_token_lifetime: expiresAt - issuedAt,
    client_token_expires_at: expiresAt,
    client_token_scope: scope,
  };
}

/**
 * A function that writes the headers that are fields, as `verify` writes its own; undefined if there are
 * none.
 */
function compileHeaders(
  headers: ResponseHeaders,
  rules: WritingRules,
): ((values: Values) => Readonly<Record<string, string>>) | undefined {
  const write = compileTexts(headerFields(headers), rules);
  if (write === undefined) return undefined;
  return (values) => {
    const written = Object.entries(write(values));
    return Object.fromEntries(written.map(([name, text]) => [name, headerText(text)] as const));
  };
}
