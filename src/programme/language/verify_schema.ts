// Owns what a file may say of the questions that gateways ask: the header of API keys, and whether
// requests must carry the headers that the token endpoints hold against programme and client.

import * as v from 'valibot';

import { freeHeaderSchema } from '../../schema/scalars.ts';

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
