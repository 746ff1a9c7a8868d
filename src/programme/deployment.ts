// Owns the deployment: the map from each path to an endpoint of a programme.

import type { ProgrammeId } from '../oauth/client.ts';
import { parseForm } from '../oauth/parameters.ts';
import { headerValues, type RequestHead } from '../oauth/wire_request.ts';
import { hasValues, PathIndex } from './path_index.ts';
import type { Programme, SelectorRule } from './programme.ts';
import { type Route, routesOf } from './routes.ts';

/** A path that several programmes share; the selector's input names the programme. */
export interface SharedRoute {
  readonly kind: 'shared';
  readonly selector: SelectorRule;
  readonly byIdentifier: ReadonlyMap<string, Route>;
  /** Answers a request whose selector is missing or unknown. */
  readonly fallback: Route;
}

/** Whether only gateways ask this route, so that `gateway_listen` may serve it alone. */
export function isForGateways({ kind }: Route | SharedRoute): boolean {
  return kind === 'verification' || kind === 'introspection';
}

/**
 * Routes by exact path as sent, or by a pattern: one that ends with `/*`, or has values in braces. What
 * a programme has at fixed paths goes before its own patterns.
 */
export type Deployment = ReadonlyMap<string, Route | SharedRoute>;

export interface MountConflict {
  readonly programme: Programme;
  readonly path: string;
  readonly other: Programme;
  readonly message: string;
}

export interface Deployed {
  readonly deployment: Deployment;
  readonly mounted: readonly Programme[];
  readonly conflicts: readonly MountConflict[];
}

/**
 * Mounts programmes in the given order. A programme whose paths collide with an earlier programme's
 * is left out and reported, unless both declare the selector that names the programme (C-2).
 *
 * @param former programmes that sign no tokens any more, but still publish the keys of tokens they
 * signed
 */
export function deploy(
  programmes: readonly Programme[],
  former: ReadonlySet<ProgrammeId> = new Set(),
): Deployed {
  const routes = new Map<string, Route[]>();
  const paths = new PathIndex();
  const mounted: Programme[] = [];
  const conflicts: MountConflict[] = [];
  for (const programme of programmes) {
    const own = routesOf(programme, former.has(programme.id));
    const [conflict] = [
      ...selfCollision(programme, own),
      ...own.flatMap(([path]) =>
        paths
          .overlapping(path)
          .flatMap((at) =>
            (routes.get(at) ?? []).flatMap((route) => collision(path, programme, route, at)),
          ),
      ),
    ];
    if (conflict !== undefined) {
      conflicts.push(conflict);
      continue;
    }
    for (const [path, route] of own) {
      paths.add(path);
      routes.set(path, [...(routes.get(path) ?? []), route]);
    }
    mounted.push(programme);
  }
  const leaderless = withoutDefault(routes);
  if (leaderless.length > 0) {
    // Without a default no programme can answer a missing selector: mount none of them.
    const dropped = new Set(leaderless.map(({ programme }) => programme));
    const rest = deploy(
      mounted.filter((programme) => !dropped.has(programme)),
      former,
    );
    return { ...rest, conflicts: [...conflicts, ...leaderless, ...rest.conflicts] };
  }
  const deployment = new Map([...routes].map(([path, found]) => [path, joined(path, found)]));
  return { deployment, mounted, conflicts };
}

/** Selects the programme of a request to a shared path. */
export function selectRoute(shared: SharedRoute, request: RequestHead): Route {
  const { inHeader, wireName, unwrap } = shared.selector;
  const sent = inHeader ? headerValues(request, wireName) : queryValues(request.query, wireName);
  const identifier = sent.length === 1 ? unwrap(sent[0] ?? '') : undefined;
  return shared.byIdentifier.get(identifier ?? '') ?? shared.fallback;
}

function queryValues(query: string, name: string): readonly string[] {
  try {
    return parseForm(query).get(name) ?? [];
  } catch {
    // The endpoint of the default programme reads the query next and answers the failure.
    return [];
  }
}

/**
 * Two equal paths of one programme. The file's checks cannot see paths with the programme's name.
 */
function selfCollision(
  programme: Programme,
  own: readonly (readonly [string, Route])[],
): readonly MountConflict[] {
  const paths = new PathIndex();
  const [twice] = own.flatMap(([path]) => {
    // A pattern gives way to fixed paths, and the file's checks have seen two patterns.
    const found = paths.overlapping(path).filter((at) => at === path || !hasValues(at + path));
    paths.add(path);
    return found;
  });
  if (twice === undefined) return [];
  const message = `two of its own endpoints answer at ${twice}: give one of them another path`;
  return [{ programme, path: twice, other: programme, message }];
}

function collision(
  path: string,
  programme: Programme,
  { programme: other }: Route,
  at: string,
): readonly MountConflict[] {
  const message =
    at !== path && hasValues(at + path)
      ? `${other.id} answers at ${at} already, and one path can be that and ${path}: give one of them another base_path`
      : ambiguity(path, programme, programme.selectors.get(path), other);
  return message === undefined ? [] : [{ programme, path, other, message }];
}

function ambiguity(
  path: string,
  programme: Programme,
  selector: SelectorRule | undefined,
  other: Programme,
): string | undefined {
  const theirs = other.selectors.get(path);
  if (selector === undefined || theirs === undefined) {
    return `${other.id} answers at ${path} already: give one of them another base_path, or both a selector`;
  }
  const [own, others] = [describeSelector(selector), describeSelector(theirs)];
  if (own !== others) {
    return `${other.id} answers at ${path} too, but is told apart by the ${others}, not the ${own}`;
  }
  if (programme.identifier === other.identifier) {
    return `${other.id} answers at ${path} too and has the same programme_identifier "${other.identifier}"`;
  }
  if (selector.isDefault && theirs.isDefault) {
    return `${other.id} is the default at ${path} already: only one can be`;
  }
  return undefined;
}

function describeSelector({ inHeader, wireName, scheme }: SelectorRule): string {
  return `${inHeader ? 'header' : 'query'} "${wireName}"${scheme === undefined ? '' : ` with the scheme "${scheme}"`}`;
}

function withoutDefault(routes: ReadonlyMap<string, readonly Route[]>): MountConflict[] {
  for (const [path, found] of routes) {
    const programmes = found.map(({ programme }) => programme);
    const [first] = programmes;
    if (first === undefined || found.length < 2) continue;
    if (programmes.some((programme) => programme.selectors.get(path)?.isDefault === true)) continue;
    const names = programmes.map(({ id }) => id).join(' and ');
    const message = `${names} share ${path}, but none of them has selector.default: true`;
    return programmes.map((programme) => ({ programme, path, other: first, message }));
  }
  return [];
}

function joined(path: string, found: readonly Route[]): Route | SharedRoute {
  const [only] = found;
  if (only === undefined) throw new Error(`nothing is mounted at ${path}`);
  if (found.length === 1) return only;
  const isDefault = (route: Route): boolean =>
    route.programme.selectors.get(path)?.isDefault === true;
  const fallback = found.find(isDefault) ?? only;
  const selector = fallback.programme.selectors.get(path);
  if (selector === undefined) throw new Error(`${path} is shared without a selector`);
  const byIdentifier = new Map(found.map((route) => [route.programme.identifier, route]));
  return { kind: 'shared', selector, byIdentifier, fallback };
}
