// C-8 on the wire: of two faults in a token request the earlier check answers, at each token endpoint.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Role } from '../../src/oauth/client.ts';
import { jsonHeaders, openClub, paths } from '../support/club.ts';
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
interface Step {
  readonly name: string;
  readonly spoil: (draft: Draft) => Partial<Draft>;
  readonly answer: Answer;
  readonly part: string;
}

/** Lines in order: the step, how a request fails at it, what that is answered, and the part that is spoilt. */
function stepsOf(text: string): readonly Step[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', fault = '', answer = '', part = name] = line.split(' | ');
      return { name, spoil: spoilOf(fault), answer: answerOf(answer), part };
    });
}

/** `header accept text/html`, `field code` (gone), `more &a=b`, `path s` at its end and so on. */
function spoilOf(text: string): Step['spoil'] {
  const [what = '', name = '', value] = text.split(' ');
  const spoils: Readonly<Record<string, Step['spoil']>> = {
    header: ({ headers }) => ({ headers: { ...headers, [name]: value } }),
    field: ({ fields }) => ({ fields: { ...fields, [name]: value } }),
    more: () => ({ more: name }),
    path: ({ path }) => ({ path: path + name }),
    method: () => ({ method: name }),
    scheme: () => ({ scheme: name === '' ? undefined : name }),
    secret: () => ({ secret: name }),
    client: () => ({ [name]: true }),
    nothing: () => ({}),
  };
  return spoils[what] ?? assert.fail(text);
}

/** `400 invalid_request "what is wrong" header: value`, or the body as it is. */
function answerOf(text: string): Answer {
  const [, status = '', raw, error, description, name, value = ''] =
    /^(\d+) (?:(\{.*\})|(\w+)(?: "([^"]*)")?(?: ([\w-]+): (.*))?)$/.exec(text) ?? assert.fail(text);
  const body = {
    error,
    ...(description === undefined ? {} : { error_description: description }),
  };
  return {
    status: Number(status),
    headers: { ...jsonHeaders, ...(name === undefined ? {} : { [name]: value }) },
    body: raw ?? JSON.stringify(body),
  };
}

const large = 'x'.repeat(65_536);

const executiveSteps = stepsOf(`
path | path s | 404 not_found
method | method PUT | 405 invalid_request "method not allowed" allow: POST
media type | header content-type text/plain | 400 invalid_request "Content-Type must be application/x-www-form-urlencoded"
size | field padding ${large} | 413 invalid_request "the request body is too large"
repeated parameter | more &redirect_uri=a&redirect_uri=a | 400 invalid_request "redirect_uri is repeated"
authentication header | scheme Bearer | 400 invalid_client | authorization
required header | header programme-identifier | 400 invalid_request "programme-identifier header is missing"
client | secret wrong | 401 invalid_client www-authenticate: Basic realm="Executive Club" | authorization
client_id | field client_id partnerapi-99999 | 400 invalid_request "client_id is not the authenticated client"
grant_type missing | field grant_type | 400 invalid_request "grant_type is missing" | grant_type
grant_type unsupported | field grant_type password | 400 unsupported_grant_type | grant_type
grant not allowed | client roleless | 400 invalid_grant "access_denied"
parameter missing | field code | 400 invalid_request "code is missing" | code
scope | field scope AUTHN-LEVEL-11 | 400 invalid_scope
throttle | client throttled | 429 too_many_tokens retry-after: 60
grant | nothing | 400 invalid_grant | code`);

/** The steps at an endpoint of the second club whose grant needs the parameter `needed`. */
function partnerSteps(needed: 'code' | 'refresh_token'): readonly Step[] {
  const asks = 'www-authenticate: Basic realm="Second Club"';
  const ofBody = `
media type | header content-type text/plain | 400 invalid_request "Invalid header: content type"
size | field padding ${large} | 413 invalid_request "Request too large"`;
  return stepsOf(`
path | path / | 404 not_found
method | method PUT | 405 invalid_request "Method not allowed" allow: POST${needed === 'code' ? '' : ofBody}
repeated parameter | more &client_secret=a&client_secret=a | 400 invalid_request "Repeated parameter: client secret"
authorization missing | scheme | 400 invalid_request "Missing header: authorization" | authorization
authorization malformed | scheme Bearer | 401 invalid_client "Invalid client" ${asks} | authorization
programme header | header programme-identifier | 400 invalid_request "Missing header: programme identifier" | programme
programme named | header programme-identifier ThirdClub | 400 invalid_request "Invalid header: programme identifier" | programme
context header | header business-context-identifier | 400 invalid_request "Missing header: business context identifier" | context
accept header | header accept text/html | 400 invalid_request "Invalid header: accept"
x-forwarded-for header | header x-forwarded-for x | 400 invalid_request "Invalid header: x forwarded for"
client | secret wrong | 401 invalid_client "Invalid client" ${asks} | authorization
context | header business-context-identifier OtherContext | 401 access_denied "Access denied" ${asks} | context
client_id | field client_id Partner2 | 401 invalid_client "Invalid parameter: client id" ${asks}
grant_type missing | field grant_type | 400 invalid_request "Missing parameter: grant type" | grant_type
grant_type unsupported | field grant_type password | 400 unsupported_grant_type "Unsupported grant type" | grant_type
grant not allowed | client roleless | 401 unauthorized "Client not authorized" ${asks}
parameter missing | field ${needed} | 400 invalid_request "Missing parameter: ${needed.replace('_', ' ')}" | ${needed}
scope | field scope x | 400 {"error":"invalid_scope","error_description":"Invalid scope","scope":"x"}
throttle | client throttled | 500 temporarily_unavailable "Too many requests" retry-after: 60
grant | nothing | 400 invalid_grant "Invalid ${needed === 'code' ? 'authorization code' : 'refresh token'}" | ${needed}`);
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
  for (const { spoil } of faults) Object.assign(draft, spoil(draft));
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
    const { name, answer, part } = first;
    assert.deepEqual(await send(url, endpoint, [first]), answer, name);
    for (const second of steps.slice(index + 1)) {
      if (part === second.part) continue;
      // The order in which the faults are put in makes no difference.
      for (const faults of [
        [first, second],
        [second, first],
      ]) {
        assert.deepEqual(await send(url, endpoint, faults), answer, `${name} + ${second.name}`);
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
