// Owns what a proof of a client comes to.

import type { Digest } from '../../lib/digest.ts';
import type { Cause } from '../../oauth/cause.ts';

/** The digest of what proved the client, under which its use is recorded; or why nothing did. */
export type Proof =
  | { readonly digest: Digest; readonly cause?: never }
  | { readonly cause: Cause; readonly digest?: never };
