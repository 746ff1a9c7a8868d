// Owns the warnings about clients: what may be registered, yet will not get far.

import type { Definition } from '../programme/definition.ts';
import type { Comparison } from '../programme/input_schema.ts';
import type { ClientFields } from './client_fields.ts';

/** What a dialect can hold a request against, and where a client gets it from. */
const needs = [
  ['client.business_context', 'businessContext', '--business-context'],
  ['client.partner_id', 'partnerId', '--partner-id'],
] as const satisfies readonly (readonly [Comparison, keyof ClientFields, string])[];

/** What such a client will be refused for in this dialect. */
export function clientWarnings(definition: Definition, fields: ClientFields): readonly string[] {
  const compared = comparisonsOf(definition);
  const missing = needs.flatMap(([comparison, field, option]) =>
    compared.has(comparison) && fields[field] === undefined
      ? [`requests are held against the client's own value, and it has none: give it ${option}`]
      : [],
  );
  return fields.roles.length === 0
    ? ['the client has no role: every grant is refused until it is given one (--role)', ...missing]
    : missing;
}

function comparisonsOf({ authorize, token_endpoints }: Definition): ReadonlySet<Comparison> {
  const endpoints = [authorize.endpoint, ...Object.values(token_endpoints)];
  return new Set(
    endpoints
      .flatMap(({ inputs }) => Object.values(inputs))
      .flatMap(({ must_equal }) => must_equal ?? []),
  );
}
