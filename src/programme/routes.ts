// Owns the paths that a programme answers, and what answers there.

import type { Logo } from '../language/logos.ts';
import { programmePaths } from '../oauth/own_paths.ts';
import type { UserinfoRules } from './answers/identity.ts';
import type { Metadata } from './answers/metadata.ts';
import { picturesOf } from './login/rules.ts';
import { logsIn, type Programme } from './programme.ts';
import type { TokenPath } from './requests/endpoint_choice.ts';
import type { TokenManagementEndpoint } from './requests/token_management.ts';

/** An endpoint of one programme. */
export type EndpointRoute = { readonly programme: Programme } & (
  | { readonly kind: 'login_request' | 'login_page' | 'key_set' | 'verification' }
  | { readonly kind: 'picture'; readonly picture: Logo }
  | { readonly kind: 'token'; readonly endpoint: TokenPath }
  | { readonly kind: 'introspection' | 'revocation'; readonly endpoint: TokenManagementEndpoint }
  | { readonly kind: 'userinfo'; readonly userinfo: UserinfoRules }
  | { readonly kind: 'metadata'; readonly metadata: Metadata }
);

/** What of one programme answers a path: an endpoint, or one for some methods and another for others. */
export type Route =
  | EndpointRoute
  | {
      readonly programme: Programme;
      readonly kind: 'by_method';
      readonly routes: readonly EndpointRoute[];
    };

type Placed<Held> = readonly [path: string, route: Held];

/** @param hasFormerKeys whether it publishes keys of tokens that it signs no more */
export function routesOf(programme: Programme, hasFormerKeys: boolean): readonly Placed<Route>[] {
  const all = endpointRoutes(programme, hasFormerKeys);
  return [...Map.groupBy(all, ([path]) => path)].flatMap(([path, placed]): Placed<Route>[] => {
    const routes = placed.map(([, route]) => route);
    const isOne = routes.length > 1 && areApart(routes);
    return isOne ? [[path, { programme, kind: 'by_method', routes }]] : placed;
  });
}

/** Whether each method leads to one of the endpoints at most. */
function areApart(routes: readonly EndpointRoute[]): boolean {
  const methods = routes.map(methodsOf);
  const all = methods.flatMap((some) => [...(some ?? [])]);
  return !methods.includes(undefined) && new Set(all).size === all.length;
}

/** The methods that the dialect says; undefined for Jetway's own endpoints. */
function methodsOf(route: EndpointRoute): ReadonlySet<string> | undefined {
  if (route.kind === 'login_request') return route.programme.login.endpoint.methods;
  return route.kind === 'token' ? route.endpoint.methods : undefined;
}

function endpointRoutes(
  programme: Programme,
  hasFormerKeys: boolean,
): readonly Placed<EndpointRoute>[] {
  const { ownPath, login, tokenPaths, introspection, revocation, userinfo, metadata } = programme;
  const routes: Placed<EndpointRoute>[] = [];
  if (logsIn(programme)) {
    routes.push([login.endpoint.path, { kind: 'login_request', programme }]);
    routes.push([login.pagePath, { kind: 'login_page', programme }]);
    for (const picture of picturesOf(login)) {
      const path = ownPath + programmePaths.pictures + picture.fileName;
      routes.push([path, { kind: 'picture', programme, picture }]);
    }
  }
  for (const endpoint of tokenPaths) {
    routes.push([endpoint.path, { kind: 'token', programme, endpoint }]);
  }
  if (programme.signsTokens || hasFormerKeys) {
    routes.push([ownPath + programmePaths.keySet, { kind: 'key_set', programme }]);
  }
  routes.push([`${ownPath + programmePaths.verify}*`, { kind: 'verification', programme }]);
  for (const [kind, endpoint] of [
    ['introspection', introspection],
    ['revocation', revocation],
  ] as const) {
    if (endpoint !== undefined) routes.push([endpoint.path, { kind, programme, endpoint }]);
  }
  if (userinfo !== undefined) {
    routes.push([userinfo.path, { kind: 'userinfo', programme, userinfo }]);
  }
  if (metadata !== undefined) {
    for (const path of metadata.paths)
      routes.push([path, { kind: 'metadata', programme, metadata }]);
  }
  return routes;
}
