// Owns the deployment: which path belongs to which endpoint of which programme.

import type { Programme } from './programme.ts';
import type { TokenEndpoint } from './token_endpoint.ts';

/** What a path leads to. */
export type Route =
  | { readonly kind: 'login_request'; readonly programme: Programme }
  | { readonly kind: 'login_page'; readonly programme: Programme }
  | { readonly kind: 'token'; readonly programme: Programme; readonly endpoint: TokenEndpoint }
  | { readonly kind: 'key_set'; readonly programme: Programme };

/** Routes by exact path, as sent. */
export type Deployment = ReadonlyMap<string, Route>;

/** A programme that cannot be mounted beside those before it. */
export interface MountConflict {
  readonly programme: Programme;
  readonly path: string;
  readonly other: Programme;
}

/**
 * Mounts programmes in the given order. One whose paths collide with an earlier one's is left out
 * and reported: what a path leads to must never be a guess (C-2).
 */
export function deploy(programmes: readonly Programme[]): {
  readonly deployment: Deployment;
  readonly mounted: readonly Programme[];
  readonly conflicts: readonly MountConflict[];
} {
  const deployment = new Map<string, Route>();
  const mounted: Programme[] = [];
  const conflicts: MountConflict[] = [];
  for (const programme of programmes) {
    const routes = routesOf(programme);
    const taken = routes.find(([path]) => deployment.has(path));
    const other = taken === undefined ? undefined : deployment.get(taken[0])?.programme;
    if (taken !== undefined && other !== undefined) {
      conflicts.push({ programme, path: taken[0], other });
      continue;
    }
    for (const [path, route] of routes) deployment.set(path, route);
    mounted.push(programme);
  }
  return { deployment, mounted, conflicts };
}

function routesOf(programme: Programme): readonly (readonly [string, Route])[] {
  return [
    [programme.login.endpoint.path, { kind: 'login_request', programme }],
    [programme.login.pagePath, { kind: 'login_page', programme }],
    ...programme.tokenEndpoints.map(
      (endpoint) => [endpoint.path, { kind: 'token', programme, endpoint }] as const,
    ),
    ...(programme.signsTokens
      ? [[`${programme.basePath}/.well-known/jwks.json`, { kind: 'key_set', programme }] as const]
      : []),
  ];
}
