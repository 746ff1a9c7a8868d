// Owns the steps that introspection and revocation have in common: who asks, and about which token.

import type { Instant } from '../lib/clock.ts';
import type { WireRequest } from '../oauth/wire_request.ts';
import type { PresentedCredentials } from '../programme/requests/presented_credentials.ts';
import type { TokenManagementEndpoint } from '../programme/requests/token_management.ts';
import { expectNamed } from './authentication/client.ts';
import type { Service } from './service.ts';

export interface TokenQuestion<Asker> {
  readonly asker: Asker;
  /** The token as it was sent. */
  readonly text: string;
  readonly now: Instant;
}

/** The asker that the credentials prove. */
export type Authenticating<Asker> = (
  credentials: PresentedCredentials,
  now: Instant,
) => Promise<Asker>;

export async function readQuestion<Asker extends { readonly id: string }>(
  service: Service,
  endpoint: TokenManagementEndpoint,
  request: WireRequest,
  authenticate: Authenticating<Asker>,
): Promise<TokenQuestion<Asker>> {
  const now = service.clock.now();
  const { record } = request;
  record.step = 'inputs';
  const inputs = endpoint.readInputs(request);
  record.step = 'credentials';
  const credentials = endpoint.readCredentials(request, inputs, service.provenHeaders);
  record.claimedClient = credentials.id;
  record.step = 'client';
  const asker = await authenticate(credentials, now);
  record.step = 'client_values';
  expectNamed(inputs, asker.id);
  record.step = 'parameters';
  const text = endpoint.readToken(inputs);
  record.step = 'token';
  return { asker, text, now };
}
