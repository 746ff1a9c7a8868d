// Owns requests without credentials, which are one client's where the file says so: what counts as a credential,
// whether or not a method of the dialect reads it.

import type { ClientAuthentication } from '../../language/client_schema.ts';
import type { Definition } from '../../language/definition.ts';
import type { EndpointDefinition } from '../../language/input_schema.ts';
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
 * Credentials under their standard names that the endpoint does not declare: they are read only so that a
 * client that sends them is not taken for one without credentials.
 */
export function undeclaredCredentials(
  endpoint: EndpointDefinition,
  definition: Definition,
  authentication: ClientAuthentication,
): readonly Input[] {
  // There they are refused by name.
  if (!takesUnnamed(authentication) || endpoint.unknown === 'refuse') return [];
  const inputsHere = Object.entries(endpoint.inputs);
  const declared = new Set(inputsHere.map(([role, { name = role }]) => name));
  const names = standardNames.filter((name) => !declared.has(name));
  const inputs = Object.fromEntries(
    names.map((name) => [undeclared + name, { name, required: false }]),
  );
  return compileInputs({ ...endpoint, inputs }, definition, []);
}

/**
 * The credentials of the client that stands for a request without any; undefined where one came, however wrong
 * or empty.
 *
 * @param rules the inputs that are read, those of `undeclaredCredentials` too
 * @param ownHeader the input that comes in the Authorization header, if one does
 */
export function compileUnnamed(
  { methods, unnamed_client: id }: ClientAuthentication,
  rules: readonly Input[],
  ownHeader: string | undefined,
): (
  request: Pick<WireRequest, 'rawHeaders' | 'certificate'>,
  inputs: Inputs,
) => PublicCredentials | undefined {
  if (id === undefined || !takesUnnamed({ methods })) return () => undefined;
  const unnamed: PublicCredentials = { kind: 'none', id, isUnnamed: true };
  const roles = rules
    .map(({ role }) => role)
    .filter((role) => role === 'client_id' || onlyProofs.has(role) || role.startsWith(undeclared));
  const readsCertificate = methods.some(isByCertificate);
  return (request, inputs) => {
    const isOwn = ownHeader !== undefined && inputs.has(ownHeader);
    const isProven =
      roles.some((role) => inputs.has(role) || wasEmpty(inputs, role)) ||
      (!isOwn && headerValues(request, 'authorization').length > 0) ||
      (readsCertificate && request.certificate() !== undefined);
    return isProven ? undefined : unnamed;
  };
}
