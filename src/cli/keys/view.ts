// Owns how signing keys are shown: never a private half, sealed or not.

import type { SigningKeyRecord } from '../../oauth/signing_key.ts';
import type { KeyState, KeyStatus } from '../../token/key_rotation.ts';
import { dateText } from '../table.ts';

/** A key as JSON output has it; what is not known is null, so that its shape is one. */
export interface KeyView {
  readonly programme: string;
  readonly kid: string;
  readonly algorithm: string;
  readonly status: KeyStatus;
  readonly created_at: string;
  readonly signs_from: string | null;
  readonly retires_at: string | null;
}

export function viewKey({ key, status, retiresAt }: KeyState): KeyView {
  return {
    programme: key.programme,
    kid: key.kid,
    algorithm: key.algorithm,
    status,
    created_at: dateText(key.createdAt),
    signs_from: signsFromText(key) ?? null,
    retires_at: retiresAt === undefined ? null : dateText(retiresAt),
  };
}

export function signsFromText({ signsFrom }: SigningKeyRecord): string | undefined {
  return signsFrom === undefined ? undefined : dateText(signsFrom);
}
