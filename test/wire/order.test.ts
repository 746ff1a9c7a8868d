// C-8 on the wire: of two faults in a token request the earlier check answers, at each token endpoint.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Role } from '../../src/oauth/client.ts';
import { jsonHeaders, openClub, paths, refused, unknownClient } from '../support/club.ts';
import type { Jetway } from '../support/jetway.ts';
import * as partner from '../support/partner_club.ts';
import { type Answer, ask } from '../support/wire.ts';

type Fields = Readonly<Record<string, string | undefined>>;

/** A request before it is sent; each step's fault spoils a part of it. */
interface Draft {
  path: string;
  method: string;
  headers: Fields;
  /** Which of the clients asks: its identifier names the faults in its registration. */
  roleless: boolean;
  throttled: boolean;
  secret: string;
  scheme: string | undefined;
  fields: Fields;
  /** Parameters after those of `fields`, as text. */
  more: string;
}

/** Steps that spoil the same `part` of a request exclude each other. */
type Step = readonly [
  name: string,
  spoil: (draft: Draft) => Partial<Draft>,
  answer: Answer,
  part?: string,
];

const header = (name: string, value?: string) => (draft: Draft) => ({
  headers: { ...draft.headers, [name]: value },
});

const field = (name: string, value?: string) => (draft: Draft) => ({
  fields: { ...draft.fields, [name]: value },
});

const notFound: Answer = { status: 404, headers: jsonHeaders, body: '{"error":"not_found"}' };

const invalid = (description: string, status = 400, more = {}): Answer =>
  refused(status, { error: 'invalid_request', error_description: description }, more);

const executiveSteps: readonly Step[] = [
  ['path', ({ path }) => ({ path: `${path}s` }), notFound],
  ['method', () => ({ method: 'PUT' }), invalid('method not allowed', 405, { allow: 'POST' })],
  [
    'media type',
    header('content-type', 'text/plain'),
    invalid('Content-Type must be application/x-www-form-urlencoded'),
  ],
  ['size', field('padding', 'x'.repeat(65_536)), invalid('the request body is too large', 413)],
  [
    'repeated parameter',
    () => ({ more: '&redirect_uri=a&redirect_uri=a' }),
    invalid('redirect_uri is repeated'),
  ],
  [
    'authentication header',
    () => ({ scheme: 'Bearer' }),
    refused(400, { error: 'invalid_client' }),
    'authorization',
  ],
  [
    'required header',
    header('programme-identifier'),
    invalid('programme-identifier header is missing'),
  ],
  ['client', () => ({ secret: 'wrong' }), unknownClient, 'authorization'],
  [
    'client_id',
    field('client_id', 'partnerapi-99999'),
    invalid('client_id is not the authenticated client'),
  ],
  ['grant_type missing', field('grant_type'), invalid('grant_type is missing'), 'grant_type'],
  [
    'grant_type unsupported',
    field('grant_type', 'password'),
    refused(400, { error: 'unsupported_grant_type' }),
    'grant_type',
  ],
  [
    'grant not allowed',
    () => ({ roleless: true }),
    refused(400, { error: 'invalid_grant', error_description: 'access_denied' }),
  ],
  ['parameter missing', field('code'), invalid('code is missing'), 'code'],
  ['scope', field('scope', 'AUTHN-LEVEL-11'), refused(400, { error: 'invalid_scope' })],
  [
    'throttle',
    () => ({ throttled: true }),
    refused(429, { error: 'too_many_tokens' }, { 'retry-after': '60' }),
  ],
  ['grant', () => ({}), refused(400, { error: 'invalid_grant' }), 'code'],
];

/** The steps at an endpoint of the second club whose grant needs the parameter `needed`. */
function partnerSteps(needed: 'code' | 'refresh_token'): readonly Step[] {
  const { badRequest, challenged, secondClub } = partner;
  const invalidClient = partner.invalidClient(secondClub);
  const missing = (what: string): Answer => badRequest(`Missing ${what}`);
  const refuses = (what: string): Answer => badRequest(`Invalid header: ${what}`);
  const ofBody: readonly Step[] = [
    ['media type', header('content-type', 'text/plain'), refuses('content type')],
    [
      'size',
      field('padding', 'x'.repeat(65_536)),
      partner.refused(413, 'invalid_request', 'Request too large'),
    ],
  ];
  return [
    ['path', ({ path }) => ({ path: `${path}/` }), notFound],
    ['method', () => ({ method: 'PUT' }), invalid('Method not allowed', 405, { allow: 'POST' })],
    ...(needed === 'code' ? [] : ofBody),
    [
      'repeated parameter',
      () => ({ more: '&client_secret=a&client_secret=a' }),
      badRequest('Repeated parameter: client secret'),
    ],
    [
      'authorization missing',
      () => ({ scheme: undefined }),
      missing('header: authorization'),
      'authorization',
    ],
    ['authorization malformed', () => ({ scheme: 'Bearer' }), invalidClient, 'authorization'],
    [
      'programme header',
      header('programme-identifier'),
      missing('header: programme identifier'),
      'programme',
    ],
    [
      'programme named',
      header('programme-identifier', 'ThirdClub'),
      refuses('programme identifier'),
      'programme',
    ],
    [
      'context header',
      header('business-context-identifier'),
      missing('header: business context identifier'),
      'context',
    ],
    ['accept header', header('accept', 'text/html'), refuses('accept')],
    ['x-forwarded-for header', header('x-forwarded-for', 'x'), refuses('x forwarded for')],
    ['client', () => ({ secret: 'wrong' }), invalidClient, 'authorization'],
    [
      'context',
      header('business-context-identifier', 'OtherContext'),
      challenged(secondClub, 'access_denied', 'Access denied'),
      'context',
    ],
    [
      'client_id',
      field('client_id', 'Partner2'),
      challenged(secondClub, 'invalid_client', 'Invalid parameter: client id'),
    ],
    ['grant_type missing', field('grant_type'), missing('parameter: grant type'), 'grant_type'],
    [
      'grant_type unsupported',
      field('grant_type', 'password'),
      partner.refused(400, 'unsupported_grant_type', 'Unsupported grant type'),
      'grant_type',
    ],
    [
      'grant not allowed',
      () => ({ roleless: true }),
      challenged(secondClub, 'unauthorized', 'Client not authorized'),
    ],
    ['parameter missing', field(needed), missing(`parameter: ${needed.replace('_', ' ')}`), needed],
    ['scope', field('scope', 'x'), partner.invalidScope('x')],
    ['throttle', () => ({ throttled: true }), partner.tooMany(60)],
    [
      'grant',
      () => ({}),
      needed === 'code' ? partner.invalidCode : partner.invalidRefreshToken,
      needed,
    ],
  ];
}

const pairs = (fields: Fields): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));

/** What the endpoint is asked in a request without a fault but the last: no code or token is good. */
interface Endpoint {
  readonly steps: readonly Step[];
  readonly path: string;
  readonly headers: Fields;
  readonly fields: Fields;
  readonly inQuery?: boolean;
  /** The clients' identifiers before the two digits that name their faults. */
  readonly prefix: string;
  readonly register: (options: {
    readonly id: string;
    readonly secret: string;
    readonly roles: readonly Role[];
    readonly more: { readonly throttle: { readonly limit: number; readonly window: number } };
  }) => Promise<unknown>;
}

/** Registers a client for each set of faults; the limit of one request is used up where it is one. */
async function registerAll(
  { store, clock }: Jetway,
  programme: string,
  { prefix, register }: Endpoint,
): Promise<void> {
  for (const roleless of [false, true]) {
    for (const throttled of [false, true]) {
      const id = `${prefix}${Number(roleless)}${Number(throttled)}`;
      const throttle = { limit: throttled ? 1 : 10_000, window: 60_000 };
      await register({
        id,
        secret: 'right',
        roles: roleless ? [] : ['member'],
        more: { throttle },
      });
      await store.count('token_request', programme as never, id, throttle, clock.now());
    }
  }
}

function send(url: string, endpoint: Endpoint, faults: readonly Step[]): Promise<Answer> {
  const { prefix, inQuery = false } = endpoint;
  const draft: Draft = {
    path: endpoint.path,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...endpoint.headers },
    roleless: false,
    throttled: false,
    secret: 'right',
    scheme: 'Basic',
    fields: endpoint.fields,
    more: '',
  };
  for (const [, spoil] of faults) Object.assign(draft, spoil(draft));
  const { path, method, scheme, secret } = draft;
  const id = `${prefix}${Number(draft.roleless)}${Number(draft.throttled)}`;
  const credentials = Buffer.from(`${id}:${secret}`).toString('base64');
  const authorization = scheme && `${scheme} ${credentials}`;
  const headers = Object.fromEntries(pairs({ ...draft.headers, authorization }));
  const body = new URLSearchParams(pairs(draft.fields)).toString() + draft.more;
  return inQuery
    ? ask(url, `${path}?${body}`, { method, headers })
    : ask(url, path, { method, headers, body });
}

async function assertOrder(url: string, endpoint: Endpoint): Promise<void> {
  const { steps } = endpoint;
  for (const [index, first] of steps.entries()) {
    const [name, , answer, part] = first;
    assert.deepEqual(await send(url, endpoint, [first]), answer, name);
    for (const second of steps.slice(index + 1)) {
      if (part !== undefined && part === second[3]) continue;
      // The order in which the faults are put in makes no difference.
      for (const faults of [
        [first, second],
        [second, first],
      ]) {
        assert.deepEqual(await send(url, endpoint, faults), answer, `${name} + ${second[0]}`);
      }
    }
  }
}

test('C-8: of any two faults the earlier answers, at the executive club', async (t) => {
  // The shipped file asks for no header, so that this step is put in.
  const input =
    '{ in: header, name: programme-identifier, required: true, must_equal: programme.identifier }';
  const club = await openClub(t, {
    over: `token_endpoints: { grant: { inputs: { programme: ${input} } } }`,
  });
  const endpoint: Endpoint = {
    steps: executiveSteps,
    path: paths.grant,
    headers: { 'programme-identifier': 'ExecutiveClub' },
    fields: { grant_type: 'authorization_code', code: 'unknown' },
    prefix: 'partnerapi-000',
    register: club.addClient,
  };
  await registerAll(club, 'executive-club', endpoint);
  await assertOrder(club.url, endpoint);
});

for (const needed of ['code', 'refresh_token'] as const) {
  test(`C-8: of any two faults the earlier answers, at a partner-login club by ${needed}`, async (t) => {
    const club = await partner.openPartnerClub(t);
    const inQuery = needed === 'code';
    const endpoint: Endpoint = {
      steps: partnerSteps(needed),
      path: inQuery ? club.paths.key : club.paths.refresh,
      headers: partner.naming(club.identifier),
      fields: { grant_type: inQuery ? 'authorization_code' : 'refresh_token', [needed]: 'unknown' },
      inQuery,
      prefix: 'Partner',
      register: (options) => partner.addPartner(club, options),
    };
    await registerAll(club, club.programme, endpoint);
    await assertOrder(club.url, endpoint);
  });
}
