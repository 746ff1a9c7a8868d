// Owns what a departure of several keys is, and finding those of one key, which stand in its entry of the schema;
// departures in what requests a dialect takes, and in how clients prove themselves.

import { authenticationAt, readsHeader } from '../../language/client_schema.ts';
import { type Definition, definitionSchema } from '../../language/definition.ts';
import { type EndpointDefinition, placesOf } from '../../language/input_schema.ts';
import { knownInput } from '../../language/known_inputs.ts';
import type { Path } from '../../lib/fault.ts';
import { grantRows } from '../../oauth/grant.ts';
import {
  type RedirectableLoginFailure,
  loginErrorCode,
  redirectableLoginReasons,
} from '../../oauth/login_reasons.ts';
import { privateKeyJwt } from '../../oauth/methods.ts';
import { takesAssertions } from '../../programme/requests/assertion_terms.ts';
import { endpointsOf, grantsAt } from '../../programme/requests/grant_places.ts';
import { type Complaint, wrong } from '../../schema/faults.ts';
import { keyValues, keysOf } from '../../schema/keys.ts';
import type { KeyDeparture } from '../../schema/notes.ts';
import { endpointsIn } from '../endpoints.ts';

/**
 * A departure that no key makes by itself: the message cites the RFC, the hint says what limits the risk or how to
 * mend it.
 */
export type JoinedDeparture = Pick<KeyDeparture<never>, 'isQuiet'> & (Finder | Plain);

interface Finder {
  readonly find: (definition: Definition) => Iterable<Complaint>;
}

/** One of a single place, and of the same words for every file. */
interface Plain extends Pick<KeyDeparture<never>, 'message'> {
  readonly when: (definition: Definition) => boolean;
  readonly at: Path;
  readonly hint: string;
}

export function joinedComplaints(
  departure: JoinedDeparture,
  definition: Definition,
): Iterable<Complaint> {
  if ('find' in departure) return departure.find(definition);
  const { when, at, message, hint } = departure;
  return when(definition) ? [[at, message, hint]] : [];
}

/** The departures that each key can make by itself, in the order of the schema. */
export const departuresOfKeys: readonly KeyDeparture<never>[] = keysOf(definitionSchema).flatMap(
  ({ entry }) => entry.docs?.departs ?? [],
);

/** Every departure that a key of the file makes by itself, with its name. */
export function* keyDepartures(
  definition: Definition,
): Iterable<readonly [name: string, complaint: Complaint]> {
  for (const { entry, value, at } of keyValues(definition, definitionSchema)) {
    for (const { name, when, message, hint } of entry.docs?.departs ?? []) {
      if (!when(value, at)) continue;
      yield [name, [at.path, message, typeof hint === 'string' ? hint : hint(value, at)]];
    }
  }
}

/** Whether clients authenticate by assertions. */
function signs({ client }: Definition): boolean {
  return client.authentication.methods.includes(privateKeyJwt);
}

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
    when: ({ authorize }) => authorize.endpoint.inputs['state'] === undefined,
    at: loginInputsAt,
    message: 'no state is sent back, so partners cannot tell a forged callback (RFC 6749 4.1.2)',
    hint: 'codes go to registered redirect URIs only and are bound to their client',
  },

  code_without_redirect_uri: {
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
    when: ({ id_token: identity, authorize }) =>
      identity !== undefined && authorize.endpoint.inputs['nonce'] === undefined,
    at: loginInputsAt,
    message: 'identity tokens name no nonce of the login request (OpenID Connect Core 3.1.2.1)',
    hint: 'clients that send one refuse the identity token: add nonce: {}',
  },

  no_prompt: {
    when: ({ id_token: identity, authorize }) =>
      identity !== undefined && authorize.endpoint.inputs['prompt'] === undefined,
    at: loginInputsAt,
    message: 'prompt=none shows the login page (OpenID Connect Core 3.1.2.1)',
    hint: 'add prompt: {}, so that it is answered with login_required',
  },

  resource_unread: {
    isQuiet: true,
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

  other_scheme: {
    find: ({ client: { authentication } }) =>
      wrong([
        authentication.scheme !== 'Basic' && readsHeader(authentication),
        ['client', 'authentication', 'scheme'],
        `credentials come after the word ${authentication.scheme} in place of Basic (RFC 7617 2)`,
        'they are decoded as strictly as with it',
      ]),
  },

  assertion_replay: {
    find: (definition) => {
      const { jti } = definition.client.authentication.assertion;
      // Left out, it is required of a client_assertion alone.
      const isOptional =
        jti === 'optional' || (jti === undefined && definition.grants.jwt_bearer !== undefined);
      const at = ['client', 'authentication', 'assertion', 'jti'];
      return wrong(
        [
          takesAssertions(definition) && isOptional,
          at,
          'an assertion without jti is good again until it ends (RFC 7523 3, OpenID Connect Core 9)',
          'write jti: required, or keep longest short; an assertion with jti is good once in any case',
        ],
        [
          takesAssertions(definition) && jti === 'repeatable',
          at,
          'an assertion is good again until it ends, for whoever has it (RFC 7523 3, OpenID Connect Core 9)',
          'write jti: required, or keep longest short; one that was used under another jti stays used',
        ],
      );
    },
  },

  assertion_type_unread: {
    isQuiet: true,
    *find(definition) {
      for (const [at, { inputs }] of signs(definition) ? endpointsIn(definition) : []) {
        yield* wrong([
          inputs['client_assertion'] !== undefined && inputs['client_assertion_type'] === undefined,
          [...at, 'inputs'],
          'a client_assertion is taken whatever its client_assertion_type says (RFC 7523 2.2)',
          'add client_assertion_type: {}',
        ]);
      }
    },
  },

  subject_token_type_unread: {
    isQuiet: true,
    *find(definition) {
      for (const [name, { inputs }] of endpointsOf(definition, 'token_exchange')) {
        yield* wrong([
          inputs['subject_token_type']?.required !== true,
          ['token_endpoints', name, 'inputs'],
          'a subject_token is taken without its subject_token_type (RFC 8693 2.1)',
          'add subject_token_type with required: true and the allowed types',
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
