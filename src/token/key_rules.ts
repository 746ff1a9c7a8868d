// Owns the rules by which the keys of a programme rotate: how long before it signs a key must be known,
// and how long its tokens live.

import { milliseconds, type Milliseconds } from '../lib/clock.ts';
import { present } from '../lib/present.ts';
import type { SigningAlgorithm, SigningKind } from '../oauth/signing_key.ts';
import { keySetMaxAge } from './signing_keys.ts';

/** As the store names them. */
export type KeyKind = SigningKind | 'token_key';

export interface KeyRules {
  readonly kind: KeyKind;
  /** Of keys that sign; absent if the programme signs nothing with them, or no longer. */
  readonly algorithm?: SigningAlgorithm;
  /** The longest time after an answer for which its key is needed. */
  readonly longestToken: Milliseconds;
  /** The key of the programme's file that has that time. */
  readonly longestBy?: string;
}

export type SigningRules = KeyRules & { readonly kind: SigningKind };

/**
 * A new key is published this long before it signs: twice the max-age of the key set. A verifier
 * that caches it for the full time has fetched it again by then, even after one failed fetch
 * (FAULTS 24).
 */
export const shortestWait: Milliseconds = milliseconds(2 * keySetMaxAge * 1000);

/**
 * The least time between a command and the first use of its key. Verifiers fetch an unknown signing
 * key, so it may sign at once. A token key must be known to every server first, which reads its store
 * each second: a token that a server makes with the key before is refused from then on.
 */
export const leads: Readonly<Record<KeyKind, Milliseconds>> = {
  signing_key: milliseconds(0),
  identity_key: milliseconds(0),
  token_key: milliseconds(5000),
};

/**
 * A token key that begins within this time is not removed: a server that has not read its store since
 * would sign with it. It is the lead, and a second between two reads.
 */
export const removalLead: Milliseconds = milliseconds(leads.token_key + 1000);

/** The part of a programme that determines the life of its keys. */
export interface TokenRules {
  readonly access: {
    readonly isSigned: boolean;
    readonly lifetime: Milliseconds;
    readonly algorithm: SigningAlgorithm;
  };
  readonly refresh: {
    readonly format: 'opaque' | 'jwt';
    readonly longest: Milliseconds;
    readonly grace: Milliseconds;
  };
  /** Present where there are identity tokens. */
  readonly identity?: {
    readonly lifetime: Milliseconds;
    /** Of keys of their own; without it the keys of access tokens sign them. */
    readonly ownAlgorithm?: SigningAlgorithm | undefined;
  };
}

export function signingKeyRules({ access, refresh, identity }: TokenRules): SigningRules {
  const signsIdentity = identity !== undefined && identity.ownAlgorithm === undefined;
  const isUsed = access.isSigned || refresh.format === 'jwt' || signsIdentity;
  // Whether access or refresh tokens of a programme that no longer signs were JWTs is not known.
  const longest = longestOf({
    'tokens.access.lifetime': access.isSigned || !isUsed ? access.lifetime : 0,
    'tokens.refresh.longest': refresh.format === 'jwt' || !isUsed ? refresh.longest : 0,
    'id_token.lifetime': signsIdentity ? identity.lifetime : 0,
  });
  const rules = { kind: 'signing_key', ...longest } as const;
  return isUsed ? { ...rules, algorithm: access.algorithm } : rules;
}

/** Of keys that sign identity tokens alone: their `alg` is fixed by their use, whatever signs access tokens. */
export function identityKeyRules({ identity }: TokenRules): SigningRules {
  const { lifetime = milliseconds(0), ownAlgorithm: algorithm } = identity ?? {};
  const longest = { longestToken: lifetime, longestBy: 'id_token.lifetime' };
  return present({ kind: 'identity_key', ...longest, algorithm } as const);
}

/** A token key opens access tokens, and derives the answers of retries in the grace window. */
export function tokenKeyRules({ access, refresh }: TokenRules): KeyRules {
  const spans = {
    'tokens.access.lifetime': access.lifetime,
    'tokens.refresh.grace': refresh.grace,
  };
  return { kind: 'token_key', ...longestOf(spans) };
}

function longestOf(
  spans: Readonly<Record<string, number>>,
): Required<Pick<KeyRules, 'longestToken' | 'longestBy'>> {
  const [longestBy, span] = Object.entries(spans).reduce((one, other) =>
    other[1] > one[1] ? other : one,
  );
  return { longestToken: milliseconds(span), longestBy };
}
