// Owns what may be said of a client in options, and what is wrong with it. No store here.

import { quote } from '../../lib/fault.ts';
import type { Client, Role, ThrottleLimit } from '../../oauth/client.ts';
import { redirectUriFault } from '../../oauth/redirect_uri.ts';
import { refuseUsage } from '../exit.ts';
import {
  businessContextFault,
  nameFault,
  partnerIdFault,
  propertyNameFault,
  propertyValueFault,
  readThrottle,
} from './client_rules.ts';

/** The options as they were typed. */
export interface ClientOptions {
  readonly name: string;
  readonly redirectUri?: readonly string[];
  readonly insecureRedirectUri?: readonly string[];
  readonly role?: readonly Role[];
  readonly businessContext?: string;
  readonly partnerId?: string;
  readonly throttleLimit?: string;
  readonly throttleWindow?: string;
  readonly property?: readonly string[];
}

export type ClientFields = Pick<
  Client,
  'name' | 'roles' | 'redirectUris' | 'businessContext' | 'partnerId' | 'throttle' | 'properties'
>;

/** A client's fields by its options; throws a usage error that names every fault at once. */
export function readClientFields(options: ClientOptions): ClientFields {
  const { name, redirectUri = [], insecureRedirectUri = [], role = [] } = options;
  const { businessContext, partnerId } = options;
  const redirectUris = [...redirectUri, ...insecureRedirectUri];
  const throttle = throttleOf(options);
  refuseUsage([
    ...faultsOf('--name', nameFault, name),
    ...redirectUriFaults('--redirect-uri', redirectUri),
    ...insecureUriFaults(insecureRedirectUri),
    ...returnFaults(role, redirectUris),
    ...faultsOf('--business-context', businessContextFault, businessContext),
    ...faultsOf('--partner-id', partnerIdFault, partnerId),
    ...throttleFaults(options),
    ...propertyFaults(options.property),
  ]);
  return {
    name,
    roles: [...new Set(role)],
    redirectUris: [...new Set(redirectUris)],
    properties: propertiesOf(options.property),
    ...(businessContext === undefined ? {} : { businessContext }),
    ...(partnerId === undefined ? {} : { partnerId }),
    ...(throttle === undefined ? {} : { throttle }),
  };
}

/** What a rule has against an option's value; nothing where the option was not given. */
export function faultsOf(
  option: string,
  rule: (value: string) => string | undefined,
  value: string | undefined,
): readonly string[] {
  const reason = value === undefined ? undefined : rule(value);
  return reason === undefined ? [] : [`${option} ${reason}`];
}

/** RFC 9700 2.6, HOSTILE 7: what is registered is where codes are sent. */
export function redirectUriFaults(option: string, uris: readonly string[] = []): readonly string[] {
  const rule = (uri: string): string | undefined => redirectUriFault(uri);
  return uris.flatMap((uri) => faultsOf(`${option} ${quote(uri)}`, rule, uri));
}

/** What is wrong with redirect URIs that are told to be insecure (C-5). */
export function insecureUriFaults(uris: readonly string[] = []): readonly string[] {
  const rule = (uri: string): string | undefined => redirectUriFault(uri, true);
  return uris.flatMap((uri) => faultsOf(`--insecure-redirect-uri ${quote(uri)}`, rule, uri));
}

/** A login that ends nowhere is refused before it begins. */
export function returnFaults(roles: readonly Role[], uris: readonly string[]): readonly string[] {
  return roles.includes('member') && uris.length === 0
    ? ['--role member needs a --redirect-uri, where members return to after a login']
    : [];
}

type ThrottleOptions = Pick<ClientOptions, 'throttleLimit' | 'throttleWindow'>;

export function throttleFaults(options: ThrottleOptions): readonly string[] {
  const { throttleLimit: limit, throttleWindow: window } = options;
  if (limit === undefined && window === undefined) return [];
  if (limit === undefined || window === undefined) {
    return ['--throttle-limit and --throttle-window go together'];
  }
  const throttle = readThrottle(limit, window);
  return 'part' in throttle ? [`--throttle-${throttle.part} ${throttle.reason}`] : [];
}

/** The limit that was asked for, if it was, and if nothing is wrong with it. */
export function throttleOf(options: ThrottleOptions): ThrottleLimit | undefined {
  const { throttleLimit: limit, throttleWindow: window } = options;
  if (limit === undefined || window === undefined) return undefined;
  const throttle = readThrottle(limit, window);
  return 'part' in throttle ? undefined : throttle;
}

/** What is wrong with properties that were typed as `name=value`. */
export function propertyFaults(pairs: readonly string[] = []): readonly string[] {
  const names = pairs.map((pair) => splitPair(pair)?.[0]);
  return pairs.flatMap((pair, index) => {
    const [name, value] = splitPair(pair) ?? [];
    if (name === undefined || value === undefined) {
      return [`--property must be name=value, not ${quote(pair)}`];
    }
    if (names.indexOf(name) < index) return [`--property ${quote(name)} is given twice`];
    return [
      ...faultsOf('--property: the name', propertyNameFault, name),
      ...faultsOf(`--property ${quote(name)}: the value`, propertyValueFault, value),
    ];
  });
}

export function propertiesOf(pairs: readonly string[] = []): Client['properties'] {
  const parts = pairs.map(splitPair).filter((pair) => pair !== undefined);
  return Object.fromEntries(parts);
}

/** A value may hold `=` itself. */
function splitPair(pair: string): readonly [name: string, value: string] | undefined {
  const end = pair.indexOf('=');
  return end < 0 ? undefined : [pair.slice(0, end), pair.slice(end + 1)];
}
