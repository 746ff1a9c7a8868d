// Owns the keys of the configuration about the audit stream.

import { join } from 'node:path';

import * as v from 'valibot';

import { failurePolicies, type FailurePolicy } from '../audit/stream.ts';
import { key } from '../schema/notes.ts';
import { storeAt, type StoreLocation } from '../store/open.ts';
import type { Local } from './rows.ts';

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
    file: key(v.exactOptional(v.string()), {
      text: 'The file of the stream.',
      example: './data/audit.jsonl',
      otherwise: 'audit.jsonl beside a store of one file, else beside this file',
    }),
    on_failure: key(v.optional(v.picklist(failurePolicies), 'refuse'), {
      text: 'What becomes of a request or command whose line cannot be written, because the disk is full or does not answer. refuse: it is refused. drop: it is answered, and counted.',
      example: 'refuse',
    }),
    verification: key(v.optional(v.boolean(), false), {
      text: 'Whether a refused question of a gateway has a line, too.',
      example: 'false',
    }),
  }),
]);

/**
 * Left out, the stream is a file beside the store, or beside the configuration where the store is on
 * other machines: each machine has a stream of its own. A store in memory has none: the key of its marks
 * would be gone with the process.
 */
export function auditSettings(
  given: v.InferOutput<typeof auditSchema> | undefined,
  store: StoreLocation,
  local: Local,
): AuditSettings | undefined {
  const { keyFolder, masterKey } = storeAt(store);
  if (given === 'off' || masterKey === 'fleeting') return undefined;
  const usual = 'audit.jsonl';
  const { file, on_failure: onFailure = 'refuse', verification = false } = given ?? {};
  return {
    file:
      file === undefined && keyFolder !== undefined ? join(keyFolder, usual) : local(file ?? usual),
    onFailure,
    tellsVerification: verification,
  };
}
