// Owns requests without credentials, which are one client's where the file says so: what counts as a credential,
// whether or not a method of the dialect reads it.

import type { ClientAuthentication } from '../../language/client_schema.ts';
import type { Definition } from '../../language/definition.ts';
import type { EndpointDefinition, InputDefinition } from '../../language/input_schema.ts';
import { isByCertificate } from '../../oauth/methods.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import { onlyProofs } from './grant_places.ts';
import { compileInputs, type Input, type Inputs } from './inputs.ts';
import type { PublicCredentials } from './presented_credentials.ts';
import { wasEmpty } from './request_reader.ts';

/** Whether requests without credentials are answered. */
export function takesUnnamed({ methods }: Pick<ClientAuthentication, 'methods'>): boolean {
  return methods.includes('unnamed');
}

/** What names or proves a client, by standard names. */
const standardNames = [
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
] as const;

/** No file can declare an input of such a name. */
const undeclared = 'undeclared ';

/**
 * Credentials that the endpoint does not declare, by their standard names and those of the dialect's other
 * endpoints: they are read only so that a client that sends them is not taken for one without credentials.
 */
export function undeclaredCredentials(
  endpoint: EndpointDefinition,
  definition: Definition,
  authentication: ClientAuthentication,
): readonly Input[] {
  if (!takesUnnamed(authentication)) return [];
  const declared = new Set(Object.entries(endpoint.inputs).map(sentAs));
  const standard = standardNames.map((name): Named => [name, { required: false }]);
  const others = [definition.authorize.endpoint, ...Object.values(definition.token_endpoints)]
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([role, input]) => {
      const { in: place, within } = input;
      const isPlain = within === undefined && place !== 'cookie' && place !== 'path';
      // That header is a credential wherever it comes.
      return isPlain && isCredential(role) && sentAs([role, input]) !== 'header authorization';
    });
  const inputs = Object.fromEntries(
    [...standard, ...others].flatMap(([role, input]): Named[] => {
      const { in: place, name = role } = input;
      const isHeader = place === 'header';
      const key = sentAs([role, input]);
      // There unknown parameters are refused by name.
      if (declared.has(key) || (endpoint.unknown === 'refuse' && !isHeader)) return [];
      return [[undeclared + key, { name, required: false, ...(isHeader && { in: 'header' }) }]];
    }),
  );
  return compileInputs({ ...endpoint, inputs }, definition, []);
}

type Named = readonly [role: string, input: InputDefinition];

function sentAs([role, { in: place, name = role }]: Named): string {
  return place === 'header' ? `header ${name.toLowerCase()}` : name;
}

function isCredential(role: string): boolean {
  return role === 'client_id' || onlyProofs.has(role) || role.startsWith(undeclared);
}

/**
 * The credentials of the client that stands for a request without any; undefined where one came, however wrong
 * or empty.
 *
 * @param rules the inputs that are read, those of `undeclaredCredentials` too
 * @param ownHeaders the inputs that come in the Authorization header
 */
export function compileUnnamed(
  { methods, unnamed_client: id }: ClientAuthentication,
  rules: readonly Input[],
  ownHeaders: readonly string[],
): (
  request: Pick<WireRequest, 'rawHeaders' | 'certificate'>,
  inputs: Inputs,
) => PublicCredentials | undefined {
  if (id === undefined || !takesUnnamed({ methods })) return () => undefined;
  const unnamed: PublicCredentials = { kind: 'none', id, isUnnamed: true };
  const credentials = rules.filter(({ role }) => isCredential(role));
  const readsCertificate = methods.some(isByCertificate);
  return (request, inputs) => {
    const isOwn = ownHeaders.some((role) => inputs.has(role));
    const isProven =
      credentials.some(
        ({ role, inHeader, wireName }) =>
          inputs.has(role) ||
          wasEmpty(inputs, role) ||
          // One without its scheme is no value, and none the less a credential.
          (inHeader && wireName !== 'authorization' && headerValues(request, wireName).length > 0),
      ) ||
      (!isOwn && headerValues(request, 'authorization').length > 0) ||
      (readsCertificate && request.certificate() !== undefined);
    return isProven ? undefined : unnamed;
  };
}
