// Owns what a file may say of its members: the kind of directory that knows them, and how the one
// behind an HTTP hook is reached.

import * as v from 'valibot';

import { isLoopback } from '../../lib/ip_address.ts';
import type { Complaint } from '../../schema/complaint.ts';
import { textSchema } from '../../schema/scalars.ts';
import { type ValueShape, valueShapeSchema } from './value_shape.ts';

export interface MembersDefinition {
  readonly directory: 'store' | 'http';
  /** Address of the hook, without trailing slash. */
  readonly url?: string;
  /** Paths of files, from the programme file's folder. */
  readonly secret_file?: string;
  readonly previous_secret_file?: string;
  readonly certificate_file?: string;
  readonly key_file?: string;
  readonly authorities_file?: string;
  /** Questions under way at once. */
  readonly concurrency?: number;
  /** What the number looks like in answers that hold it. */
  readonly membership_number?: ValueShape;
}

/** Keys that name files of credentials. */
export const credentialKeys = [
  'secret_file',
  'previous_secret_file',
  'certificate_file',
  'key_file',
  'authorities_file',
] as const;
export type CredentialKey = (typeof credentialKeys)[number];

/** Where a member directory listens: passwords travel there, so plain http is for loopback alone. */
function isHookAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.search + url.hash + url.username + url.password !== '') return false;
  if (text.endsWith('/') || url.href.replace(/\/$/, '') !== text) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

const fileSchema = v.exactOptional(textSchema);

export const membersSchema: v.GenericSchema<unknown, MembersDefinition> = v.strictObject({
  directory: v.optional(v.picklist(['store', 'http']), 'store'),
  url: v.exactOptional(
    v.pipe(
      v.string(),
      v.check(
        isHookAddress,
        'expected an https address in its plain form, without query or trailing slash, such as https://members.example.com/jetway; http is for loopback alone',
      ),
    ),
  ),
  secret_file: fileSchema,
  previous_secret_file: fileSchema,
  certificate_file: fileSchema,
  key_file: fileSchema,
  authorities_file: fileSchema,
  concurrency: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000))),
  membership_number: v.exactOptional(valueShapeSchema),
});

/** What one key of `members` promises another. */
export function* memberComplaints(members: MembersDefinition): Iterable<Complaint> {
  const { directory, url, membership_number: _, ...rest } = members;
  if (directory === 'http') {
    if (url === undefined) {
      yield [
        ['members'],
        '"url" is missing',
        'a directory of kind http needs the address of its hook',
      ];
    }
    yield* certificateComplaints(members);
    return;
  }
  for (const key of ['url', ...Object.keys(rest)]) {
    if (!Object.hasOwn(members, key)) continue;
    yield [
      ['members', key],
      `"${key}" says nothing of the directory store`,
      'add directory: http, or take it out',
    ];
  }
}

function* certificateComplaints(members: MembersDefinition): Iterable<Complaint> {
  for (const key of ['certificate_file', 'key_file', 'authorities_file'] as const) {
    if (members[key] === undefined || members.url?.startsWith('http:') !== true) continue;
    yield [['members', key], 'an address of plain http has no use for certificates'];
  }
}
