// Owns how a store keeps a token that has a form of its own: under a digest of it lies the ordinary text,
// encrypted under a key that only whoever has the token can make. The store alone gives nothing away.

import { type Digest, digest } from '../lib/digest.ts';
import { deriveKey, seal, unseal } from '../lib/seal.ts';
import type { ProgrammeId } from '../oauth/client.ts';

export type FormedUse = 'access_token' | 'refresh_token';

/** The texts of one programme's tokens of one use. */
export interface KeptTokens {
  /** What a token of a form follows from: the same ordinary text has the same token, at a retry too. */
  readonly seedOf: (ordinary: string) => string;
  /** The key that a token lies under. */
  readonly nameOf: (token: string) => Digest;
  readonly seal: (token: string, ordinary: string) => string;
  /** The ordinary text; undefined unless `kept` was sealed for this token. */
  readonly open: (token: string, kept: string) => string | undefined;
}

export function keptTokens(programme: ProgrammeId, use: FormedUse): KeptTokens {
  const named = (purpose: string): string => `jetway ${purpose} ${use} ${programme}`;
  const [seed, name, key] = [named('form'), named('name'), named('kept')];
  return {
    seedOf: (ordinary) => `${seed} ${ordinary}`,
    nameOf: (token) => digest(`${name} ${token}`),
    seal: (token, ordinary) => seal(deriveKey(token, key), ordinary),
    open: (token, kept) => unseal(deriveKey(token, key), kept),
  };
}
