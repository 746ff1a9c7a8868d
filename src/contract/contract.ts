// Owns the wire contract of a programme: what its compiled dialect promises of each endpoint. `diff`
// compares two contracts; the partner's page, OpenAPI document and collection tell one.

import { logsIn, type Programme } from '../programme/programme.ts';
import { describeFailures, type FailurePromise } from './failures.ts';
import { describeIdentity, type IdentityPromise } from './identity.ts';
import { describeLogin, type LoginPromise } from './login.ts';
import {
  describeRefresh,
  describeTokenEndpoints,
  describeTokens,
  type RefreshPromise,
  type TokenEndpointPromise,
  type TokenPromise,
} from './tokens.ts';

export interface Contract {
  readonly programme: Programme;
  readonly login: LoginPromise | undefined;
  readonly tokenEndpoints: readonly TokenEndpointPromise[];
  readonly tokens: readonly TokenPromise[];
  readonly refresh: RefreshPromise | undefined;
  readonly identity: IdentityPromise;
  readonly failures: readonly FailurePromise[];
}

export function describeContract(programme: Programme): Contract {
  const tokenEndpoints = describeTokenEndpoints(programme);
  return {
    programme,
    login: logsIn(programme) ? describeLogin(programme) : undefined,
    tokenEndpoints,
    tokens: describeTokens(programme),
    refresh: describeRefresh(programme),
    identity: describeIdentity(programme),
    failures: describeFailures(programme),
  };
}
