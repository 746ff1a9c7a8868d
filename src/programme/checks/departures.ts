// Owns the warnings about requests that depart from RFC 6749 and RFC 9700, and how Jetway limits
// the risk. A departure is allowed: the dialect is the contract.

import { positionAt } from '../../lib/document.ts';
import type { Path } from '../../lib/fault.ts';
import type { YamlNode } from '../../lib/yaml/yaml.ts';
import { isHeaderMethod } from '../../oauth/client.ts';
import type { FailureReason } from '../../oauth/failure.ts';
import { grantInputs, grantTypes } from '../../oauth/grant.ts';
import { type Complaint, wrong } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import { type EndpointDefinition, placesOf } from '../language/input_schema.ts';
import { endpointsOf, grantsAt } from '../requests/grant_places.ts';
import { endpointsIn } from './endpoints.ts';

export function* departures(definition: Definition): Iterable<Complaint> {
  yield* endpointDepartures(definition);
  yield* clientDepartures(definition);
  yield* loginDepartures(definition);
  yield* passwordDepartures(definition);
  yield* unlimitedGuesses(definition);
  yield* lifetimeDepartures(definition);
}

function* endpointDepartures(definition: Definition): Iterable<Complaint> {
  for (const [at, endpoint, name] of endpointsIn(definition)) {
    const { methods, repeated } = endpoint;
    const exposed = name === undefined ? [] : inQuery(secretInputs(definition, name), endpoint);
    yield* wrong(
      [
        name !== undefined && methods.includes('GET'),
        [...at, 'methods'],
        'tokens are issued on GET (RFC 6749 3.2)',
        'answers carry no-store and queries are never logged',
      ],
      [
        exposed.length > 0,
        [...at, 'read'],
        `the query, which proxies and browsers keep, holds ${exposed.join(' and ')} (RFC 6749 2.3.1, RFC 9700 4.2.4)`,
        'queries are never logged here',
      ],
      [
        repeated !== 'refuse',
        [...at, 'repeated'],
        'a parameter sent more than once is not refused (RFC 6749 3.1 and 3.2)',
        `the ${repeated} value counts, whatever stands between client and service`,
      ],
    );
  }
}

function inQuery(roles: readonly string[], endpoint: EndpointDefinition): readonly string[] {
  return roles.filter((role) => {
    const input = endpoint.inputs[role];
    return input !== undefined && placesOf(input, endpoint).includes('query');
  });
}

/** Inputs of a token endpoint that an attacker could use. */
function secretInputs(definition: Definition, endpoint: string): readonly string[] {
  const served = grantsAt(definition, endpoint);
  // passwordDepartures warns of passwords.
  const needed = served.flatMap((type) => (type === 'password' ? [] : grantInputs[type].needs));
  const { methods } = definition.client.authentication;
  return methods.includes('parameters') ? [...needed, 'client_secret'] : needed;
}

function clientDepartures({ client }: Definition): Iterable<Complaint> {
  const { methods, credentials } = client.authentication;
  const at: Path = ['client', 'authentication', 'methods'];
  return wrong(
    [
      methods.includes('bare_basic'),
      at,
      'credentials are taken without the scheme Basic (RFC 7617 2)',
      'they are decoded as strictly as with it',
    ],
    [
      methods.includes('parameters'),
      at,
      'client secrets are taken as parameters (RFC 6749 2.3.1)',
      'bodies are never logged, and header and parameter together are refused',
    ],
    [
      credentials === 'raw' && methods.some(isHeaderMethod),
      ['client', 'authentication', 'credentials'],
      'identifier and secret are taken as they are, not form-encoded (RFC 6749 2.3.1)',
      'identifiers and secrets that Jetway makes are the same in both',
    ],
  );
}

function* loginDepartures(definition: Definition): Iterable<Complaint> {
  const { authorize } = definition;
  yield* wrong(
    [
      authorize.pkce === 'off',
      ['authorize', 'pkce'],
      'proof keys for codes are not supported (RFC 9700 2.1.1)',
      'codes are bound to client and redirect URI and need the client secret',
    ],
    [
      authorize.endpoint.inputs['state'] === undefined,
      ['authorize', 'endpoint', 'inputs'],
      'no state is sent back, so partners cannot tell a forged callback (RFC 6749 4.1.2)',
      'codes go to registered redirect URIs only and are bound to their client',
    ],
  );
  for (const [name, { inputs }] of endpointsOf(definition, 'authorization_code')) {
    if (inputs['redirect_uri'] !== undefined) continue;
    yield [
      ['token_endpoints', name, 'inputs'],
      'a code is redeemed without its redirect URI (RFC 6749 4.1.3)',
      'codes are bound to client and redirect URI and live for minutes',
    ];
  }
}

/** P-9: the risks of the password grant, which the shipped programmes do not offer. */
function* passwordDepartures(definition: Definition): Iterable<Complaint> {
  const places = endpointsOf(definition, 'password');
  if (places.length === 0) return;
  yield [
    ['grants', 'password'],
    'partners see the passwords of members, who learn to type them anywhere (RFC 9700 2.4)',
    'the directory is asked as by the login page, and passwords are never logged',
  ];
  for (const [name, endpoint] of places) {
    const exposed = inQuery(grantInputs.password.needs, endpoint);
    if (exposed.length === 0) continue;
    yield [
      ['token_endpoints', name, 'inputs'],
      `the credentials of members stand in the query (${exposed.join(', ')}): proxies, gateways and partners keep addresses in their logs (RFC 9700 4.2.4)`,
      'give the grant an endpoint that reads a form',
    ];
  }
  yield* wrong([
    definition.throttle === 'off',
    ['grants', 'password'],
    'nothing limits how many passwords a partner can try (RFC 6749 4.3.2)',
    'set throttle; the address of a partner stands for all of its customers and is not counted',
  ]);
}

/** HOSTILE 65: a warning for each limit on guesses that is off. */
function* unlimitedGuesses({ login, client }: Definition): Iterable<Complaint> {
  const { failure_limit: ofClient } = client.authentication;
  const remedy = 'leave it out for the usual limit, unless something in front of Jetway has one';
  for (const [path, limit, what] of [
    ['login.lockout', login.lockout, 'wrong passwords for one username'],
    ['login.address_limit', login.address_limit, 'failed logins from one address'],
    ['client.authentication.failure_limit', ofClient, 'wrong secrets for one client'],
  ] as const) {
    if (limit !== 'off') continue;
    yield [path.split('.'), `nothing limits ${what} (RFC 6749 10.10)`, remedy];
  }
}

const day = 86_400_000;

function* lifetimeDepartures({ tokens, grants }: Definition): Iterable<Complaint> {
  const lifetimes: (readonly [Path, number | undefined])[] = [
    [['tokens', 'access', 'lifetime'], tokens.access.lifetime],
    ...grantTypes.map(
      (type) => [['grants', type, 'access_lifetime'], grants[type]?.access_lifetime] as const,
    ),
  ];
  for (const [at, lifetime = 0] of lifetimes) {
    yield* wrong([
      lifetime > day,
      at,
      'access tokens live for more than a day (RFC 9700 2.2.1)',
      'revocation and disabled clients count at every verification',
    ]);
  }
}

/** Reasons whose failures name no parameter. */
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

/** `{parameter}` in the text of a failure that names none; one warning for a whole group. */
export function* idleParameters({ errors }: Definition, document: YamlNode): Iterable<Complaint> {
  const told = nameless
    .filter((reason) => errors.reasons[reason].error_description?.includes('{parameter}'))
    .map((reason) => ({ reason, path: ['errors', 'reasons', reason, 'error_description'] }));
  const places = Map.groupBy(told, ({ path }) => JSON.stringify(positionAt(document, path)));
  for (const group of places.values()) {
    const reasons = group.map(({ reason }) => reason).join(', ');
    const message = `no parameter is at fault in ${reasons}: {parameter} stands for nothing there`;
    yield [group[0]?.path ?? [], message];
  }
}
