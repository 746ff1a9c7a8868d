// Owns the checks of how long codes and tokens live: no token outlives its login, and refresh tokens are
// brought by grants that can bring them.

import type { Definition } from '../language/definition.ts';
import { writtenValues } from '../language/value_tree.ts';
import { milliseconds } from '../lib/clock.ts';
import { formatDuration } from '../lib/duration.ts';
import { type GrantType, grantTypes } from '../oauth/grant.ts';
import { choosable, longestRequested } from '../programme/requests/choices.ts';
import { grantsAt } from '../programme/requests/grant_places.ts';
import { compileInput } from '../programme/requests/inputs.ts';
import { type Complaint, wrong } from '../schema/faults.ts';

export function lifetimeComplaints({ code, tokens }: Definition): Iterable<Complaint> {
  const { lifetime, longest } = tokens.refresh;
  return wrong(
    [
      lifetime > longest,
      ['tokens', 'refresh', 'lifetime'],
      'a refresh token cannot live longer than tokens.refresh.longest',
      'set longest, too: how long a login lasts in all',
    ],
    [code.lifetime > 600_000, ['code', 'lifetime'], 'a code may live 10m at most (RFC 6749 4.1.2)'],
  );
}

/** What a request can choose, and whether it can. */
export function* requestedComplaints(definition: Definition): Iterable<Complaint> {
  const { tokens, token_endpoints: endpoints, token_response: response } = definition;
  const { requested } = tokens.access;
  const at = ['tokens', 'access', 'requested'];
  const reading = Object.entries(endpoints).filter(
    ([, { inputs }]) => inputs['access_lifetime'] !== undefined,
  );
  if (requested === undefined) {
    for (const [name] of reading) {
      yield [
        ['token_endpoints', name, 'inputs', 'access_lifetime'],
        'tokens.access.requested does not say what lifetimes a request can choose',
        'set its longest, or its words',
      ];
    }
    return;
  }
  const { longest, words, over } = requested;
  const isByNumber = longest !== undefined;
  const [least = '0', most = '0'] = isByNumber ? choosable(requested) : [];
  yield* wrong(
    [
      isByNumber === (words !== undefined && Object.keys(words).length > 0),
      at,
      'a request chooses by a number or by words',
      'set longest or words, and not both',
    ],
    [
      isByNumber && Number(least) > Number(most),
      [...at, 'longest'],
      `no whole number of ${requested.unit ?? 'seconds'} lies between shortest and longest`,
    ],
    ...(['shortest', 'unit', 'over'] as const).map(
      (name) =>
        [
          !isByNumber && requested[name] !== undefined,
          [...at, name],
          'this is about numbers, and requests choose by words',
          'take it out',
        ] as const,
    ),
    [
      reading.length === 0,
      at,
      `no token endpoint reads access_lifetime, so that no request can choose`,
      `add it to the inputs of an endpoint: access_lifetime: { name: expires_in }`,
    ],
  );
  for (const [name, { inputs }] of reading) {
    const { access_lifetime: input = { required: false } } = inputs;
    const { fits } = compileInput('', { ...input, required: false }, '');
    if (input.allowed === undefined && !choosable(requested).every(fits)) {
      const place = ['token_endpoints', name, 'inputs', 'access_lifetime'];
      yield [place, 'this refuses what tokens.access.requested lets a request choose', 'widen it'];
    }
    const grants = grantsAt(definition, name);
    const usualOf = (type: GrantType): number =>
      definition.grants[type]?.access_lifetime ?? tokens.access.lifetime;
    const longer = isByNumber ? grants.filter((type) => usualOf(type) > longest) : [];
    const untold = grants.filter((type) => {
      const told = writtenValues(response.fields, type);
      return !told.has('access_lifetime') && !told.has('access_expires_at');
    });
    yield* wrong(
      [
        longer.length > 0,
        [...at, 'longest'],
        `if a request does not ask, tokens live longer: those of ${longer.join(', ')}`,
        'set it to their lifetime at least',
      ],
      [
        isByNumber && over === 'longest' && untold.length > 0,
        [...at, 'over'],
        `nobody sees that a lifetime is less than was asked for: no access_lifetime is told by ${untold.join(', ')} (RFC 6749 5.1)`,
        'add a field with access_lifetime to token_response.fields, without only, or set this to refuse',
      ],
    );
  }
}

/** Times of refresh tokens; those that nothing brings, or nothing takes. */
export function* refreshComplaints({ grants, tokens, authorize }: Definition): Iterable<Complaint> {
  const { format, lifetime, longest, grace, rotation } = tokens.refresh;
  yield* wrong(
    [grace > 3_600_000, ['tokens', 'refresh', 'grace'], 'a grace window may be 1h at most'],
    [
      rotation !== 'on' && format === 'jwt' && lifetime < longest,
      ['tokens', 'refresh', 'rotation'],
      'if a refresh token stays, each use moves the end of a refresh token, and a JWT cannot change its exp',
      'set lifetime to longest, or format to opaque',
    ],
    [
      rotation === 'with_pkce' && (authorize.pkce === 'off' || !grants.authorization_code),
      ['tokens', 'refresh', 'rotation'],
      'no login here has a PKCE challenge',
      'set authorize.pkce to optional, or this to off',
    ],
  );
  for (const type of grantTypes) {
    if (type === 'jwt_bearer') continue;
    const said = grants[type]?.refresh_token;
    const at = ['grants', type, 'refresh_token'];
    yield* wrong(
      [
        said !== undefined && type === 'refresh_token',
        at,
        'tokens.refresh.rotation says which refresh token a refresh is answered with',
      ],
      [
        said === 'on' && type === 'token_exchange',
        at,
        'an exchange brings no refresh token: the login has one already',
      ],
      [
        said === 'on' && grants.refresh_token === undefined,
        at,
        'a refresh token is of no use here: there is no grant refresh_token',
        'turn it on',
      ],
    );
  }
}

/** Access tokens that their login ends before their own lifetime does. */
export function* lifetimeWarnings({ tokens, grants }: Definition): Iterable<Complaint> {
  const { longest } = tokens.refresh;
  const { requested } = tokens.access;
  const isOwnRefreshed = grants.client_credentials?.refresh_token === 'on';
  const atOwn = new Set<string>();
  for (const type of grantTypes) {
    const grant = grants[type];
    if (grant === undefined || (type === 'client_credentials' && !isOwnRefreshed)) continue;
    const own = grant.access_lifetime;
    if ((own ?? tokens.access.lifetime) > longest) atOwn.add(own === undefined ? '' : type);
  }
  const end = formatDuration(milliseconds(longest));
  const message = `access tokens end with their login, ${end} after it began (tokens.refresh.longest)`;
  const own = grants.client_credentials;
  const isShared = own !== undefined && own.access_lifetime === undefined && !isOwnRefreshed;
  if (requested !== undefined && longestRequested(requested) > longest) {
    const place = requested.words === undefined ? 'longest' : 'words';
    yield [['tokens', 'access', 'requested', place], message];
  }
  for (const type of atOwn) {
    const path =
      type === '' ? ['tokens', 'access', 'lifetime'] : ['grants', type, 'access_lifetime'];
    const hint = "only a client's own, which come from no login, live for so long";
    yield type === '' && isShared ? [path, message, hint] : [path, message];
  }
}
