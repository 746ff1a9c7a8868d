// Owns the checks of a programme's own paths: no two endpoints of the file answer one, and each value in
// a path is an input.

import type { Definition } from '../language/definition.ts';
import type { EndpointDefinition, InputDefinition } from '../language/input_schema.ts';
import type { Path } from '../lib/fault.ts';
import { programmePaths } from '../oauth/own_paths.ts';
import { constantPath } from '../programme/answers/metadata.ts';
import { PathIndex, valueNames } from '../programme/path_index.ts';
import { areApart, markOf } from '../programme/requests/endpoint_choice.ts';
import { type Complaint, wrong } from '../schema/faults.ts';
import { endpointsIn } from './endpoints.ts';

/** A path of the file, and who answers there. */
interface Claim {
  readonly at: Path;
  readonly path: string | undefined;
  readonly who: string;
  /** Where other methods may be another endpoint's. */
  readonly methods?: EndpointDefinition['methods'];
  /** The name of a token endpoint. */
  readonly name?: string;
}

const keySet: Claim = { at: [], path: programmePaths.keySet, who: 'the key set' };

export function* pathComplaints(definition: Definition): Iterable<Complaint> {
  const { authorize, login, introspection, revocation, userinfo, grants } = definition;
  const tokens = Object.entries(definition.token_endpoints).map(
    ([name, { path, methods }]): Claim => ({
      at: ['token_endpoints', name, 'path'],
      path,
      who: `the token endpoint ${name}`,
      methods,
      name,
    }),
  );
  const { path, methods } = authorize.endpoint;
  const request: Claim = {
    at: ['authorize', 'endpoint', 'path'],
    path,
    who: 'the login request',
    methods,
  };
  const page: Claim = { at: ['login', 'path'], path: login.path, who: 'the login page' };
  // Without a login there is neither.
  const ofLogin = (claim: Claim): readonly Claim[] =>
    grants.authorization_code === undefined ? [] : [claim];
  const isOwn = login.path !== programmePaths.login;
  yield* claimComplaints(
    definition,
    [keySet, ...(isOwn ? [] : ofLogin(page))],
    [
      ...ofLogin(request),
      ...tokens,
      { at: ['introspection', 'path'], path: introspection?.path, who: 'introspection' },
      { at: ['revocation', 'path'], path: revocation?.path, who: 'revocation' },
      { at: ['userinfo', 'path'], path: userinfo?.path, who: 'userinfo' },
      ...(isOwn ? ofLogin(page) : []),
    ],
  );
  for (const [at, endpoint] of endpointsIn(definition)) yield* valueComplaints(at, endpoint);
  yield* metadataComplaints(definition);
}

function* claimComplaints(
  definition: Definition,
  holders: readonly Claim[],
  claims: readonly Claim[],
): Iterable<Complaint> {
  const index = new PathIndex();
  const byPath = new Map<string, readonly Claim[]>();
  const hold = (claim: Claim): void => {
    const path = claim.path ?? '';
    index.add(path);
    byPath.set(path, [...(byPath.get(path) ?? []), claim]);
  };
  holders.forEach(hold);
  for (const claim of claims) {
    const { at, path } = claim;
    if (path === undefined) continue;
    const others = index.overlapping(path).flatMap((one) => byPath.get(one) ?? []);
    const found = others.find((other) => !givesWay(definition, claim, other));
    if (found !== undefined) yield [at, ...taken(path, claim, found)];
    yield* wrong(
      // Every path below `/verify/` is for gateways, which append the caller's path (C-4).
      [
        path.startsWith(programmePaths.verify),
        at,
        `${path} lies below /verify, where gateways ask`,
      ],
      [
        path.startsWith(programmePaths.pictures),
        at,
        `${path} lies below /login/assets, where the login page has its pictures`,
      ],
    );
    hold(claim);
  }
}

/** Whether two claims to a path go together. */
function givesWay(definition: Definition, claim: Claim, other: Claim): boolean {
  // Jetway's own paths go before values in a path.
  if (claim.path !== other.path) return claim.methods === undefined || other.methods === undefined;
  if (claim.methods === undefined || other.methods === undefined) return false;
  const { name, methods } = claim;
  const isLogin = name === undefined || other.name === undefined;
  return isLogin
    ? methods.every((method) => other.methods?.includes(method) === false)
    : areTold(definition, claim.path, name, other.name);
}

/** Whether a request is for one of two token endpoints of a path at most. */
function areTold(
  definition: Definition,
  path: string | undefined,
  name: string,
  other: string,
): boolean {
  const { token_endpoints: endpoints } = definition;
  const [one, two] = [endpoints[name], endpoints[other]];
  if (one === undefined || two === undefined || areApart(one, two)) return true;
  const names = Object.keys(endpoints).filter((any) => endpoints[any]?.path === path);
  return [name, other].some((own) => {
    const others = names.filter((any) => any !== own);
    return markOf(definition, own, others) !== undefined;
  });
}

function taken(path: string, { methods }: Claim, found: Claim): [message: string, hint?: string] {
  if (found.path !== path) {
    return [`one path can be ${path} and ${found.path}, the path of ${found.who}`];
  }
  const message = `${path} is the path of ${found.who} already`;
  if (found.at[0] === 'login') {
    return [message, 'give that page another one: login: { path: /sign-in }'];
  }
  const isLogin = found.at[0] === 'authorize' && methods !== undefined;
  if (isLogin) return [message, 'give each of them a method of its own'];
  return found.name === undefined || methods === undefined
    ? [message]
    : [
        message,
        'tell them apart: by methods, by read, or by an input that every request to one of them has and none to the other',
      ];
}

/** Values in a path that are no inputs, and inputs that are no values of the path. */
function* valueComplaints(at: Path, { path, inputs }: EndpointDefinition): Iterable<Complaint> {
  const names = valueNames(path);
  const inPath = Object.entries(inputs).filter(([, input]) => input.in === 'path');
  const nameOf = ([role, { name = role }]: readonly [string, InputDefinition]): string => name;
  for (const [index, name] of names.entries()) {
    yield* wrong(
      [
        !inPath.some((input) => nameOf(input) === name),
        [...at, 'path'],
        `{${name}} is no input of this endpoint`,
        `add inputs: { ${name}: { in: path, must_equal: client.${name} } }, or allowed values`,
      ],
      [names.indexOf(name) < index, [...at, 'path'], `{${name}} stands in this path twice`],
    );
  }
  for (const input of inPath) {
    const [role] = input;
    if (names.includes(nameOf(input))) continue;
    yield [[...at, 'inputs', role, 'in'], `the path of this endpoint has no {${nameOf(input)}}`];
  }
}

/** RFC 8414 names one address for all clients. */
function* metadataComplaints(definition: Definition): Iterable<Complaint> {
  if (definition.metadata === 'off') return;
  for (const [at, endpoint] of endpointsIn(definition)) {
    if (constantPath(definition, endpoint) !== undefined) continue;
    yield [
      [...at, 'path'],
      `the metadata cannot name ${endpoint.path}: it does not know the values in it`,
      'set metadata to off; or give the input in the path allowed values and no must_equal of a client, and the metadata names the first value',
    ];
  }
}
