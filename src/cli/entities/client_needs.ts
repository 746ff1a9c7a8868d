// Owns the judgement of a client by its programme's dialect: what it lacks to be served there, and
// what it has that is of no use there.

import { grantTypes } from '../../oauth/grant.ts';
import { isInsecureRedirectUri } from '../../oauth/redirect_uri.ts';
import type { Definition } from '../../programme/language/definition.ts';
import type { Comparison } from '../../programme/language/input_schema.ts';
import type { LoadedProgramme } from '../../programme/language/load.ts';
import { headerFields } from '../../programme/language/response_headers.ts';
import { clientPropertyPrefix } from '../../programme/language/token_values.ts';
import { neededValues } from '../../programme/language/value_tree.ts';
import { refuseUsage } from '../exit.ts';
import type { ClientFields } from './client_fields.ts';

/** What fields are called where the client comes from. */
export interface FieldNames {
  readonly role: string;
  readonly businessContext: string;
  readonly partnerId: string;
  readonly apiKeys: string;
  readonly property: (name: string) => string;
}

const optionNames: FieldNames = {
  role: '--role',
  businessContext: '--business-context',
  partnerId: '--partner-id',
  apiKeys: 'an API key (client rotate-api-key)',
  property: (name) => `--property ${name}=…`,
};

/** A client as far as a dialect can need something of it. */
export interface JudgedClient extends ClientFields {
  readonly apiKeys: readonly unknown[];
}

export interface ClientJudgement {
  /** What the dialect needs and the client does not have, each in a sentence. */
  readonly missing: readonly string[];
  readonly warnings: readonly string[];
}

/** What a dialect can hold a request against. */
const compared = [
  ['client.business_context', 'businessContext'],
  ['client.partner_id', 'partnerId'],
  ['client.api_key', 'apiKeys'],
] as const satisfies readonly (readonly [Comparison, keyof JudgedClient])[];

/** What answers and tokens can hold, beside properties. */
const answered = [
  ['business_context', 'businessContext'],
  ['partner_id', 'partnerId'],
] as const satisfies readonly (readonly [string, keyof JudgedClient])[];

/** Judges a client of that programme (C-5). */
export function judgeClient(
  { id, definition }: Pick<LoadedProgramme, 'id' | 'definition'>,
  client: JudgedClient,
  names: FieldNames = optionNames,
): ClientJudgement {
  const comparisons = comparisonsOf(definition);
  const values = answeredValues(definition);
  const isMissing = (field: (typeof compared)[number][1]): boolean =>
    client[field] === undefined || client[field].length === 0;
  const refusing = compared
    .filter(([comparison, field]) => comparisons.has(comparison) && isMissing(field))
    .map(([, field]) => field);
  const lacking = answered
    .filter(([value, field]) => values.has(value) && isMissing(field) && !refusing.includes(field))
    .map(([, field]) => names[field]);
  const properties = propertyNames(values)
    .filter((name) => client.properties[name] === undefined)
    .map(names.property);
  return {
    missing: [
      ...refusing.map(
        (field) =>
          `${names[field]} is missing: ${id} compares requests with it, and refuses those of a client without`,
      ),
      ...[...lacking, ...properties].map(
        (name) => `${name} is missing: ${id} puts it into its answers`,
      ),
    ],
    warnings: [...roleWarnings(id, definition, client, names), ...redirectWarnings(client)],
  };
}

/**
 * Ends the command as wrong usage where something is missing, unless told `--incomplete`; returns
 * what is to be warned of.
 */
export function expectComplete(
  { missing, warnings }: ClientJudgement,
  incomplete: boolean | undefined,
): readonly string[] {
  if (incomplete !== true) refuseUsage(missing.map(orIncomplete));
  return [...missing, ...warnings];
}

/** A sentence on what is missing, with the way around it. */
export function orIncomplete(missing: string): string {
  return `${missing} (--incomplete does without)`;
}

function roleWarnings(
  id: string,
  { grants }: Definition,
  { roles }: ClientFields,
  { role }: FieldNames,
): readonly string[] {
  if (roles.length === 0) {
    return [`the client has no role: every grant is refused until it is given one (${role})`];
  }
  const used = new Set(grantTypes.map((type) => grants[type]?.role));
  return roles
    .filter((one) => !used.has(one))
    .map((one) => `no grant of ${id} is for the role ${one}: it is of no use to the client there`);
}

/** What is told each time that such a client is registered, changed or shown. */
export function redirectWarnings({ redirectUris }: Pick<ClientFields, 'redirectUris'>): string[] {
  return redirectUris
    .filter(isInsecureRedirectUri)
    .map(
      (uri) =>
        `INSECURE: ${uri} is plain http: whoever is on the way there can read the codes of members' logins`,
    );
}

function comparisonsOf({ authorize, token_endpoints }: Definition): ReadonlySet<Comparison> {
  const endpoints = [authorize.endpoint, ...Object.values(token_endpoints)];
  return new Set(
    endpoints
      .flatMap(({ inputs }) => Object.values(inputs))
      .flatMap(({ must_equal }) => must_equal ?? []),
  );
}

/** Names of the properties that answers and tokens of a programme cannot do without. */
export function neededProperties(definition: Definition): readonly string[] {
  return propertyNames(answeredValues(definition));
}

function propertyNames(values: ReadonlySet<string>): readonly string[] {
  return [...values]
    .filter((value) => value.startsWith(clientPropertyPrefix))
    .map((value) => value.slice(clientPropertyPrefix.length));
}

/** Names of the values that answers and tokens of the programme's grants cannot do without. */
function answeredValues({ token_response, tokens, grants }: Definition): ReadonlySet<string> {
  const { access } = tokens;
  const trees = [
    token_response.fields,
    headerFields(token_response.headers),
    ...(access.format === 'jwt' ? [access.claims] : []),
  ];
  const served = grantTypes.filter((type) => grants[type] !== undefined);
  return new Set(trees.flatMap((tree) => served.flatMap((type) => [...neededValues(tree, type)])));
}
