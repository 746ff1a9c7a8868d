// Owns the warnings about clients: what may be registered, yet will not get far.

import type { Definition } from '../programme/definition.ts';
import type { Comparison } from '../programme/input_schema.ts';
import { headerFields } from '../programme/response_headers.ts';
import { clientPropertyPrefix } from '../programme/token_values.ts';
import { writtenValues } from '../programme/value_tree.ts';
import type { ClientFields } from './client_fields.ts';

/** What fields are called where the client comes from. */
export interface FieldNames {
  readonly roles: string;
  readonly businessContext: string;
  readonly partnerId: string;
  readonly property: (name: string) => string;
}

const optionNames: FieldNames = {
  roles: '--role',
  businessContext: '--business-context',
  partnerId: '--partner-id',
  property: (name) => `--property ${name}=…`,
};

/** What a dialect can hold a request against. */
const needs = [
  ['client.business_context', 'businessContext'],
  ['client.partner_id', 'partnerId'],
] as const satisfies readonly (readonly [Comparison, keyof ClientFields])[];

/** What such a client will be refused for in this dialect, or find missing in its answers. */
export function clientWarnings(
  definition: Definition,
  fields: ClientFields,
  names: FieldNames = optionNames,
): readonly string[] {
  const compared = comparisonsOf(definition);
  const roleless = `the client has no role: every grant is refused until it is given one (${names.roles})`;
  return [
    ...(fields.roles.length === 0 ? [roleless] : []),
    ...needs
      .filter(([comparison, field]) => compared.has(comparison) && fields[field] === undefined)
      .map(
        ([, field]) =>
          `requests are held against the client's own value, and it has none: give it ${names[field]}`,
      ),
    ...propertiesOf(definition)
      .filter((name) => fields.properties[name] === undefined)
      .map(
        (name) =>
          `answers are to hold the client's own ${name}, and it has none: give it ${names.property(name)}`,
      ),
  ];
}

function comparisonsOf({ authorize, token_endpoints }: Definition): ReadonlySet<Comparison> {
  const endpoints = [authorize.endpoint, ...Object.values(token_endpoints)];
  return new Set(
    endpoints
      .flatMap(({ inputs }) => Object.values(inputs))
      .flatMap(({ must_equal }) => must_equal ?? []),
  );
}

/** Names of the properties that answers and tokens are laid out with. */
export function propertiesOf({ token_response, tokens }: Definition): readonly string[] {
  const trees = [token_response.fields, tokens.access.claims, headerFields(token_response.headers)];
  const written = trees.flatMap((tree) => [...writtenValues(tree)]);
  return [...new Set(written)]
    .filter((name) => name.startsWith(clientPropertyPrefix))
    .map((name) => name.slice(clientPropertyPrefix.length));
}
