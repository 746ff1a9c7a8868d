// Owns the keys of the configuration about the audit stream.

import { join } from 'node:path';

import * as v from 'valibot';

import { failurePolicies, type FailurePolicy } from '../audit/stream.ts';
import { storeAt, type StoreLocation } from '../store/open.ts';

export interface AuditSettings {
  readonly file: string;
  /** What becomes of requests and commands that cannot be told of. */
  readonly onFailure: FailurePolicy;
  /** Whether refused questions of gateways are told. */
  readonly tellsVerification: boolean;
}

export const auditSchema = v.union([
  v.literal('off'),
  v.strictObject({
    file: v.exactOptional(v.string()),
    on_failure: v.optional(v.picklist(failurePolicies), 'refuse'),
    verification: v.optional(v.boolean(), false),
  }),
]);

/**
 * Left out, the stream is a file beside the store. A store in memory has none: the key of its marks
 * would be gone with the process.
 */
export function auditSettings(
  given: v.InferOutput<typeof auditSchema> | undefined,
  store: StoreLocation,
  local: (name: string) => string,
): AuditSettings | undefined {
  const { keyFolder } = storeAt(store);
  if (given === 'off' || keyFolder === undefined) return undefined;
  const { file, on_failure: onFailure = 'refuse', verification = false } = given ?? {};
  return {
    file: file === undefined ? join(keyFolder, 'audit.jsonl') : local(file),
    onFailure,
    tellsVerification: verification,
  };
}
