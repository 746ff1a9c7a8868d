// Owns the OpenAPI 3.1 document of a programme: its endpoints for partners.

import { formatRows } from '../../../language/input_formats.ts';
import { programmePaths } from '../../../oauth/own_paths.ts';
import { logsIn } from '../../../programme/programme.ts';
import type { TokenEndpoint } from '../../../programme/requests/token_endpoint.ts';
import type { TokenManagementEndpoint } from '../../../programme/requests/token_management.ts';
import { answerTo, formsAt, grantsOf } from '../../answers.ts';
import { isPage, loginFailuresOf } from '../../login.ts';
import { below, type Guide, introspectionFor, isToldOf } from '../guide.ts';
import { failureExamples, grantExample, responsesOf, userinfoExamples } from './answers.ts';
import { joined } from './joined.ts';
import { requestOf } from './requests.ts';
import { schemes, security } from './security.ts';

type PathItem = Readonly<Record<string, object>>;

export function openapiDocument(guide: Guide): object {
  const { programme, base } = guide;
  const paths = [
    logsIn(programme) && isToldOf(guide, 'member') && loginPath(guide),
    ...programme.tokenEndpoints.map((endpoint) => tokenPath(guide, endpoint)),
    ...managementPaths(guide),
    ...userinfoPaths(guide),
    ...publicPaths(guide),
  ].filter((one) => one !== false);
  return {
    openapi: '3.1.1',
    info: {
      title: `${programme.name}: tokens`,
      version: programme.interfaceVersion,
      description:
        'How partners log members in and get, refresh and give up tokens. Made from what the server does.',
    },
    servers: [{ url: base }],
    paths: merged(paths),
    components: { securitySchemes: schemes(guide) },
  };
}

/** Endpoints may share a path, with a method each, or with operations that are one here. */
function merged(
  paths: readonly (readonly [string, PathItem])[],
): Readonly<Record<string, PathItem>> {
  const all: Record<string, PathItem> = {};
  for (const [path, item] of paths) {
    const known = all[path] ?? {};
    const both = Object.entries(item).map(([method, operation]) => {
      const other = known[method];
      return [method, other === undefined ? operation : joined(other, operation)] as const;
    });
    all[path] = { ...known, ...Object.fromEntries(both) };
  }
  return all;
}

function loginPath(guide: Guide): readonly [string, PathItem] {
  const { programme } = guide;
  const { path, reading, redirectStatus } = programme.login.endpoint;
  const pages = loginFailuresOf(programme).flatMap(({ outcome, metBy }) =>
    metBy !== undefined && isPage(outcome) ? [outcome] : [],
  );
  const shown = [...Map.groupBy(pages, ({ status }) => status)].map(([status, some]) => {
    const titles = [...new Set(some.map(({ title }) => title))].join(', ');
    const content = { 'text/html': { schema: { type: 'string' } } };
    return [String(status), { description: `A page for the member: ${titles}`, content }] as const;
  });
  const operationOf = (method: string): object => ({
    summary: 'Log a member in: for the member’s browser',
    security: [],
    ...requestOf(programme, reading, method, [{ grant: 'login' }]),
    responses: {
      ...redirects(redirectStatus),
      ...(programme.layouts.redirect.mode === 'form_post' && {
        200: {
          description: 'A page that posts an error to the redirect URI',
          content: { 'text/html': { schema: { type: 'string' } } },
        },
      }),
      ...Object.fromEntries(shown),
    },
  });
  return [below(guide, path), byMethod(reading.methods, 'login', operationOf)];
}

/** Only the way to the login page has the status that the file chooses. */
function redirects(redirectStatus: number): object {
  const [page, partner] = ['To the login page', 'Back to the redirect URI with an error'];
  const headers = { Location: { schema: { type: 'string' } } };
  return redirectStatus === 302
    ? { 302: { description: `${page}, or ${partner.toLowerCase()}`, headers } }
    : { 302: { description: partner, headers }, 303: { description: page, headers } };
}

/** An operation for each method, with a name of its own. */
function byMethod(
  methods: readonly string[],
  name: string,
  operationOf: (method: string) => object,
): PathItem {
  return Object.fromEntries(
    methods.map((method, index) => [
      method.toLowerCase(),
      {
        operationId: index === 0 ? name : `${name}_${method.toLowerCase()}`,
        ...operationOf(method),
      },
    ]),
  );
}

function tokenPath(guide: Guide, endpoint: TokenEndpoint): readonly [string, PathItem] | false {
  const { name, path, reading } = endpoint;
  const grants = grantsOf(endpoint).filter(({ role }) => isToldOf(guide, role));
  if (grants.length === 0) return false;
  const { programme } = guide;
  const examples = formsAt(programme, endpoint).flatMap((form) => [
    ...grants.map(({ grant }) => grantExample(grant, answerTo(programme, grant, form), form)),
    ...failureExamples(guide, form),
  ]);
  const responses = responsesOf(guide, examples);
  const operationOf = (method: string): object => ({
    summary: `Get tokens by ${grants.map(({ grant }) => grant).join(', ')}`,
    ...acceptText(reading),
    security: security(guide, reading, endpoint.authentication),
    ...requestOf(programme, reading, method, grants),
    responses,
  });
  return [below(guide, path), byMethod(reading.methods, `token_${name}`, operationOf)];
}

/** OpenAPI tells `Accept` by the types of the answers (3.1.1, 4.8.12.2.1): an operation that reads it says so. */
function acceptText({ inputs }: TokenEndpoint['reading']): object {
  const input = inputs.find(({ wireName, inHeader }) => inHeader && wireName === 'accept');
  return input?.format === 'accepts_json'
    ? { description: `The header \`Accept\` ${formatRows.accepts_json.partner}.` }
    : {};
}

/** Revocation and introspection (RFC 7009, RFC 7662), where the file turns them on. */
function managementPaths(guide: Guide): readonly (readonly [string, PathItem])[] {
  const { programme } = guide;
  const { revocation } = programme;
  const introspection = introspectionFor(guide);
  const failures = responsesOf(guide, failureExamples(guide));
  const post = (
    operationId: string,
    { reading }: TokenManagementEndpoint,
    summary: string,
    answer: object,
  ): PathItem => ({
    post: {
      operationId,
      summary,
      security: security(guide, reading),
      ...requestOf(programme, reading, 'POST', [{ grant: 'management' }]),
      responses: { ...failures, 200: answer },
    },
  });
  const active = {
    type: 'object',
    properties: { active: { type: 'boolean' } },
    required: ['active'],
  };
  return [
    revocation !== undefined &&
      ([
        below(guide, revocation.path),
        post('revoke', revocation, 'Give a token up', { description: 'The token is good no more' }),
      ] as const),
    introspection !== undefined &&
      ([
        below(guide, introspection.path),
        post('introspect', introspection, 'Ask about a token of yours', {
          description: 'Whether it is good',
          content: { 'application/json': { schema: active } },
        }),
      ] as const),
  ].filter((one) => one !== false);
}

function userinfoPaths(guide: Guide): readonly (readonly [string, PathItem])[] {
  const { userinfo } = guide.programme;
  if (userinfo === undefined) return [];
  const content = { 'application/json': { schema: { type: 'object' } } };
  const operation = {
    operationId: 'userinfo',
    summary: 'What is known of the member, by an access token of a login',
    security: [{ access: userinfo.scope === undefined ? [] : [userinfo.scope] }],
    responses: {
      ...responsesOf(guide, userinfoExamples(guide)),
      200: { description: 'The member', content },
    },
  };
  return [[below(guide, userinfo.path), { get: operation }]];
}

/** Key set and metadata, which anybody may read. */
function publicPaths(guide: Guide): readonly (readonly [string, PathItem])[] {
  const { signsTokens, ownPath, metadata } = guide.programme;
  const { origin } = new URL(guide.base);
  const get = (operationId: string, summary: string, type = 'application/json'): PathItem => {
    const content = { [type]: { schema: { type: 'object' } } };
    const responses = { 200: { description: summary, content } };
    return { get: { operationId, summary, security: [], responses } };
  };
  const [path] = metadata?.paths ?? [];
  return [
    signsTokens &&
      ([
        below(guide, ownPath + programmePaths.keySet),
        get('keys', 'The keys of JWTs', 'application/jwk-set+json'),
      ] as const),
    path !== undefined &&
      ([path, { ...get('metadata', 'Metadata (RFC 8414)'), servers: [{ url: origin }] }] as const),
  ].filter((one) => one !== false);
}
