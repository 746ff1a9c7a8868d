// Owns the answers of a programme: each written by what answers requests, of sample values.

import type { EncodingName } from '../language/encoding.ts';
import { headerFields } from '../language/response_headers.ts';
import type { TokenShape } from '../language/tokens/token_schema.ts';
import { type FieldTree, writtenValues } from '../language/value_tree.ts';
import {
  besideNames,
  clientPropertyPrefix,
  memberPropertyPrefix,
  sentPrefix,
} from '../language/vocabularies.ts';
import { type Milliseconds, milliseconds } from '../lib/clock.ts';
import type { Client, Role } from '../oauth/client.ts';
import type { GrantType } from '../oauth/grant.ts';
import { accessClaims } from '../programme/answers/access_claims.ts';
import { cookieFields } from '../programme/answers/headers.ts';
import { type TokenFacts, tokenValues } from '../programme/answers/token_layout.ts';
import { withCookies } from '../programme/answers/token_place.ts';
import type { Programme } from '../programme/programme.ts';
import type { TokenEndpoint } from '../programme/requests/token_endpoint.ts';
import { payloadOf } from '../token/jwt.ts';
import {
  type Absent,
  isOwnBy,
  sampleBudget,
  sampleClient,
  sampleFacts,
  sampleSent,
  sampleTokens,
  secondScope,
  tellsSeveral,
  type Told,
  type Valuing,
  withoutChance,
} from './samples/answers.ts';

/** How a body is read: as members of JSON, parameters of a form, text, or a page for people. */
export type BodyForm = 'json' | 'form' | 'text' | 'page';

export interface Answers {
  readonly form: BodyForm;
  /** A text before the body. */
  readonly before?: string | undefined;
  /** Values that the answer holds if they are known: each can be absent. */
  readonly mayHold: readonly string[];
  readonly render: (absent: Absent, valuing?: Valuing) => Told;
}

export function bodyFormOf(encoding: EncodingName): BodyForm {
  return encoding === 'json' || encoding === 'form' ? encoding : 'text';
}

/** Status, headers in order of name, and body, each on lines of its own. */
export function answerText({ status, headers, body }: Told): string {
  const byName = Object.entries(headers).toSorted(([one], [other]) =>
    one.toLowerCase() < other.toLowerCase() ? -1 : 1,
  );
  return [
    ...(status === undefined ? [] : [String(status)]),
    ...byName.map(([name, value]) => `${name}: ${value}`),
    ...(body === '' ? [] : [body]),
  ].join('\n');
}

/** A grant that an endpoint serves. */
export interface ServedGrant {
  readonly grant: GrantType;
  /** The value of `grant_type`, where requests can name it. */
  readonly grantType: string | undefined;
  readonly role: Role;
}

export function grantsOf({ reading, grants }: TokenEndpoint): readonly ServedGrant[] {
  const isNamed = reading.inputs.some(({ role }) => role === 'grant_type');
  return grants.map(({ type, wireValue, role }) => ({
    grant: type,
    grantType: isNamed ? wireValue : undefined,
    role,
  }));
}

/** What the file says that tokens look like; undefined where that may change. */
export type TokenForm = 'jwt' | TokenShape | undefined;

export function accessForm({ access }: Programme, grant: GrantType): TokenForm {
  return access.formats[grant] === 'jwt' ? 'jwt' : access.forms[grant];
}

export function refreshForm({ refresh }: Programme): TokenForm {
  return refresh.format === 'jwt' ? 'jwt' : refresh.form;
}

export function refreshLifetime({ refresh }: Programme): Milliseconds {
  return milliseconds(Math.min(refresh.lifetime, refresh.longest));
}

/** An access token of a login ends with it. */
export function accessLifetime(programme: Programme, grant: GrantType): Milliseconds {
  const { access, refresh } = programme;
  const lifetime = access.lifetimes[grant];
  return isOfLogin(programme, grant) && refresh.longest < lifetime ? refresh.longest : lifetime;
}

function isOfLogin({ refreshing }: Programme, grant: GrantType): boolean {
  return grant !== 'client_credentials' || refreshing.has(grant);
}

/**
 * The answer to a request by a grant.
 *
 * @param form the one that the request has chosen; the usual one if left out
 */
export function answerTo(programme: Programme, grant: GrantType, form?: string): Answers {
  const { fields, headers, cookies, encoding, before } = programme.layouts.tokens;
  const trees = [fields, headerFields(headers), cookieFields(cookies)];
  const bodyForm = bodyFormOf(encodingIn(programme, form) ?? encoding);
  const all = answersOf(programme, grant, trees, bodyForm, (client, facts, absent, sent) =>
    withoutChance(() =>
      withCookies(
        programme.renderTokens(
          sampleTokens(programme, facts, absent),
          client,
          sampleBudget,
          sent,
          form,
        ),
      ),
    ),
  );
  return { ...all, before: form === undefined ? before : undefined };
}

/** The encoding of a form that a request has chosen. */
export function encodingIn(
  { answerForms }: Programme,
  form: string | undefined,
): EncodingName | undefined {
  return form === undefined ? undefined : answerForms[form]?.encoding;
}

/** The forms of answers at an endpoint: the usual one, and those that a request can choose there. */
export function formsAt(
  { answerForms }: Programme,
  { reading }: TokenEndpoint,
): readonly (string | undefined)[] {
  const input = reading.inputs.find(({ role }) => role === 'answer_form');
  return [undefined, ...(input === undefined ? [] : (input.allowed ?? Object.keys(answerForms)))];
}

/** The claims of a grant's access tokens, where these are JWTs. */
export function claimsOf(programme: Programme, grant: GrantType): Answers | undefined {
  if (programme.access.formats[grant] !== 'jwt') return undefined;
  const { claims } = programme.layouts;
  return answersOf(programme, grant, [claims], 'json', (client, facts) => {
    const family = isOfLogin(programme, grant) ? { family: '7000000000000007' } : {};
    const payload = payloadOf({ ...accessClaims(programme, client, facts), ...family });
    return { headers: {}, body: JSON.stringify(payload) };
  });
}

/** The claims of identity tokens, where there are any. */
export function identityClaims(programme: Programme): Answers | undefined {
  const { identity, layouts, values } = programme;
  if (layouts.identity === undefined || identity === undefined) return undefined;
  const trees = [layouts.identity];
  return answersOf(programme, 'authorization_code', trees, 'json', (client, facts) => {
    const body = JSON.stringify(identity.claims(tokenValues(facts, client, values)));
    return { headers: {}, body };
  });
}

/** What the userinfo endpoint tells, where there is one. */
export function userinfoAnswers(programme: Programme): Answers | undefined {
  const { userinfo, layouts, values } = programme;
  if (layouts.userinfo === undefined || userinfo === undefined) return undefined;
  const trees = [layouts.userinfo];
  return answersOf(programme, 'authorization_code', trees, 'json', (client, facts) =>
    userinfo.render(tokenValues(facts, client, values)),
  );
}

function answersOf(
  programme: Programme,
  grant: GrantType,
  trees: readonly FieldTree[],
  form: BodyForm,
  write: (
    client: Client,
    facts: TokenFacts,
    absent: Absent,
    sent: Readonly<Record<string, string>>,
  ) => Told,
): Answers {
  const mayHold = optional(programme, grant, trees);
  const held = [...mayHold, ...(programme.access.subject?.values ?? [])];
  return {
    form,
    mayHold,
    render: (absent, valuing) =>
      write(
        sampleClient(programme, mayHold, absent, valuing),
        sampleFacts(programme, grant, absent, held),
        absent,
        sampleSent(programme, mayHold, absent, valuing),
      ),
  };
}

/** The values that these layouts write and that some tokens or clients lack. */
function optional(
  programme: Programme,
  grant: GrantType,
  trees: readonly FieldTree[],
): readonly string[] {
  const { scopes: scope, access } = programme;
  const isOwn = isOwnBy(programme, grant);
  const lacked = new Set([
    ...(scope.kind === 'list' && scope.default === undefined ? ['scope'] : []),
    ...(scope.kind === 'list' ? ['id_token'] : []),
    ...(isOwn ? [] : ['level', 'membership_number']),
    ...(access.beside.grants.has(grant) ? besideNames : []),
    'business_context',
    'partner_id',
  ]);
  const prefixes = [clientPropertyPrefix, sentPrefix, ...(isOwn ? [] : [memberPropertyPrefix])];
  const written = new Set(trees.flatMap((tree) => [...writtenValues(tree, grant)]));
  return [
    ...(written.has('scope') && tellsSeveral(scope) ? [secondScope] : []),
    ...[...written].filter(
      (name) => lacked.has(name) || prefixes.some((prefix) => name.startsWith(prefix)),
    ),
  ];
}
