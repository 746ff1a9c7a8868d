// Owns comparing a client with its programme's dialect: what it lacks, and what it has without use.

import { isPublicOnly } from '../../contract/samples/proof.ts';
import { headerFields } from '../../language/response_headers.ts';
import {
  apartFromTexts,
  fieldsOf,
  type FieldTree,
  neededValues,
} from '../../language/value_tree.ts';
import { clientPropertyPrefix } from '../../language/vocabularies.ts';
import { quote } from '../../lib/fault.ts';
import { propertyValues } from '../../oauth/client.ts';
import { grantRows, type GrantType } from '../../oauth/grant.ts';
import { isByNothing, isBySecret, privateKeyJwt } from '../../oauth/methods.ts';
import { isInsecureRedirectUri } from '../../oauth/redirect_uri.ts';
import { cookieFields } from '../../programme/answers/headers.ts';
import { wholeNumber } from '../../programme/answers/tree_writer.ts';
import {
  inputsOf as inputsIn,
  needsSigningSecret,
  type Programme,
} from '../../programme/programme.ts';
import { comparedProperties } from '../../programme/requests/client_values.ts';
import { refuseUsage } from '../../server/exit.ts';
import { type ClientFields, clientFields } from './client_fields.ts';
import { inputsOf } from './fields.ts';

/** The name of an input in messages, such as `partner_id` or `property.plan`. */
type Naming = (input: string) => string;

const optionNames: Naming = (input) => {
  if (input === 'client_type') return '--public';
  if (input === 'api_key') return 'an API key (client rotate-api-key)';
  if (input === 'signing_secret') return 'a signing secret (client rotate-signing-secret)';
  const property = /^property\.(.*)$/.exec(input)?.[1];
  if (property !== undefined) return `--property ${property}=…`;
  const { flags = input } = inputsOf(clientFields).find(({ name }) => name === input) ?? {};
  return flags.replace(/ .*/, '');
};

/** The parts of a client that a dialect may need. */
export interface JudgedClient extends ClientFields {
  readonly apiKeys: readonly unknown[];
  readonly signingSecrets?: readonly unknown[];
}

export interface ClientJudgement {
  /** A sentence for each thing that the dialect needs and the client lacks. */
  readonly missing: readonly string[];
  readonly warnings: readonly string[];
}

/** Besides properties: fields that inputs are compared with, or that answers and tokens contain. */
const needed = {
  business_context: 'businessContext',
  partner_id: 'partnerId',
  api_key: 'apiKeys',
} as const satisfies Readonly<Record<string, keyof JudgedClient>>;

const propertyInput = 'property.';

/** Compares a client with its programme (C-5). */
export function judgeClient(
  programme: Programme,
  client: JudgedClient,
  naming: Naming = optionNames,
): ClientJudgement {
  const { id } = programme;
  const inputs = inputsIn(programme);
  const comparisons = new Set<string>(inputs.flatMap(({ must_equal }) => must_equal ?? []));
  const values = answeredValues(programme, openGrants(programme, client));
  const absent = Object.entries(needed).flatMap(([input, field]) =>
    client[field] === undefined || client[field].length === 0 ? [input] : [],
  );
  const lacks = (name: string): boolean => propertyValues(client.properties, name).length === 0;
  const compared = [
    ...absent.filter((input) => comparisons.has(`client.${input}`)),
    ...new Set(
      [
        ...comparedProperties(inputs).map(({ name }) => name),
        ...(provesByKeys(programme, client)
          ? (programme.clients.assertions?.properties ?? [])
          : []),
      ]
        .filter(lacks)
        .map((name) => propertyInput + name),
    ),
  ];
  const answered = [
    ...absent.filter((input) => values.has(input) && !compared.includes(input)),
    ...propertyNames(values)
      .filter(lacks)
      .map((name) => propertyInput + name)
      .filter((input) => !compared.includes(input)),
  ];
  const missing = (names: readonly string[], why: string): readonly string[] =>
    names.map((input) => `${naming(input)} is missing: ${id} ${why}`);
  return {
    missing: [
      ...typeFaults(programme, client, naming),
      ...missing(compared, 'compares requests with it, and refuses those of a client without'),
      ...missing(answered, 'puts it into its answers'),
      ...missing(lacksKeys(programme, client) ? ['jwks'] : [], 'proves assertions by it'),
      ...missing(
        lacksSigning(programme, client) ? ['signing_secret'] : [],
        'needs it for signatures',
      ),
      ...unfitValues(programme, client, naming),
    ],
    warnings: [
      ...roleWarnings(programme, client, naming('roles')),
      ...redirectWarnings(client),
      ...idleProofs(programme, client, naming),
      ...idleOrigins(programme, client, naming),
      ...unfitNumbers(programme, client, naming),
    ],
  };
}

/** The method by which a dialect takes each, and the input that gives it. */
const ownProofs = [
  ['self_signed_tls_client_auth', 'certificates', 'certificate'],
  ['tls_client_auth', 'certificateSubject', 'certificate_subject'],
  [privateKeyJwt, 'assertionKeys', 'jwks'],
] as const;

/** Whether a client needs no client secret: it is public, signs, or has a certificate or keys that its dialect takes. */
export function needsNoSecret({ clients }: Programme, held: ClientFields): boolean {
  const { methods } = clients.authentication;
  if (held.isPublic === true) return true;
  if (methods.includes('signature') && !methods.some(isBySecret)) return true;
  return ownProofs.some(([method, field]) => methods.includes(method) && has(held[field]));
}

/** A public client where there are none or with a proof, or another where all are public. */
function typeFaults(
  { id, clients: { authentication } }: Programme,
  client: ClientFields,
  naming: Naming,
): readonly string[] {
  const type = naming('client_type');
  if (client.isPublic !== true) {
    return [
      ...(isPublicOnly(authentication)
        ? [`${type} is missing: all clients of ${id} are public`]
        : []),
      ...(client.origins === undefined
        ? []
        : [`${naming('origins')} is of no use: a page keeps no secret, so its client is public`]),
    ];
  }
  const takesNone = authentication.methods.some(isByNothing);
  return [
    ...(takesNone
      ? []
      : [`${type} is of no use: ${id} takes no public clients (client.authentication.methods)`]),
    ...ownProofs
      .filter(([, field]) => has(client[field]))
      .map(([, , input]) => `${naming(input)} is of no use: a public client proves nothing`),
  ];
}

function has(held: ClientFields[(typeof ownProofs)[number][1]]): boolean {
  return held !== undefined && (!Array.isArray(held) || held.length > 0);
}

function lacksSigning(
  programme: Programme,
  { isPublic, signingSecrets = [] }: JudgedClient,
): boolean {
  return needsSigningSecret(programme) && isPublic !== true && signingSecrets.length === 0;
}

function lacksKeys(programme: Programme, client: ClientFields): boolean {
  return client.assertionKeys === undefined && provesByKeys(programme, client);
}

/** It has keys, or needs them: nothing else proves a client, or an assertion is what it asks by. */
function provesByKeys({ clients, grants }: Programme, { assertionKeys }: ClientFields): boolean {
  const { methods } = clients.authentication;
  const needsKeys = grants.has('jwt_bearer') || methods.every((one) => one === privateKeyJwt);
  return needsKeys || assertionKeys !== undefined;
}

function idleProofs(
  { id, clients: { authentication }, grants }: Programme,
  client: ClientFields,
  naming: Naming,
): readonly string[] {
  return ownProofs
    .filter(([method, field]) => has(client[field]) && !authentication.methods.includes(method))
    .filter(([method]) => method !== privateKeyJwt || !grants.has('jwt_bearer'))
    .map(
      ([method, , input]) =>
        `${naming(input)} is of no use: ${id} does not take ${method} (client.authentication.methods)`,
    );
}

function idleOrigins(
  { id, isCrossOrigin }: Programme,
  { origins }: ClientFields,
  naming: Naming,
): readonly string[] {
  return origins === undefined || isCrossOrigin
    ? []
    : [`${naming('origins')} is of no use: no page can read answers of ${id} (cors)`];
}

/** Refuses a client that lacks something, unless `--incomplete` is given; returns the warnings. */
export function expectComplete(
  { missing, warnings }: ClientJudgement,
  incomplete: boolean | undefined,
): readonly string[] {
  if (incomplete !== true) refuseUsage(missing.map(orIncomplete));
  return [...missing, ...warnings];
}

export function orIncomplete(missing: string): string {
  return `${missing} (--incomplete allows that)`;
}

function roleWarnings(
  programme: Programme,
  { roles, isPublic }: ClientFields,
  role: string,
): readonly string[] {
  if (roles.length === 0) {
    return [`the client has no role: every grant is refused until it is given one (${role})`];
  }
  const used = new Set(servedGrants(programme, isPublic).map((grant) => grant.role));
  return roles
    .filter((one) => !used.has(one))
    .map(
      (one) =>
        `no grant of ${programme.id} is for ${isPublic === true ? 'public clients of ' : ''}the role ${one}: it is of no use to the client there`,
    );
}

/** Warnings at each registration, change and display of the client. */
export function redirectWarnings({ redirectUris }: Pick<ClientFields, 'redirectUris'>): string[] {
  return redirectUris
    .filter(isInsecureRedirectUri)
    .map(
      (uri) =>
        `INSECURE: ${uri} is plain http: whoever is on the way there can read the codes of members' logins`,
    );
}

/** A sentence for each value of a property that an input would never take. */
function unfitValues(
  programme: Programme,
  client: JudgedClient,
  naming: Naming,
): readonly string[] {
  return comparedProperties(inputsIn(programme)).flatMap(({ name, input }) =>
    propertyValues(client.properties, name)
      .filter((value) => !input.fits(value))
      .map(
        (value) =>
          `${naming(`property.${name}`)}: ${programme.id} compares requests with ${quote(value)}, which its input ${input.role} never takes`,
      ),
  );
}

/** A sentence for each value that answers hold as a number, and that is none: it is told as a text. */
function unfitNumbers(
  programme: Programme,
  client: JudgedClient,
  naming: Naming,
): readonly string[] {
  const values = new Map([
    ['business_context', client.businessContext],
    ['partner_id', client.partnerId],
    ...Object.keys(client.properties).map((name) => {
      // The first value is that of answers.
      const [first] = propertyValues(client.properties, name);
      return [`property.${name}`, first] as const;
    }),
  ]);
  return [...numericValues(programme, openGrants(programme, client))].flatMap((value) => {
    const input = value.replace(clientPropertyPrefix, propertyInput);
    const text = values.get(input);
    return text === undefined || wholeNumber.test(text)
      ? []
      : [
          `${naming(input)}: ${programme.id} answers with ${quote(text)} as a number; it is none, and stays a text`,
        ];
  });
}

/** Values that JSON of these grants' answers and tokens holds as numbers (`type: number`). */
export function numericValues(
  { layouts, access, ...programme }: Programme,
  grants: ReadonlySet<GrantType> = programme.grants,
): ReadonlySet<string> {
  const trees = [
    ...(layouts.tokens.encoding === 'json' ? [layouts.tokens.fields] : []),
    ...(access.isSigned ? [layouts.claims] : []),
    ...(grants.has('authorization_code') ? identityTrees(layouts) : []),
  ];
  const fields = trees.flatMap((tree) =>
    [...grants].flatMap((type) => [...fieldsOf(tree, type, apartFromTexts)]),
  );
  return new Set(
    fields.flatMap((field) =>
      typeof field === 'object' && 'value' in field && field.type === 'number' ? [field.value] : [],
    ),
  );
}

/** Names of the client properties that answers and tokens of a programme need. */
export function neededProperties(programme: Programme): readonly string[] {
  return propertyNames(answeredValues(programme, programme.grants));
}

function propertyNames(values: ReadonlySet<string>): readonly string[] {
  return [...values]
    .filter((value) => value.startsWith(clientPropertyPrefix))
    .map((value) => value.slice(clientPropertyPrefix.length));
}

/** Names of the values that answers and tokens of these grants need. */
function answeredValues(
  { layouts, access }: Programme,
  grants: ReadonlySet<GrantType>,
): ReadonlySet<string> {
  const trees = [
    layouts.tokens.fields,
    headerFields(layouts.tokens.headers),
    cookieFields(layouts.tokens.cookies),
    ...(access.isSigned ? [layouts.claims] : []),
  ];
  // A member's login makes these.
  const ofLogin = grants.has('authorization_code') ? identityTrees(layouts) : [];
  return new Set([
    ...trees.flatMap((tree) => [...grants].flatMap((type) => [...neededValues(tree, type)])),
    ...ofLogin.flatMap((tree) => [...neededValues(tree, 'authorization_code')]),
  ]);
}

/** The grants that a client can use; all of them as long as it has no role. */
function openGrants(
  programme: Programme,
  { roles, isPublic }: ClientFields,
): ReadonlySet<GrantType> {
  if (roles.length === 0) return programme.grants;
  const open = servedGrants(programme, isPublic).filter(({ role }) => roles.includes(role));
  return new Set(open.map(({ type }) => type));
}

/** The grants of the token endpoints, as far as a client of this type can use them. */
function servedGrants(
  { tokenEndpoints }: Programme,
  isPublic: boolean | undefined,
): Programme['tokenEndpoints'][number]['grants'] {
  const served = tokenEndpoints.flatMap(({ grants }) => grants);
  return served.filter(({ type }) => isPublic !== true || grantRows[type].isPublic === true);
}

function identityTrees({ identity, userinfo }: Programme['layouts']): readonly FieldTree[] {
  return [identity, userinfo].filter((tree) => tree !== undefined);
}
