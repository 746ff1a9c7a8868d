// Owns the token request: its ordered steps (C-8), top to bottom, for every grant and dialect.

import type { GrantType } from '../oauth/grant.ts';
import type { Reply } from '../oauth/reply.ts';
import { namingScope } from '../oauth/scope.ts';
import type { WireRequest } from '../oauth/wire_request.ts';
import type { TokenEndpoint } from '../programme/requests/token_endpoint.ts';
import { authenticateClient } from './authentication/client.ts';
import { isLiveKey } from './authentication/secret.ts';
import { expectProvenFor } from './authentication/token.ts';
import type { Grant } from './authorization.ts';
import { answering, forcibleAt } from './failure.ts';
import { authorizeByCode } from './grants/authorization_code.ts';
import { authorizeClient } from './grants/client_credentials.ts';
import { authorizeByAssertion } from './grants/jwt_bearer.ts';
import { authorizeByPassword } from './grants/password.ts';
import { authorizeByRefreshToken } from './grants/refresh_token.ts';
import { authorizeByExchange } from './grants/token_exchange.ts';
import { issueBy } from './issue.ts';
import { expectAudit } from './maintenance.ts';
import type { Service } from './service.ts';
import { throttle } from './throttle.ts';

/** Answers a token request; rejects with `HungUp` alone. */
export const answerTokenRequest = answering(serveTokens, {
  begin: ({ chosenForm }, request) => {
    request.record.form = chosenForm?.(request);
  },
  forcible: forcibleAt,
  // Scopes are refused deep in the grants, which know no names of the wire.
  named: (error, { scopeName }) => namingScope(error, scopeName),
});

const grants: Readonly<Record<GrantType, Grant>> = {
  authorization_code: authorizeByCode,
  refresh_token: authorizeByRefreshToken,
  client_credentials: authorizeClient,
  password: authorizeByPassword,
  token_exchange: authorizeByExchange,
  jwt_bearer: authorizeByAssertion,
};

/**
 * The steps. The first that fails is told (C-8). Nothing is spent before tokens are made: a refused request
 * leaves code and refresh token good.
 */
async function serveTokens(
  service: Service,
  endpoint: TokenEndpoint,
  request: WireRequest,
): Promise<Reply> {
  expectAudit(service);
  const { programme } = service;
  const { record } = request;
  const now = service.clock.now();

  record.step = 'inputs';
  const inputs = endpoint.readInputs(request);
  record.sent = endpoint.echo?.(inputs);
  record.step = 'credentials';
  const credentials = endpoint.readCredentials(request, inputs, service.provenHeaders);
  record.claimedClient = credentials.id;
  record.step = 'headers';
  endpoint.checkHeaders(inputs);
  record.step = 'client';
  // Before client and member are read: a revocation from here on also ends the tokens issued below
  // (FAULTS 28).
  const ofStore = service.store.era();
  // What is known at once is not waited for.
  const era = ofStore instanceof Promise ? await ofStore : ofStore;
  const proof = await authenticateClient(service, credentials, now, request);
  const { client } = proof;
  record.step = 'client_values';
  endpoint.checkClient(inputs, client, (text, keys) => {
    const isLive = isLiveKey(service, client, service.keyring.secretDigest(text), keys, now);
    record.hasWrongKey ||= !isLive;
    return isLive;
  });
  record.step = 'grant_type';
  const grant = endpoint.selectGrant(inputs, client);
  record.grant = grant;
  expectProvenFor(credentials, grant);
  record.step = 'parameters';
  endpoint.checkParameters(inputs, grant);
  record.step = 'scope';
  const scope = programme.scope.check(inputs.get('scope'));
  record.step = 'throttle';
  const budget = await throttle(service, client, now, request);

  record.step = 'grant';
  const tokens = await issueBy(grants[grant], {
    ...proof,
    service,
    grant,
    inputs,
    refuseMissing: endpoint.refuseMissing,
    refuseOther: endpoint.refuseOther,
    drawn: endpoint.drawn,
    scope,
    lifetime: endpoint.chosenLifetime(inputs) ?? programme.access.lifetimes[grant],
    now,
    era,
    hangUp: request.hangUp,
    record,
  });
  if (tokens.kind === 'member') record.member = tokens.subject;
  record.scope = tokens.scope;
  return programme.renderTokens(tokens, client, budget, record.sent, record.form);
}
