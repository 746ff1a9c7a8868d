// Owns the warning about texts of failures, mostly those of the variant, that name a place, a header or a media
// type of which the dialect knows nothing.

import { type ClientAuthentication, readsHeader } from '../language/client_schema.ts';
import type { Definition } from '../language/definition.ts';
import { type EndpointDefinition, placesOf } from '../language/input_schema.ts';
import { writtenValues } from '../language/value_tree.ts';
import { tokensOfGrants } from '../oauth/grant.ts';
import { methodRows } from '../oauth/methods.ts';
import type { FailureReason } from '../oauth/reasons.ts';
import type { Complaint } from '../schema/faults.ts';

/** By reason: what a text can claim, whether it is true, and what is true instead. */
const claims: Readonly<
  Partial<
    Record<
      FailureReason,
      readonly [claim: RegExp, isTrue: (definition: Definition) => boolean, truth: string]
    >
  >
> = {
  unsupported_media_type: [
    /application\/x-www-form-urlencoded/,
    ({ token_endpoints }) =>
      Object.values(token_endpoints).every(
        ({ read, media_types: more }) =>
          more.length === 0 && read.every((form) => form === 'form' || form === 'query'),
      ),
    'an endpoint takes other media types',
  ],
  misplaced_parameter: [
    /\bbody\b/,
    ({ token_endpoints }) => Object.values(token_endpoints).every(readsNoQuery),
    'an endpoint reads parameters from the query',
  ],
  authentication_missing: [
    /\bheader\b/i,
    ({ client: { authentication }, token_endpoints }) =>
      readsHeader(authentication) ||
      Object.values(token_endpoints).some(({ inputs }) =>
        proofInputs(authentication).some((role) => inputs[role]?.in === 'header'),
      ),
    'no credentials are read from a header',
  ],
  programme_mismatch: [
    /\bheader\b/i,
    ({ token_endpoints }) =>
      Object.values(token_endpoints)
        .flatMap(({ inputs }) => Object.values(inputs))
        .every((input) => input.must_equal !== 'programme.identifier' || input.in === 'header'),
    'the programme is not read from a header',
  ],
};

/** The inputs by which a client proves itself; with the method `token`, what its grants need. */
function proofInputs({ methods }: ClientAuthentication): readonly string[] {
  const ofTokens = methods.includes('token') ? tokensOfGrants : [];
  return [...methods.flatMap((method) => methodRows[method].inputs), ...ofTokens];
}

function readsNoQuery(endpoint: EndpointDefinition): boolean {
  const places = Object.values(endpoint.inputs).map((input) => placesOf(input, endpoint));
  return places.every((some) => some.join(' ') !== 'query');
}

export function* errorTextWarnings(definition: Definition): Iterable<Complaint> {
  const { fields } = definition.errors;
  for (const [reason, [claim, isTrue, truth]] of Object.entries(claims)) {
    if (!writtenValues(fields, reason).has('error_description')) continue;
    const { error_description: text } = definition.errors.reasons[reason as FailureReason];
    const [word] = claim.exec(text ?? '') ?? [];
    if (word === undefined || isTrue(definition)) continue;
    yield [
      ['errors', 'reasons', reason, 'error_description'],
      `this text names "${word}", but ${truth}`,
      'write another text',
    ];
  }
}
