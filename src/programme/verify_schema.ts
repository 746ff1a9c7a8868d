// Owns what a file may say of the questions that gateways ask: the header of API keys, and whether
// requests must carry the headers that the token endpoints hold against programme and client.

import * as v from 'valibot';

import type { Complaint } from './complaint.ts';
import type { Definition } from './definition.ts';
import { freeHeaderSchema } from './scalar_schema.ts';
import { headerName, heldHeaders } from './verify_headers.ts';

/** `held`: a header that is sent must be right; `required`: and must be sent. */
const headerPolicies = ['held', 'required', 'ignored'] as const;

export interface VerifyDefinition {
  /** Name of the header that an API key comes in. */
  readonly api_key_header: string;
  readonly headers: (typeof headerPolicies)[number];
}

export const verifySchema: v.GenericSchema<unknown, VerifyDefinition> = v.strictObject({
  api_key_header: v.optional(
    v.pipe(
      freeHeaderSchema,
      v.check(
        (name) => !/^(?:authorization$|x-auth-)/i.test(name),
        'Authorization has the token, and X-Auth- is how Jetway answers: name another header',
      ),
    ),
    'X-Api-Key',
  ),
  headers: v.optional(v.picklist(headerPolicies), 'held'),
});

/** What these words promise that the token endpoints do not keep. */
export function* verifyComplaints(definition: Definition): Iterable<Complaint> {
  const { verify } = definition;
  const held = heldHeaders(definition);
  if (verify.headers === 'required' && held.size === 0) {
    yield [
      ['verify', 'headers'],
      'there is no header to require: no token endpoint holds one against programme or client',
      'give an input there in: header and must_equal',
    ];
  }
  for (const [role, input] of held) {
    if (headerName(role, input).toLowerCase() !== verify.api_key_header.toLowerCase()) continue;
    yield [['verify', 'api_key_header'], `the input "${role}" is read from this header`];
  }
}
