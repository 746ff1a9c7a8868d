// Owns the Postman collection of a programme: its sample requests, with scripts that keep the tokens of
// an answer for the next request. Postman's format is one file, which Bruno, Insomnia, Hoppscotch and
// Yaak import as well; Bruno's own is a folder of files that only Bruno reads.

import { listed } from '../../lib/present.ts';
import type { GrantType } from '../../oauth/grant.ts';
import { type TokenName, type TokenPlace, tokenPlace } from '../answers/token_place.ts';
import type { SampleCredentials } from '../requests/sample_proof.ts';
import type { SampleRequest } from '../requests/sample_request.ts';
import { grantWords } from './grant_words.ts';
import {
  below,
  callRequest,
  type Guide,
  loginRequest,
  managementRequest,
  tokenRequests,
} from './guide.ts';
import { hasVariable, variable, withVariables } from './snippets/variables.ts';

/** In the order in which they are made. */
const order: readonly GrantType[] = [
  'client_credentials',
  'jwt_bearer',
  'authorization_code',
  'password',
  'token_exchange',
  'refresh_token',
];

export function postmanCollection(guide: Guide): object {
  const { contract, base } = guide;
  const { programme, login } = contract;
  const { revocation, introspection } = programme;
  const token = (name: string): string => variable(name);
  const items = listed<object>([
    login !== undefined &&
      item('Log a member in', loginRequest(guide), { describe: loginText, follow: false }),
    ...order
      .filter((grant) => programme.grants.has(grant))
      .flatMap((grant) => grantItems(guide, grant)),
    item('Call the API', callRequest(guide), { base: '' }),
    introspection !== undefined &&
      item(
        'Ask about a token',
        managementRequest(guide, below(guide, introspection.path), token('ACCESS_TOKEN')),
      ),
    revocation !== undefined &&
      item(
        'Give a token up',
        managementRequest(guide, below(guide, revocation.path), token('REFRESH_TOKEN')),
      ),
  ]);
  const variables = variablesIn(guide, items);
  const secrets = ['client_secret', 'api_key'].filter((name) => variables.includes(name));
  return {
    info: {
      name: `${programme.name}: tokens`,
      description: `${secrets.length === 0 ? '' : `Set ${secrets.join(' and ')} first. `}Tokens are kept from answer to request.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    item: items,
    variable: [
      { key: 'base_url', value: base },
      ...variables.map((key) => ({ key, value: key === 'state' ? 'STATE' : '' })),
    ],
  };
}

const loginText =
  'Open the address in a browser, log in, and set the variable code to the one in the address that the browser comes back to.';

function grantItems(guide: Guide, grant: GrantType): readonly object[] {
  const { heading } = grantWords[grant];
  return tokenRequests(guide, grant).map(({ request }, index) =>
    item(index === 0 ? heading : `${heading}, at ${request.path}`, request, {
      after: keepTokens(guide, grant),
    }),
  );
}

interface ItemOptions {
  readonly base?: string;
  readonly describe?: string;
  readonly follow?: false;
  /** Lines of a script that runs after the answer. */
  readonly after?: readonly string[];
}

function item(
  name: string,
  request: SampleRequest,
  { base = '{{base_url}}', describe, follow, after = [] }: ItemOptions = {},
): object {
  const { method, path, query, headers, credentials, certificate, raw } = request;
  const type = raw === undefined ? [] : [['Content-Type', raw.type] as const];
  const search = query.map(
    ([key, value]) =>
      `${encodeURIComponent(key)}=${withVariables(value, braced, encodeURIComponent)}`,
  );
  const described = [describe, certificate === true ? 'Set your certificate.' : undefined];
  const { auth, before, header } = proof(credentials);
  const scripts = [event('prerequest', before), event('test', after)].flat();
  return {
    name,
    request: {
      method,
      url: `${base}${filled(path)}${search.length === 0 ? '' : `?${search.join('&')}`}`,
      header: [...headers, ...header, ...type].map(([key, value]) => ({
        key,
        value: filled(value),
      })),
      auth,
      ...bodyOf(request),
      ...(described.some(Boolean) ? { description: described.filter(Boolean).join(' ') } : {}),
    },
    ...(scripts.length === 0 ? {} : { event: scripts }),
    ...(follow === false ? { protocolProfileBehavior: { followRedirects: false } } : {}),
  };
}

/** Texts with variables in the collection's way. */
function filled(text: string): string {
  return withVariables(text, braced);
}

function braced(name: string): string {
  return `{{${name.toLowerCase()}}}`;
}

function event(listen: string, lines: readonly string[]): readonly object[] {
  return lines.length === 0 ? [] : [{ listen, script: { type: 'text/javascript', exec: lines } }];
}

interface Proof {
  readonly auth: object;
  readonly before: readonly string[];
  readonly header: readonly (readonly [string, string])[];
}

/** Basic credentials; a script makes the header where Postman's own way is not the dialect's. */
function proof(credentials: SampleCredentials | undefined): Proof {
  if (credentials === undefined) return { auth: { type: 'noauth' }, before: [], header: [] };
  const { id, secret, scheme, encoding } = credentials;
  if (scheme === 'Basic' && (encoding === 'raw' || encoding === 'either')) {
    const basic = [
      { key: 'username', value: filled(id), type: 'string' },
      { key: 'password', value: filled(secret), type: 'string' },
    ];
    return { auth: { type: 'basic', basic }, before: [], header: [] };
  }
  const encode = { raw: '', either: '', form: 'encodeURIComponent', base64: 'btoa' }[encoding];
  const halfText = (half: string): string =>
    `${encode}(${hasVariable(half) ? "pm.variables.get('client_secret')" : JSON.stringify(half)})`;
  const before = [
    `const proof = btoa(${halfText(id)} + ':' + ${halfText(secret)});`,
    `pm.variables.set('authorization', ${scheme === undefined ? 'proof' : `'${scheme} ' + proof`});`,
  ];
  const header = [['Authorization', '{{authorization}}']] as const;
  return { auth: { type: 'noauth' }, before, header };
}

function bodyOf({ form, json, raw: sent }: SampleRequest): object {
  if (sent !== undefined) {
    const options = { raw: { language: 'xml' } };
    return { body: { mode: 'raw', raw: filled(sent.text), options } };
  }
  if (json !== undefined) {
    const raw = filled(JSON.stringify(json, undefined, 2));
    return { body: { mode: 'raw', raw, options: { raw: { language: 'json' } } } };
  }
  if (form === undefined) return {};
  const urlencoded = form.map(([key, value]) => ({ key, value: filled(value) }));
  return { body: { mode: 'urlencoded', urlencoded } };
}

/** Keeps the tokens of a good answer in the collection's variables. */
function keepTokens({ contract, by }: Guide, grant: GrantType): readonly string[] {
  const { programme, definition } = contract;
  const { status } = definition.token_response;
  const kept = (
    [
      ['access_token', 'accessToken'],
      ['refresh_token', 'refreshToken'],
    ] as const satisfies readonly (readonly [string, TokenName])[]
  ).flatMap(([name, token]) => {
    const place = tokenPlace(programme, by.client, grant, token);
    return place === undefined ? [] : [`  keep('${name}', ${placeText(place)});`];
  });
  if (kept.length === 0) return [];
  return [
    '// Each token stands behind these texts of the answer.',
    'const keep = (name, text, behind, before) => {',
    '  for (const mark of behind) text = text.slice(text.indexOf(mark) + mark.length);',
    "  if (before !== '') text = text.slice(0, text.indexOf(before));",
    '  pm.collectionVariables.set(name, text);',
    '};',
    `if (pm.response.code === ${status}) {`,
    ...kept,
    '}',
  ];
}

function placeText({ header, behind, before }: TokenPlace): string {
  const text =
    header === undefined
      ? 'pm.response.text()'
      : `pm.response.headers.get(${JSON.stringify(header)})`;
  return `${text}, ${JSON.stringify(behind)}, ${JSON.stringify(before)}`;
}

/** The variables that requests and scripts hold, apart from those that scripts set themselves. */
function variablesIn({ by }: Guide, items: readonly object[]): readonly string[] {
  const found = [...JSON.stringify(items).matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
  const secret = by.client.isPublic === true ? [] : ['client_secret'];
  return [...new Set([...secret, ...found])].filter(
    (name) => name !== 'base_url' && name !== 'authorization',
  );
}
