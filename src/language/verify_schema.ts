// Owns the schema of `verify`: the API key's header, and whether requests must carry the headers
// that token endpoints compare with programme and client.

import * as v from 'valibot';

import { key } from '../schema/notes.ts';
import { freeHeaderSchema } from '../schema/scalars.ts';

const apiKeyHeaderSchema = v.pipe(
  freeHeaderSchema,
  v.check(
    (name) => !/^(?:authorization$|cookie$|x-auth-)/i.test(name),
    'Authorization has the token, Cookie all cookies, and X-Auth- is how Jetway answers: name another header',
  ),
);

const toldSchema = v.pipe(
  v.string(),
  v.check(
    (text) => /^(?:member|client)\../.test(text),
    'expected member. or client. and the name of a property',
  ),
);

export const verifySchema = v.strictObject({
  api_key_header: key(v.optional(apiKeyHeaderSchema, 'X-Api-Key'), {
    text: 'Name of the header in which requests to the API carry the API key (C-4). Blocks for gateways have this name, and partners are told of it.',
    example: 'Partner-Key',
  }),
  headers: key(v.optional(v.picklist(['held', 'required', 'ignored']), 'held'), {
    text: "What becomes of headers that name programme or partner: those that a token endpoint reads `in: header` and compares with `must_equal` (not `client.api_key`). `held`: if one is sent, it must be the programme's, and that of the token's client or of a holder of the key. The failures are the same as at that endpoint (`invalid_header`, `programme_mismatch`, `context_mismatch`, `client_mismatch`). `required`: each must be sent, too, or the answer is `missing_header`. `ignored`: nothing is compared. Unless they are ignored, Jetway's yes carries the same headers with the right values, for gateways to pass on (P-4, P-15).",
    example: 'required',
  }),
  tells: key(v.optional(v.record(apiKeyHeaderSchema, toldSchema), {}), {
    text: "More headers of Jetway's yes: properties of the token's member (`member.NAME`, as they were at the login) and of the client (`client.NAME`). A header is empty if there is no such property. A gateway has to replace them as it replaces `X-Auth-` headers.",
    example: '{ Partner-Tier: member.tier }',
  }),
});
