// Owns a dialect in service for properties: a partner and a member of it, the requests they would
// make, and what is known of the tokens they get.

import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';

import type { SampleValues } from '../../../src/contract/samples/proof.ts';
import { sampleLoginRequest, sampleTokenRequest } from '../../../src/contract/samples/requests.ts';
import type { Definition } from '../../../src/language/definition.ts';
import { type Client, type ClientId, propertyValues } from '../../../src/oauth/client.ts';
import type { GrantType } from '../../../src/oauth/grant.ts';
import { compileProgramme } from '../../../src/programme/programme.ts';
import type { LoadedProgramme } from '../../../src/rules/load.ts';
import { type FailingStore, failingStore } from '../../support/failing_store.ts';
import { type Jetway, publicUrl, startJetway, type TestMember } from '../../support/jetway.ts';
import { openLogin, submitLogin } from '../../support/login.ts';
import type { Known } from './answers.ts';
import { mapAt, type PlainMap, textAt } from './dialect.ts';
import { type Draft, draftOf, targetOf } from './requests.ts';

export interface Served {
  readonly jetway: Jetway;
  readonly faults: FailingStore;
  readonly dialect: PlainMap;
  readonly definition: Definition;
  readonly member: TestMember;
  /**
   * A request by a grant that is right in everything; `values` says what only its sender knows, and
   * `at` names the endpoint, where it is not the grant's first.
   */
  readonly request: (grant: GrantType, values?: SampleValues, at?: string) => Draft;
  /** The code of a whole login. */
  readonly code: () => Promise<string>;
  /** What an answer to a grant can tell. */
  readonly known: (grant: GrantType) => Known;
}

const secret = 'a-secret-of-some-length';
const apiKey = 'key-of-the-partner-0123456789';
const verifier = 'v'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');

/** Serves a dialect, of which `dialect` are the plain values; `close` it with its Jetway. */
export async function serveDialect(
  t: TestContext,
  { id, definition }: LoadedProgramme,
  yaml: string,
  dialect: PlainMap,
): Promise<Served> {
  const faults = failingStore();
  const jetway = await startJetway(t, { programmes: { [id]: yaml }, store: faults.store });
  const programme = compileProgramme(id, definition, publicUrl);
  const client = await addPartner(jetway, programme.clients.newIdentifier());
  const member = await jetway.addMember({ membershipNumber: '3008123412345678' });
  const [redirectUri = ''] = client.redirectUris;
  return {
    jetway,
    faults,
    dialect,
    definition,
    member,
    request: (grant, values = {}, at?: string) => {
      const all = { api_key: apiKey, ...values };
      return draftOf(sampleTokenRequest(programme, grant, { client, secret }, all, at));
    },
    code: async () => {
      const values = {
        redirect_uri: redirectUri,
        state: 'abc',
        ...(definition.authorize.pkce === 'off'
          ? {}
          : { code_challenge: challenge, code_challenge_method: 'S256' }),
      };
      const draft = draftOf(sampleLoginRequest(programme, client, values));
      const login = await openLogin(jetway.url, targetOf(draft), draft.method);
      const { headers, status } = await submitLogin(jetway.url, login, member);
      const location = new URL(headers['location'] ?? `about:${status}`);
      const code = location.searchParams.get(definition.authorize.answer.code);
      if (code === null) throw new Error(`no code in ${location.href}`);
      return code;
    },
    known: (grant) => knownOf(dialect, grant, client, member, jetway.clock.now()),
  };
}

/** What goes with a code besides it. */
export function withCode(code: string, { authorize }: Definition): SampleValues {
  return authorize.pkce === 'off' ? { code } : { code, code_verifier: verifier };
}

async function addPartner({ addClient, keyring, clock, store }: Jetway, id: ClientId) {
  const digest = keyring.secretDigest(apiKey);
  const { id: added } = await addClient({
    id,
    secret,
    more: {
      apiKeys: [{ digest, createdAt: clock.now() }],
      businessContext: 'PartnerContext',
      partnerId: 'Partner000001',
      properties: { instance_url: 'https://club-7.example' },
    },
  });
  const client = await store.find('client', 'any' as Client['programme'], added as ClientId);
  if (client === undefined) throw new Error('the client was not added');
  return client;
}

function knownOf(
  dialect: PlainMap,
  grant: GrantType,
  client: Client,
  member: TestMember,
  now: number,
): Known {
  const isClient = grant === 'client_credentials';
  const longest = isClient ? Infinity : span(dialect, 'refresh', 'longest');
  const own = textAt(dialect, 'grants', grant, 'access_lifetime');
  const lifetime = own === undefined ? span(dialect, 'access', 'lifetime') : spanOf(own);
  const access = Math.min(lifetime, longest);
  const refresh = Math.min(span(dialect, 'refresh', 'lifetime'), longest);
  const hasRefresh = !isClient && 'refresh_token' in mapAt(dialect, 'grants');
  const issuer = `${publicUrl}${textAt(dialect, 'base_path')}`;
  return {
    access_token: '{access_token}',
    token_id: '{token_id}',
    token_id_form: textAt(dialect, 'tokens', 'access', 'token_id'),
    grant,
    kind: isClient ? 'client' : 'member',
    subject: isClient ? `client:${client.id}` : member.subject,
    scope: textAt(dialect, 'scope', isClient ? 'client' : 'member_default'),
    access_lifetime: access,
    issued_at: now,
    access_expires_at: now + access,
    ...(hasRefresh
      ? {
          refresh_token: '{refresh_token}',
          refresh_lifetime: refresh,
          refresh_expires_at: now + refresh,
        }
      : {}),
    membership_number: isClient ? undefined : '3008123412345678',
    client_id: client.id,
    client_name: client.name,
    business_context: client.businessContext,
    partner_id: client.partnerId,
    programme_identifier: textAt(dialect, 'programme_identifier'),
    issuer,
    audience: textAt(dialect, 'audience') ?? issuer,
    'client.instance_url': propertyValues(client.properties, 'instance_url')[0],
  };
}

const units: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5 };

function span(dialect: PlainMap, token: string, key: string): number {
  return spanOf(textAt(dialect, 'tokens', token, key) ?? '');
}

function spanOf(text: string): number {
  return Number.parseInt(text, 10) * (units[text.slice(-1)] ?? Number.NaN);
}
