// Owns the wire contract of a programme: what its compiled dialect promises of each endpoint. `diff`
// compares two contracts; the partner's page, OpenAPI document and collection tell one.

import type { Definition } from '../language/definition.ts';
import { logsIn, type Programme } from '../programme.ts';
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
  readonly definition: Definition;
  readonly programme: Programme;
  readonly login: LoginPromise | undefined;
  readonly tokenEndpoints: readonly TokenEndpointPromise[];
  readonly tokens: readonly TokenPromise[];
  readonly refresh: RefreshPromise | undefined;
  readonly identity: IdentityPromise;
  readonly failures: readonly FailurePromise[];
}

/** `programme` is `definition` compiled. */
export function describeContract(definition: Definition, programme: Programme): Contract {
  const tokenEndpoints = describeTokenEndpoints(definition, programme);
  return {
    definition,
    programme,
    login: logsIn(programme) ? describeLogin(definition, programme) : undefined,
    tokenEndpoints,
    tokens: describeTokens(definition, programme),
    refresh: describeRefresh(definition, programme),
    identity: describeIdentity(definition, programme),
    failures: describeFailures(definition, programme),
  };
}
