// Owns files around the examples of keys: each example in a whole file in which it can stand.

import { toPlain } from '../../src/lib/document.ts';
import { parseYaml, stringifyYaml } from '../../src/lib/yaml/yaml.ts';

type Plain = Readonly<Record<string, unknown>>;

/** What examples of keys of a hook stand beside. */
const hook = 'members: { directory: http, url: https://members.example.com/jetway }';

/** The inputs and keys of the grant, whole but for one. */
const assertionGrant = {
  beside:
    'token_endpoints: { grant: { inputs: { assertion: {} } } }\ngrants: { jwt_bearer: { endpoint: grant, role: partner, subject: client } }',
};

/** Clients that sign. */
const signedClient = {
  beside:
    'client: { authentication: { methods: [basic, private_key_jwt] } }\ntoken_endpoints: { grant: { inputs: { client_assertion: {} } } }',
};

/** An endpoint at which requests choose. */
const choosing = (input: string): string =>
  `token_endpoints: { grant: { inputs: { ${input}: {} } } }`;

/** Clients that sign by a secret; `signature` is what stands beside the example. */
function signing(signature: string, inputs = '{}'): { readonly beside: string } {
  return {
    beside: `client: { authentication: { methods: [basic, signature], signature: ${signature} } }
token_endpoints: { grant: { inputs: { client_signature: {}, timestamp: ${inputs} } } }`,
  };
}

/** Redirects that are signed. */
const signedRedirect = {
  beside:
    'authorize: { answer: { more: { shop: client.shop }, signature: { name: sig, hmac: sha512, of: [code] } } }',
};

/** Where an example needs another variant than `grant`, or more YAML beside it. */
const surroundings: Readonly<Record<string, { readonly on?: string; readonly beside?: string }>> = {
  selector: { on: 'partner-login' },
  'selector.input': { on: 'partner-login' },
  'selector.default': { on: 'partner-login', beside: 'selector: { input: programme }' },
  'client.authentication.methods': { on: 'partner-login' },
  resources: { beside: choosing('resource') },
  accepts: { beside: 'client: { authentication: { methods: [basic, parameters] } }' },
  'client.authentication.secret_half': {
    beside: 'client: { authentication: { methods: [secret] } }',
  },
  verify: { on: 'partner-login' },
  'verify.headers': { on: 'partner-login' },
  'page_failure.page': { beside: 'authorize: { failures: { invalid_scope: { redirect: null } } }' },
  'page_failure.page.status': {
    beside:
      'authorize: { failures: { invalid_scope: { redirect: null, page: { title: T, text: T } } } }',
  },
  'page_failure.page.title': {
    beside:
      'authorize: { failures: { invalid_scope: { redirect: null, page: { status: 400, text: T } } } }',
  },
  'page_failure.page.text': {
    beside:
      'authorize: { failures: { invalid_scope: { redirect: null, page: { status: 400, title: T } } } }',
  },
  'login_failure.error_description': {
    beside: 'authorize: { failures: { access_denied: { redirect: access_denied } } }',
  },
  'login.brands': { on: 'partner-login' },
  'brand.logo': { beside: 'login: { brands: { Harbour: { name: Harbour Hotels } } }' },
  'grants.password': {
    beside: 'token_endpoints: { grant: { inputs: { username: {}, password: {} } } }',
  },
  'grants.token_exchange': {
    beside: 'token_endpoints: { grant: { inputs: { subject_token: {} } } }',
  },
  ...Object.fromEntries(
    ['', '.audience', '.algorithms', '.issuer', '.longest', '.tolerance', '.jti', '.sub'].map(
      (name) => [`client.authentication.assertion${name}`, signedClient],
    ),
  ),
  'client.authentication.signature': signing('{}', '{ length: 10 }'),
  'client.authentication.signature.hmac': signing('{ of: [client_id] }'),
  'client.authentication.signature.digest': signing('{ of: [client_id, secret] }'),
  'client.authentication.signature.of': signing('{ hmac: sha256 }'),
  'client.authentication.signature.separator': signing(
    '{ hmac: sha256, of: [client_id, timestamp] }',
  ),
  'client.authentication.signature.encoding': signing('{ hmac: sha256, of: [client_id] }'),
  ...Object.fromEntries(
    ['name', 'hmac', 'of', 'encoding'].map((name) => [
      `authorize.answer.signature.${name}`,
      signedRedirect,
    ]),
  ),
  'grants.jwt_bearer': {
    beside: 'token_endpoints: { grant: { inputs: { assertion: {} } } }',
  },
  'grants.jwt_bearer.endpoint': {
    on: 'partner-login',
    beside:
      'token_endpoints: { key: { inputs: { assertion: {} } }, refresh: { inputs: { assertion: {} } } }\ngrants: { jwt_bearer: { role: partner, subject: client } }',
  },
  ...Object.fromEntries(
    ['grant_type', 'role', 'access_lifetime', 'access_format', 'access_form', 'subject'].map(
      (name) => [`grants.jwt_bearer.${name}`, assertionGrant],
    ),
  ),
  'grant.endpoint': {
    on: 'partner-login',
    beside: 'grants: { client_credentials: { role: partner } }',
  },
  'list_scope.kind': {
    beside:
      'scope: { values: [stays], client: null, member_default: null }\nauthorize: { endpoint: { inputs: { scope: {} } } }',
  },
  id_token: { beside: 'token_response: { fields: { id_token: id_token } }' },
  'id_token.lifetime': { beside: 'token_response: { fields: { id_token: id_token } }' },
  'id_token.algorithm': { beside: 'token_response: { fields: { id_token: id_token } }' },
  cors: {
    beside:
      'client: { authentication: { methods: [basic, none], when_both: refuse } }\nauthorize: { pkce: required }\ntoken_endpoints: { grant: { inputs: { client_id: { must_equal: client.id } } } }',
  },
  'id_token.claims': { beside: 'token_response: { fields: { id_token: id_token } }' },
  'userinfo.fields': { beside: 'userinfo: { path: /userinfo }' },
  'list_scope.values': { on: 'partner-login' },
  'list_scope.separator': { on: 'partner-login' },
  'list_scope.restricted': { on: 'partner-login' },
  'list_scope.unknown': {
    beside:
      'scope: { kind: list, values: [read], default: read }\nauthorize: { endpoint: { inputs: { scope: {} } } }',
  },
  'list_scope.default': {
    beside:
      'scope: { kind: list, values: [read, write] }\nauthorize: { endpoint: { inputs: { scope: {} } } }',
  },
  'tokens.access.requested': { beside: choosing('access_lifetime') },
  'tokens.access.requested.longest': { beside: choosing('access_lifetime') },
  'tokens.access.requested.words': { beside: choosing('access_lifetime') },
  ...Object.fromEntries(
    ['shortest', 'unit', 'over'].map((name) => [
      `tokens.access.requested.${name}`,
      {
        beside: `${choosing('access_lifetime')}\ntokens: { access: { requested: { longest: 12h } } }`,
      },
    ]),
  ),
  answer_forms: { beside: choosing('answer_form') },
  ...Object.fromEntries(
    [
      ['encoding', 'root: OAuth'],
      ['root', 'encoding: xml'],
      ['content_type', 'encoding: xml, root: OAuth'],
    ].map(([name, others]) => [
      `answer_form.${name}`,
      { beside: `${choosing('answer_form')}\nanswer_forms: { xml: { ${others} } }` },
    ]),
  ),
  'endpoint.authentication': {
    beside: 'client: { authentication: { methods: [basic, parameters] } }',
  },
  'client.authentication.unnamed_client': {
    beside:
      'client: { identifier: { prefix: app-, length: 4 }, authentication: { methods: [basic, unnamed] } }\nauthorize: { pkce: required, endpoint: { inputs: { client_id: { required: false } } } }',
  },
  'endpoint.without_grant_type': {
    beside: 'token_endpoints: { grant: { inputs: { grant_type: { required: false } } } }',
  },
  'endpoint.methods': { beside: 'token_endpoints: { grant: { read: query } }' },
  'endpoint.media_types': { beside: 'token_endpoints: { grant: { read: json } }' },
  'endpoint.root': { beside: 'token_endpoints: { grant: { read: xml } }' },
  'input.attribute': { beside: 'token_endpoints: { grant: { read: xml } }' },
  'input.within': { beside: 'token_endpoints: { grant: { read: json } }' },
  'input.scheme': {
    beside:
      'token_endpoints: { grant: { inputs: { device: { in: header, name: x-subject-token } } } }',
  },
  'token_field.as': {
    beside: 'token_response: { fields: { extra: { value: access_expires_at } } }',
  },
  'token_field.type': {
    beside: 'token_response: { fields: { extra: { value: access_lifetime } } }',
  },
  'token_field.fraction': {
    beside: 'token_response: { fields: { extra: { value: issued_at, as: date_time } } }',
  },
  'tokens.access.begins_with': { beside: 'tokens: { access: { form: { length: 40 } } }' },
  'tokens.refresh.begins_with': { beside: 'tokens: { refresh: { form: { length: 40 } } }' },
  'tokens.access.issuer': { beside: 'tokens: { access: { format: jwt } }' },
  'tokens.access.subject': { beside: 'tokens: { access: { format: jwt } }' },
  'authorize.draws': {
    beside: 'authorize: { answer: { more: { device_id: member.drawn.device_id } } }',
  },
  'token_field.zone': {
    beside: 'token_response: { fields: { extra: { value: issued_at, as: date_time } } }',
  },
  'token_field.attribute': {
    beside:
      'token_response: { encoding: xml, wrap: [answer], fields: { extra: { value: issued_at } } }',
  },
  'token_field.absent': {
    beside: 'token_response: { fields: { extra: { value: membership_number } } }',
  },
  'token_field.only': { beside: 'token_response: { fields: { extra: { value: issued_at } } }' },
};

function parseMap(text: string): Plain {
  const { root, faults } = parseYaml('example', text);
  if (root?.kind !== 'map' || faults.length > 0) throw new Error(`not YAML: ${text}`);
  return toPlain(root) as Plain;
}

/** Where the keys of a type stand in a file: each type at one of the places it can have. */
const homes: Readonly<Record<string, (key: string, value: string) => string>> = {
  endpoint: (key, value) => `token_endpoints: { grant: { ${key}: ${value} } }`,
  input: (key, value) => `token_endpoints: { grant: { inputs: { device: { ${key}: ${value} } } } }`,
  value_shape: (key, value) => `client: { identifier: { ${key}: ${value} } }`,
  cookie: (key, value) =>
    `token_response: { cookies: { session: { ${key === 'value' ? '' : 'value: access_token, '}${key}: ${value} } } }`,
  grant: (key, value) => `grants: { client_credentials: { ${key}: ${value} } }`,
  token_field: (key, value) => `token_response: { fields: { extra: { ${key}: ${value} } } }`,
  page_failure: (key, value) =>
    `authorize: { failures: { invalid_scope: ${nested(key.split('.'), value)} } }`,
  login_failure: (key, value) => `authorize: { failures: { invalid_scope: { ${key}: ${value} } } }`,
  answer_form: (key, value) => `answer_forms: { xml: { ${key}: ${value} } }`,
  error_answer: (key, value) => `errors: { reasons: { invalid_code: { ${key}: ${value} } } }`,
  error_group: (key, value) =>
    `errors: { groups: [{ ${key === 'reasons' ? '' : 'reasons: [invalid_code], '}${key}: ${value} }] }`,
  page_text: (key, value) => `login: { pages: { expired: { ${key}: ${value} } } }`,
  login_messages: (key, value) => `login: { messages: { ${key}: ${value} } }`,
  login_labels: (key, value) => `login: { labels: { ${key}: ${value} } }`,
  language: (key, value) => `login: { languages: { fr: ${nested(key.split('.'), value)} } }`,
  brand: (key, value) => `login: { brands: { Harbour: { ${key}: ${value} } } }`,
  colour_scheme: (key, value) => `login: { colours: { light: { ${key}: ${value} } } }`,
  level_scope: (key, value) => `scope: { ${key}: ${value} }`,
  list_scope: (key, value) => `scope: { ${key}: ${value} }`,
};

/** A whole programme file in which the example of a key stands. */
export function exampleFile(path: string, example: string): string {
  const steps = path.split('.');
  const home = homes[steps[0] ?? ''];
  const over = home ? home(steps.slice(1).join('.'), example) : nested(steps, example).slice(1, -1);
  return fileOf(path, over);
}

/** The same file without the example. */
export function fileAround(path: string): string {
  return fileOf(path, '{}');
}

function fileOf(path: string, over: string): string {
  const { on = 'grant', beside = '{}' } =
    surroundings[path] ?? (/^members\./.test(path) ? { beside: hook } : {});
  const base = [
    `variant: ${on}`,
    'name: Example',
    'programme_identifier: Example',
    'base_path: /example',
  ].join('\n');
  return stringifyYaml([base, beside, over].map(parseMap).reduce(besides));
}

/** Two maps as one; unlike where a file is laid over a variant, nulls stay. */
function besides(one: Plain, other: Plain): Plain {
  const joined = Object.entries(other).map(([key, value]) => {
    const present = one[key];
    return [key, isMap(present) && isMap(value) ? besides(present, value) : value];
  });
  return { ...one, ...(Object.fromEntries(joined) as Plain) };
}

function isMap(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nested(steps: readonly string[], value: string): string {
  return steps.reduceRight((inner, step) => `{ ${step}: ${inner} }`, value);
}
