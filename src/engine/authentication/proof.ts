// Owns what a proof of a client comes to.

import type { Digest } from '../../lib/digest.ts';
import type { Cause } from '../../oauth/cause.ts';
import type { Client } from '../../oauth/client.ts';
import type { ProvenAssertion } from '../../token/assertions/assertion.ts';
import type { ProvenToken } from '../presented/access_token.ts';
import type { FoundRefresh } from '../presented/refresh_token.ts';

/** The digest of what proved the client, under which its use is recorded; or why nothing did. */
export type Proof =
  | { readonly digest: Digest; readonly assertion?: ProvenAssertion; readonly cause?: never }
  | { readonly cause: Cause; readonly digest?: never };

/** The client of a request, and what its proof has found that the grant would look for again. */
export interface Authenticated {
  readonly client: Client;
  /** The assertion of the grant `jwt_bearer`. */
  readonly assertion?: ProvenAssertion | undefined;
  /** The refresh token that came alone. */
  readonly refresh?: FoundRefresh | undefined;
  /** The subject token that came alone. */
  readonly subject?: ProvenToken | undefined;
  /** A token of an earlier answer is all that proves the client. */
  readonly isByToken?: true;
}
