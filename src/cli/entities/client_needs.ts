// Owns the judgement of a client by its programme's dialect: what it lacks to be served there, and
// what it has that is of no use there.

import { grantTypes } from '../../oauth/grant.ts';
import { isInsecureRedirectUri } from '../../oauth/redirect_uri.ts';
import type { Definition } from '../../programme/language/definition.ts';
import type { LoadedProgramme } from '../../programme/language/load.ts';
import { headerFields } from '../../programme/language/response_headers.ts';
import { neededValues } from '../../programme/language/value_tree.ts';
import { clientPropertyPrefix } from '../../programme/language/vocabularies.ts';
import { refuseUsage } from '../exit.ts';
import { type ClientFields, clientFields } from './client_fields.ts';
import { inputsOf } from './fields.ts';

/** The name that messages have for an input, such as `partner_id` or `property.plan`. */
type Naming = (input: string) => string;

const optionNames: Naming = (input) => {
  if (input === 'api_key') return 'an API key (client rotate-api-key)';
  const property = /^property\.(.*)$/.exec(input)?.[1];
  if (property !== undefined) return `--property ${property}=…`;
  const { option } = inputsOf(clientFields).find(({ name }) => name === input) ?? {};
  return option?.flags.split(' ')[0] ?? input;
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

/** What a dialect can compare requests with, and put into answers and tokens, beside properties. */
const needed = {
  business_context: 'businessContext',
  partner_id: 'partnerId',
  api_key: 'apiKeys',
} as const satisfies Readonly<Record<string, keyof JudgedClient>>;

/** Judges a client of that programme (C-5). */
export function judgeClient(
  { id, definition }: Pick<LoadedProgramme, 'id' | 'definition'>,
  client: JudgedClient,
  naming: Naming = optionNames,
): ClientJudgement {
  const comparisons = comparisonsOf(definition);
  const values = answeredValues(definition);
  const absent = Object.entries(needed).flatMap(([input, field]) =>
    client[field] === undefined || client[field].length === 0 ? [input] : [],
  );
  const refusing = absent.filter((input) => comparisons.has(`client.${input}`));
  const lacking = absent.filter((input) => values.has(input) && !refusing.includes(input));
  const properties = propertyNames(values)
    .filter((name) => client.properties[name] === undefined)
    .map((name) => `property.${name}`);
  return {
    missing: [
      ...refusing.map(
        (input) =>
          `${naming(input)} is missing: ${id} compares requests with it, and refuses those of a client without`,
      ),
      ...[...lacking, ...properties].map(
        (input) => `${naming(input)} is missing: ${id} puts it into its answers`,
      ),
    ],
    warnings: [
      ...roleWarnings(id, definition, client, naming('roles')),
      ...redirectWarnings(client),
    ],
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
  role: string,
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

function comparisonsOf({ authorize, token_endpoints }: Definition): ReadonlySet<string> {
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
