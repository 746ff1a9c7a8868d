// Owns sample values for the answers of a contract: fixed, so that equal dialects render equal answers.

import {
  clientPropertyPrefix,
  memberPropertyPrefix,
  sentPrefix,
} from '../../language/vocabularies.ts';
import { type Instant, instant, milliseconds } from '../../lib/clock.ts';
import { digest } from '../../lib/digest.ts';
import { present } from '../../lib/present.ts';
import type { Budget, Client, ClientId } from '../../oauth/client.ts';
import type { GrantType } from '../../oauth/grant.ts';
import type { Member, Subject } from '../../oauth/member.ts';
import type { BesideToken, TokenSet } from '../../oauth/token_set.ts';
import type { ReturnAddress } from '../../programme/answers/redirect_answer.ts';
import type { TokenFacts } from '../../programme/answers/token_layout.ts';
import { inputsOf, type Programme } from '../../programme/programme.ts';
import type { Input } from '../../programme/requests/inputs.ts';
import { fittingValue } from './requests.ts';

/** An answer; claims of a token have no status. */
export interface Told {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Absent = ReadonlySet<string>;

/**
 * Sample values: digits wherever they can be, so that a format that makes numbers of texts shows, or
 * values of the form that requests are held to, for people.
 */
export type Valuing = 'digits' | 'fitting';

/** A time that no two formats write alike. */
export const sampleTime: Instant = instant(Date.parse('2030-11-25T17:38:49.123Z'));
const accessLifetime = 1_800_000;
const refreshLifetime = 86_400_000;
const besideLifetime = 7_200_000;

/** What a client may have left of its limit, if it has one. */
export const sampleBudget: Budget = {
  limit: { limit: 600, window: 60_000 },
  remaining: 70,
  at: sampleTime,
  resetAfter: milliseconds(5000),
};

/** A client with the properties of these names. */
export function sampleClient(
  programme: Programme,
  values: readonly string[],
  absent: Absent,
  valuing: Valuing = 'digits',
): Client {
  const fitted = (comparison: string, digits: string): string =>
    valued(programme, valuing, digits, ({ must_equal: equal }) => equal === comparison);
  const properties = Object.entries(propertiesOf(clientPropertyPrefix, values, absent));
  return {
    programme: programme.id,
    id: '10000001' as ClientId,
    name: 'Sample Partner',
    roles: [],
    redirectUris: [],
    secrets: [],
    apiKeys: [],
    ...present({
      businessContext: absent.has('business_context')
        ? undefined
        : fitted('client.business_context', '20000002'),
      partnerId: absent.has('partner_id') ? undefined : fitted('client.partner_id', '30000003'),
    }),
    properties: Object.fromEntries(
      properties.map(([name, digits]) => [name, fitted(clientPropertyPrefix + name, digits)]),
    ),
    status: 'active',
    createdAt: sampleTime,
  };
}

/** The digits, or a value of the form of the input that has it. */
function valued(
  programme: Programme,
  valuing: Valuing,
  digits: string,
  isOf: (input: Input<unknown>) => boolean,
): string {
  const input = valuing === 'digits' ? undefined : inputsOf(programme).find(isOf);
  return input === undefined || input.fits(digits) ? digits : fittingValue(input, 'Sample');
}

/** A member with the properties of these names. */
export function sampleMember(values: readonly string[], absent: Absent): Member {
  const properties = propertiesOf(memberPropertyPrefix, values, absent);
  return { subject: '40000004' as Subject, properties };
}

function propertiesOf(
  prefix: string,
  values: readonly string[],
  absent: Absent,
): Readonly<Record<string, string>> {
  const names = values.filter((name) => name.startsWith(prefix) && !absent.has(name));
  return Object.fromEntries(names.map((name) => [name.slice(prefix.length), digitsOf(name)]));
}

/** Values of a request that its answer repeats. */
export function sampleSent(
  programme: Programme,
  values: readonly string[],
  absent: Absent,
  valuing: Valuing = 'digits',
): Readonly<Record<string, string>> {
  const sent = Object.entries(propertiesOf(sentPrefix, values, absent));
  return Object.fromEntries(
    sent.map(([name, digits]) => [
      sentPrefix + name,
      valued(programme, valuing, digits, ({ role }) => role === name),
    ]),
  );
}

/** Eight digits that differ from name to name. */
function digitsOf(name: string): string {
  const number = Buffer.from(digest(name)).readUInt32BE();
  return String(10_000_000 + (number % 90_000_000));
}

/** What an answer may hold besides a scope, where a token can have several. */
export const secondScope = 'second scope';

export function tellsSeveral(
  scope: Programme['scopes'],
): scope is Extract<Programme['scopes'], { readonly kind: 'list' }> {
  return scope.kind === 'list' && scope.separator !== 'none' && scope.values.length > 1;
}

/** Whether a grant brings clients their own tokens, and no member's. */
export function isOwnBy({ refreshing }: Programme, grant: GrantType): boolean {
  const [only, ...others] = refreshing;
  const isOwnRefresh = only === 'client_credentials' && others.length === 0;
  return grant === 'client_credentials' || (grant === 'refresh_token' && isOwnRefresh);
}

/** The facts of a token that a grant brings, with a refresh token where there are any. */
export function sampleFacts(
  programme: Programme,
  grant: GrantType,
  absent: Absent,
  values: readonly string[] = [],
): TokenFacts {
  const { access, scopes: scope } = programme;
  const isClient = isOwnBy(programme, grant);
  const isSeveral = tellsSeveral(scope) && !absent.has(secondScope);
  const granted = isSeveral ? `SCOPE1${scope.separator}SCOPE2` : 'SCOPE';
  const unlessAbsent = (name: string, value: string): string | undefined =>
    isClient || absent.has(name) ? undefined : value;
  return {
    grant,
    kind: isClient ? 'client' : 'member',
    subject: isClient ? programme.clientSubject('10000001' as ClientId) : '40000004',
    tokenId:
      access.tokenId === 'number' ? '5000000000000005' : '50000005-0000-4000-8000-000000000005',
    issuedAt: sampleTime,
    accessExpiresAt: instant(sampleTime + accessLifetime),
    refreshExpiresAt:
      grant === 'refresh_token' || programme.refreshing.has(grant)
        ? instant(sampleTime + refreshLifetime)
        : undefined,
    issuedTokenType:
      grant === 'token_exchange' ? 'urn:ietf:params:oauth:token-type:access_token' : undefined,
    scope: absent.has('scope') ? undefined : granted,
    level: unlessAbsent('level', 'LEVEL'),
    membershipNumber: unlessAbsent('membership_number', '60000006'),
    memberProperties: isClient ? undefined : sampleMember(values, absent).properties,
  };
}

const sampleBeside: BesideToken = {
  accessToken: 'CLIENT-TOKEN',
  expiresAt: instant(sampleTime + besideLifetime),
  scope: 'CLIENT-SCOPE',
};

/** Facts with tokens. */
export function sampleTokens({ access }: Programme, facts: TokenFacts, absent: Absent): TokenSet {
  const isFirst = facts.grant === 'authorization_code' && !absent.has('id_token');
  return {
    ...facts,
    accessToken: 'ACCESS-TOKEN',
    ...(isFirst ? { idToken: 'ID-TOKEN' } : {}),
    ...(facts.refreshExpiresAt === undefined ? {} : { refreshToken: 'REFRESH-TOKEN' }),
    ...(access.beside.grants.has(facts.grant) && !absent.has('client_token')
      ? { beside: sampleBeside }
      : {}),
  };
}

export function sampleAddress(client: Client): ReturnAddress {
  const signingSecret = 'SIGNING-SECRET';
  return { client, redirectUri: 'https://partner.example/callback', state: 'STATE', signingSecret };
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** An answer without its random part: `REQUEST-ID` stands for a UUID that each rendering draws anew. */
export function withoutChance(render: () => Told): Told {
  const told = render();
  const { body } = told;
  if (body.search(uuid) < 0) return told;
  const others = new Set(render().body.match(uuid));
  const fixed = body.replaceAll(uuid, (found) => (others.has(found) ? found : 'REQUEST-ID'));
  return { ...told, body: fixed };
}
