// Owns departures in what requests a dialect takes: how endpoints read them, and how login requests fail.

import { authenticationAt } from '../../language/client_schema.ts';
import type { Definition } from '../../language/definition.ts';
import { type EndpointDefinition, placesOf } from '../../language/input_schema.ts';
import { knownInput } from '../../language/known_inputs.ts';
import type { Path } from '../../lib/fault.ts';
import { grantRows } from '../../oauth/grant.ts';
import {
  loginErrorCode,
  type RedirectableLoginFailure,
  redirectableLoginReasons,
} from '../../oauth/login_reasons.ts';
import { endpointsOf, grantsAt } from '../../programme/requests/grant_places.ts';
import { wrong } from '../../schema/faults.ts';
import { endpointsIn } from '../endpoints.ts';
import type { JoinedDeparture } from './departure.ts';

const loginInputsAt: Path = ['authorize', 'endpoint', 'inputs'];

/** The failures for which RFC 6749 4.1.2.1 has a code, with the code. */
const loginErrors = Object.keys(redirectableLoginReasons).flatMap((name) => {
  const reason = name as RedirectableLoginFailure;
  const code = loginErrorCode(reason);
  return code === undefined ? [] : [[reason, code] as const];
});

/** By the stable name of the warning. */
export const requestDepartures: Readonly<Record<string, JoinedDeparture>> = {
  secrets_in_query: {
    keys: ['endpoint.read', 'client.authentication.methods'],
    *find(definition) {
      for (const [at, endpoint, name] of endpointsIn(definition)) {
        const exposed = name === undefined ? [] : inQuery(secretInputs(definition, name), endpoint);
        yield* wrong([
          exposed.length > 0,
          [...at, 'read'],
          `the query, which proxies and browsers keep, holds ${exposed.join(' and ')} (RFC 6749 2.3.1, RFC 9700 4.3.2)`,
          'queries are never logged here',
        ]);
      }
    },
  },

  renamed_parameters: {
    isQuiet: true,
    keys: ['input.name'],
    *find(definition) {
      for (const [at, { inputs }] of endpointsIn(definition)) {
        const renamed = Object.entries(inputs).filter(
          ([role, { name = role }]) => isStandard(role) && name !== role,
        );
        yield* wrong([
          renamed.length > 0,
          [...at, 'inputs', renamed[0]?.[0] ?? '', 'name'],
          `the wire name of ${wordsOf(renamed)} is not that of the RFC (RFC 6749 4.1.1 and 4.1.3)`,
          'partners of this programme need the client its document describes',
        ]);
      }
    },
  },

  parameters_elsewhere: {
    isQuiet: true,
    keys: ['endpoint.read', 'input.in', 'input.within'],
    *find(definition) {
      for (const [at, { inputs, read }, name] of endpointsIn(definition)) {
        const place = name === undefined ? 'query' : 'form';
        const moved = Object.entries(inputs).filter(
          ([role, { in: own = place, within }]) =>
            isStandard(role) && (own !== place || within !== undefined),
        );
        const [first = ''] = moved[0] ?? [];
        yield* wrong(
          [
            name !== undefined && !read.includes('form'),
            [...at, 'read'],
            'the form that standard clients send is not read here (RFC 6749 4.1.3)',
            'add form',
          ],
          [
            moved.length > 0,
            [...at, 'inputs', first, inputs[first]?.within === undefined ? 'in' : 'within'],
            `${wordsOf(moved)} cannot come in the ${place} (RFC 6749 ${name === undefined ? '4.1.1' : '4.1.3'})`,
            'partners of this programme need the client its document describes',
          ],
        );
      }
    },
  },

  failures_on_pages: {
    isQuiet: true,
    keys: ['authorize.failures'],
    find: ({ authorize, grants }) => {
      const shown = loginErrors
        .map(([reason]) => reason)
        .filter((reason) => 'page' in authorize.failures[reason]);
      return wrong([
        grants.authorization_code !== undefined && shown.length > 0,
        ['authorize', 'failures', shown[0] ?? ''],
        `the partner is not told of ${shown.join(', ')} (RFC 6749 3.1.1 and 4.1.2.1, OpenID Connect Core 3.1.2.2)`,
        'answer it with a redirect, unless the document of the programme has a page',
      ]);
    },
  },

  other_login_errors: {
    isQuiet: true,
    keys: ['login_failure.redirect'],
    find: ({ authorize, grants }) => {
      const other = loginErrors.filter(([reason, code]) => {
        const failure = authorize.failures[reason];
        return 'redirect' in failure && failure.redirect !== code;
      });
      const [[first, code] = ['', '']] = other;
      return wrong([
        grants.authorization_code !== undefined && other.length > 0,
        ['authorize', 'failures', first, 'redirect'],
        `the redirect does not say ${code} for ${first} (RFC 6749 4.1.2.1)`,
        other.length === 1
          ? 'standard clients take it for a failure that they do not know'
          : `standard clients do not know it, nor what stands for ${wordsOf(other.slice(1))}`,
      ]);
    },
  },

  no_state: {
    keys: ['endpoint.inputs'],
    find: ({ authorize }) =>
      wrong([
        authorize.endpoint.inputs['state'] === undefined,
        loginInputsAt,
        'no state is sent back, so partners cannot tell a forged callback (RFC 6749 4.1.2)',
        'codes go to registered redirect URIs only and are bound to their client',
      ]),
  },

  code_without_redirect_uri: {
    keys: ['endpoint.inputs', 'grants.authorization_code'],
    *find(definition) {
      for (const [name, { inputs }] of endpointsOf(definition, 'authorization_code')) {
        yield* wrong([
          inputs['redirect_uri'] === undefined,
          ['token_endpoints', name, 'inputs'],
          'a code is redeemed without its redirect URI (RFC 6749 4.1.3)',
          'codes are bound to client and redirect URI and live for minutes',
        ]);
      }
    },
  },

  no_nonce: {
    keys: ['endpoint.inputs', 'id_token'],
    find: ({ id_token: identity, authorize }) =>
      wrong([
        identity !== undefined && authorize.endpoint.inputs['nonce'] === undefined,
        loginInputsAt,
        'identity tokens name no nonce of the login request (OpenID Connect Core 3.1.2.1)',
        'clients that send one refuse the identity token: add nonce: {}',
      ]),
  },

  no_prompt: {
    keys: ['endpoint.inputs', 'id_token'],
    find: ({ id_token: identity, authorize }) =>
      wrong([
        identity !== undefined && authorize.endpoint.inputs['prompt'] === undefined,
        loginInputsAt,
        'prompt=none shows the login page (OpenID Connect Core 3.1.2.1)',
        'add prompt: {}, so that it is answered with login_required',
      ]),
  },

  resource_unread: {
    isQuiet: true,
    keys: ['resources', 'endpoint.inputs'],
    *find(definition) {
      const { resources, grants } = definition;
      for (const [at, { inputs }, name] of endpointsIn(definition)) {
        const isUsed = name !== undefined || grants.authorization_code !== undefined;
        yield* wrong([
          resources.length > 0 && isUsed && inputs['resource'] === undefined,
          [...at, 'inputs'],
          'a resource that is asked for here is ignored (RFC 8707 2)',
          'the token is not for that API, which refuses it: add resource: {}',
        ]);
      }
    },
  },

  password_in_query: {
    keys: ['endpoint.read', 'endpoint.inputs'],
    *find(definition) {
      for (const [name, endpoint] of endpointsOf(definition, 'password')) {
        const exposed = inQuery(grantRows.password.needs, endpoint);
        yield* wrong([
          exposed.length > 0,
          ['token_endpoints', name, 'inputs'],
          `the credentials of members stand in the query (${exposed.join(', ')}): proxies, gateways and partners keep addresses in their logs (RFC 6749 4.3.2)`,
          'give the grant an endpoint that reads a form',
        ]);
      }
    },
  },
};

/** Those of the inputs that an endpoint reads from the query. */
function inQuery(roles: readonly string[], endpoint: EndpointDefinition): readonly string[] {
  return roles.filter((role) => {
    const input = endpoint.inputs[role];
    const places = input === undefined ? [] : placesOf(input, endpoint);
    return places.includes('query') || places.includes('path');
  });
}

/** Inputs of a token endpoint that an attacker could use. */
function secretInputs(definition: Definition, endpoint: string): readonly string[] {
  const served = grantsAt(definition, endpoint);
  // password_in_query warns of passwords.
  const needed = served.flatMap((type) => (type === 'password' ? [] : grantRows[type].needs));
  const at = definition.token_endpoints[endpoint];
  const methods = at === undefined ? [] : authenticationAt(definition, at).methods;
  return [
    ...needed,
    ...(methods.includes('parameters') ? ['client_secret'] : []),
    ...(methods.includes('own_token') ? ['client_token'] : []),
  ];
}

/** Whether an RFC has the input. */
function isStandard(role: string): boolean {
  const known = knownInput(role);
  return known !== undefined && known.isOurs !== true;
}

/** The first member of each row, in words. */
function wordsOf(rows: readonly (readonly [name: string, ...unknown[]])[]): string {
  return rows.map(([name]) => name).join(', ');
}
