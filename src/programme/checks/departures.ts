// Owns the warnings of `check`: where a dialect departs from RFC 6749 and RFC 9700, and what
// Jetway does to contain it. A departure is allowed: the dialect is the contract. With them come the
// slips of the pen that cannot be told from what was meant.

import { positionAt } from '../../lib/document.ts';
import type { Fault, Path } from '../../lib/fault.ts';
import type { YamlNode } from '../../lib/yaml/yaml.ts';
import type { FailureReason } from '../../oauth/failure.ts';
import { grantInputs, grantTypes } from '../../oauth/grant.ts';
import type { Complaint, Departure } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import { type EndpointDefinition, placesOf } from '../language/input_schema.ts';
import { endpointsOf, grantsAt } from '../requests/grant_places.ts';
import { answerDepartures } from './answer_departures.ts';
import { guessingDepartures } from './guessing_departures.ts';
import { nameWarnings } from './name_slips.ts';
import { levelWarnings } from './scope_consistency.ts';

export function departures(definition: Definition, document: YamlNode): readonly Fault[] {
  const found = [
    ...endpointDepartures(definition),
    ...authenticationDepartures(definition),
    ...loginDepartures(definition),
    ...passwordDepartures(definition),
    ...guessingDepartures(definition),
    ...answerDepartures(definition),
    ...lifetimeDepartures(definition),
  ];
  const departing = found.map(([path, what, section, contained]): Complaint => [
    path,
    `${what} (${section})`,
    contained,
  ]);
  return [
    ...[...departing, ...levelWarnings(definition), ...nameWarnings(definition)].map(
      ([path, message, hint = '']): Fault => ({
        severity: 'warning',
        at: positionAt(document, path),
        path: path.join('.'),
        message,
        hint,
      }),
    ),
    ...idleParameters(definition, document),
  ];
}

/** Reasons that are told without any name of a parameter. */
const nameless: readonly FailureReason[] = [
  'method_not_allowed',
  'body_too_large',
  'malformed_body',
  'client_authentication_failed',
  'grant_not_allowed',
  'throttled',
  'invalid_code',
  'invalid_refresh_token',
  'invalid_member_credentials',
  'server_error',
  'temporarily_unavailable',
];

/** `{parameter}` where nothing can stand for it; one warning where a group says it of many. */
function idleParameters({ errors }: Definition, document: YamlNode): readonly Fault[] {
  const places = Map.groupBy(
    nameless.filter((reason) => errors.reasons[reason].error_description?.includes('{parameter}')),
    (reason) =>
      JSON.stringify(positionAt(document, ['errors', 'reasons', reason, 'error_description'])),
  );
  return [...places.values()].map((reasons) => {
    const [first = 'throttled'] = reasons;
    const path = ['errors', 'reasons', first, 'error_description'];
    return {
      severity: 'warning',
      at: positionAt(document, path),
      path: path.join('.'),
      message: `no parameter is at fault in ${reasons.join(', ')}: {parameter} stands for nothing there`,
    };
  });
}

function* endpointDepartures(definition: Definition): Iterable<Departure> {
  for (const [name, endpoint] of Object.entries(definition.token_endpoints)) {
    const at: Path = ['token_endpoints', name];
    if (endpoint.methods.includes('GET')) {
      yield [
        [...at, 'methods'],
        'tokens are issued on GET',
        'RFC 6749 3.2',
        'answers carry no-store and queries are never logged',
      ];
    }
    const exposed = secretInputs(definition, name).filter((role) => isInQuery(role, endpoint));
    if (exposed.length > 0) {
      yield [
        [...at, 'read'],
        `the query, which proxies and browsers keep, holds ${exposed.join(' and ')}`,
        'RFC 6749 2.3.1, RFC 9700 4.2.4',
        'queries are never logged here',
      ];
    }
    yield* repetitionDepartures(at, endpoint);
  }
  yield* repetitionDepartures(['authorize', 'endpoint'], definition.authorize.endpoint);
}

function isInQuery(role: string, endpoint: EndpointDefinition): boolean {
  const input = endpoint.inputs[role];
  return input !== undefined && placesOf(input, endpoint).includes('query');
}

/** Inputs of a token endpoint that are worth stealing. */
function secretInputs(definition: Definition, endpoint: string): string[] {
  const served = grantsAt(definition, endpoint);
  // Of passwords more is to be said: passwordDepartures says it.
  const needed = served.flatMap((type) => (type === 'password' ? [] : grantInputs[type].needs));
  const { methods } = definition.client.authentication;
  return methods.includes('parameters') ? [...needed, 'client_secret'] : needed;
}

function* repetitionDepartures(at: Path, endpoint: EndpointDefinition): Iterable<Departure> {
  if (endpoint.repeated === 'refuse') return;
  yield [
    [...at, 'repeated'],
    'a parameter sent more than once is not refused',
    'RFC 6749 3.1 and 3.2',
    `the ${endpoint.repeated} value counts, whatever stands between client and service`,
  ];
}

function* authenticationDepartures({ client }: Definition): Iterable<Departure> {
  const { methods, credentials } = client.authentication;
  const at: Path = ['client', 'authentication', 'methods'];
  if (methods.includes('bare_basic')) {
    yield [
      at,
      'credentials are taken without the scheme Basic',
      'RFC 7617 2',
      'they are decoded as strictly as with it',
    ];
  }
  if (methods.includes('parameters')) {
    yield [
      at,
      'client secrets are taken as parameters',
      'RFC 6749 2.3.1',
      'bodies are never logged, and header and parameter together are refused',
    ];
  }
  if (methods.some((method) => method !== 'parameters') && credentials === 'raw') {
    yield [
      ['client', 'authentication', 'credentials'],
      'identifier and secret are taken as they are, not form-encoded',
      'RFC 6749 2.3.1',
      'identifiers and secrets that Jetway makes are the same in both',
    ];
  }
}

function* loginDepartures(definition: Definition): Iterable<Departure> {
  const { authorize } = definition;
  if (authorize.pkce === 'off') {
    yield [
      ['authorize', 'pkce'],
      'proof keys for codes are not supported',
      'RFC 9700 2.1.1',
      'codes are bound to client and redirect URI and need the client secret',
    ];
  }
  if (authorize.endpoint.inputs['state'] === undefined) {
    yield [
      ['authorize', 'endpoint', 'inputs'],
      'no state is sent back, so partners cannot tell a forged callback',
      'RFC 6749 4.1.2',
      'codes go to registered redirect URIs only and are bound to their client',
    ];
  }
  for (const [name, { inputs }] of endpointsOf(definition, 'authorization_code')) {
    if (inputs['redirect_uri'] !== undefined) continue;
    yield [
      ['token_endpoints', name, 'inputs'],
      'a code is redeemed without its redirect URI',
      'RFC 6749 4.1.3',
      'codes are bound to client and redirect URI and live for minutes',
    ];
  }
}

/** P-9: what comes with the password grant, which the shipped programmes do without. */
function* passwordDepartures(definition: Definition): Iterable<Departure> {
  const places = endpointsOf(definition, 'password');
  if (places.length === 0) return;
  yield [
    ['grants', 'password'],
    'partners see the passwords of members, who learn to type them anywhere',
    'RFC 9700 2.4',
    'the directory is asked as by the login page, and passwords are never logged',
  ];
  for (const [name, endpoint] of places) {
    const exposed = grantInputs.password.needs.filter((role) => isInQuery(role, endpoint));
    if (exposed.length === 0) continue;
    yield [
      ['token_endpoints', name, 'inputs'],
      `the credentials of members stand in the query (${exposed.join(', ')}): proxies, gateways and partners keep addresses in their logs`,
      'RFC 9700 4.2.4',
      'give the grant an endpoint that reads a form',
    ];
  }
  if (definition.throttle === 'off') {
    yield [
      ['grants', 'password'],
      'nothing limits how many passwords a partner can try',
      'RFC 6749 4.3.2',
      'set throttle; the address of a partner stands for all of its customers and is not counted',
    ];
  }
}

const day = 86_400_000;

function* lifetimeDepartures({ tokens, grants }: Definition): Iterable<Departure> {
  const lifetimes: (readonly [Path, number | undefined])[] = [
    [['tokens', 'access', 'lifetime'], tokens.access.lifetime],
    ...grantTypes.map(
      (type) => [['grants', type, 'access_lifetime'], grants[type]?.access_lifetime] as const,
    ),
  ];
  for (const [at, lifetime] of lifetimes) {
    if (lifetime === undefined || lifetime <= day) continue;
    yield [
      at,
      'access tokens live for more than a day',
      'RFC 9700 2.2.1',
      'revocation and disabled clients count at every verification',
    ];
  }
}
