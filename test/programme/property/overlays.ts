// Owns arbitrary programme files: knobs of the language, most of them turned to something it allows.

import fc from 'fast-check';

import { grantTypes } from '../../../src/oauth/grant.ts';
import { failureReasons } from '../../../src/oauth/reasons.ts';
import { isMap, type Plain, type PlainMap } from './dialect.ts';
import { endpointKnobs } from './endpoints.ts';
import { list, partial, texts, trees, type Words, words } from './trees.ts';

const status = fc.constantFrom(200, 201, 202, 400, 401, 403, 418, 422, 429, 500, 503);
const nameCase = fc.constantFrom('as_written', 'lower', 'upper');
const contentType = fc.constantFrom(
  'application/json',
  'application/problem+json',
  'text/plain; charset=utf-8',
);
const span = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('1s', '90s', '30m', '24h', '7d') },
  { weight: 1, arbitrary: fc.constantFrom('45d', '3650d', '999999999d') },
);
const header = fc.constantFrom('X-Fault', 'x-fault', 'WWW-Authenticate', 'www-authenticate');
const headers = fc
  .uniqueArray(fc.tuple(header, fc.constantFrom('a', 'some words', 'q="1"')), {
    maxLength: 2,
    selector: ([name]) => name.toLowerCase(),
  })
  .map((pairs) => Object.fromEntries(pairs));

const description = fc.oneof(
  words,
  fc.tuple(words, words).map(([before, after]) => `${before}{parameter}${after}`),
);

const mapping = partial({
  status,
  error: words,
  error_description: description,
  error_code: fc.oneof(fc.integer({ min: -9999, max: 99_999 }), fc.constantFrom('E-1', '00123')),
  challenge: fc.constantFrom('basic', 'bearer'),
  headers,
  extra: fc.dictionary(fc.constantFrom('title', 'sub-code'), fc.oneof(words, fc.integer())),
});

const reason = fc.constantFrom(...failureReasons);
const manyReasons = fc.oneof(
  fc.constant('all'),
  fc.uniqueArray(reason, { minLength: 1, maxLength: 6 }),
);
/** A null takes away what the variant says. */
const group = fc
  .tuple(manyReasons, mapping, fc.subarray(['challenge', 'error_description', 'headers', 'extra']))
  .map(([reasons, said, gone]) => ({
    reasons,
    ...said,
    ...Object.fromEntries(gone.map((key) => [key, null])),
  }));

const errorWords: Words = {
  names: list(`
    error error_description error_code parameter scope status answered_at extra.title
  `),
  occasions: failureReasons,
};

/** A layout and the encoding of its body, which not every layout can be written in. */
function bodies(of: Words): fc.Arbitrary<PlainMap> {
  const flat = fc.dictionary(fc.constantFrom('a', 'b.c', '9', '10'), texts(of), { maxKeys: 3 });
  const listed = flat.map((fields) => [fields]);
  const element = fc.dictionary(fc.constantFrom('Code', 'text-1'), texts(of), { maxKeys: 2 });
  return fc.oneof(
    { weight: 5, arbitrary: trees(of).map((fields) => ({ fields })) },
    { weight: 1, arbitrary: listed.map((fields) => ({ encoding: 'form', fields })) },
    {
      weight: 1,
      arbitrary: element.map((object) => ({ encoding: 'xml', fields: [{ Root: { object } }] })),
    },
    {
      weight: 1,
      arbitrary: texts(of).map((only) => ({ encoding: 'text', fields: [{ only }] })),
    },
  );
}

const wording = partial({
  content_type: contentType,
  name_case: nameCase,
  text_case: nameCase,
  parameter_names: fc.constantFrom('as_sent', 'spaced'),
  groups: fc.array(group, { maxLength: 3 }),
  reasons: fc.dictionary(reason, mapping, { maxKeys: 4 }),
});

/** A name under `extra.` that no reason has does not load: one has it, whatever else is drawn. */
const errors = fc
  .tuple(fc.option(bodies(errorWords), { nil: {} }), wording)
  .map(([body, { reasons = {}, ...rest }]): PlainMap => ({
    ...body,
    ...(rest as PlainMap),
    reasons: {
      ...(reasons as PlainMap),
      throttled: { ...(reasons['throttled'] as PlainMap | undefined), extra: { title: 'Slow' } },
    },
  }));

const tokenNames = list(`
  access_token refresh_token scope access_lifetime refresh_lifetime issued_at
  access_expires_at refresh_expires_at token_id subject grant kind level membership_number
  client_id client_name business_context partner_id programme_identifier issuer audience
  client.instance_url client.nobody_has_this
`);
const tokenWords: Words = { names: tokenNames, occasions: grantTypes };

const tokenResponse = fc
  .tuple(
    bodies(tokenWords),
    partial({
      status: fc.constantFrom(200, 201),
      content_type: contentType,
      headers,
      wrap: fc.array(fc.constantFrom('token', 'Result', 'data'), { maxLength: 2 }),
      name_case: nameCase,
    }),
  )
  .map(([body, rest]) => ({ ...rest, ...withToken(body) }));

/** Every answer holds the access token somewhere, or the file would not load. */
function withToken({ fields = {}, encoding }: PlainMap): PlainMap {
  const token = { access_token: 'access_token' };
  if (encoding === 'text') return { encoding, wrap: [], fields: [{ only: 'access_token' }] };
  if (encoding === 'form') return { encoding, wrap: [], fields: [...(fields as Plain[]), token] };
  if (encoding === 'xml')
    return { encoding, wrap: ['Answer'], fields: [...(fields as Plain[]), token] };
  return { fields: isMap(fields) ? { ...fields, ...token } : [...(fields as Plain[]), token] };
}

/** A token cannot hold itself. */
const claimWords: Words = {
  names: tokenNames.filter((name) => !/^(?:access|refresh)_token$/.test(name)),
  occasions: grantTypes,
};

const scope = fc.oneof(
  fc.constant({
    kind: 'level',
    values: ['LOW', 'MIDDLE', 'HIGH'],
    client: 'MIDDLE',
    member_default: 'LOW',
    separator: null,
    restricted: null,
  }),
  fc.constantFrom(' ', ',', ', ', '|').map((separator) => ({
    kind: 'list',
    values: ['read', 'write'],
    separator,
    client: null,
    member_default: null,
  })),
);

/** A JWT has no other form. */
const look = fc.oneof(
  fc.constantFrom('opaque', 'jwt').map((format): PlainMap => ({ format, form: null })),
  fc
    .constantFrom({ prefix: 'eyJ.a.', length: 40 }, { characters: 'digits', length: '39..50' })
    .map((form): PlainMap => ({ format: 'opaque', form: { ...form } })),
);

function withLook(rest: fc.Arbitrary<PlainMap>): fc.Arbitrary<PlainMap> {
  return fc.tuple(rest, fc.option(look, { nil: {} })).map(([one, other]) => ({ ...one, ...other }));
}

const tokens = partial({
  access: withLook(
    partial({
      live: fc.constantFrom('any', 'one'),
      lifetime: span,
      algorithm: fc.constantFrom('ES256', 'EdDSA'),
      token_id: fc.constantFrom('uuid', 'number'),
      claims: trees(claimWords),
    }),
  ),
  refresh: withLook(
    partial({
      lifetime: span,
      longest: fc.constantFrom('7d', '3650d'),
    }),
  ),
});

const identifier = partial({
  prefix: fc.constantFrom('', 'p-', 'p-', 'A:'),
  characters: fc.constantFrom('digits', 'alphanumeric', 'lower_hex', 'base64url', 'visible'),
  length: fc.constantFrom(5, '8..20', 40),
});

const code = partial({
  prefix: fc.constantFrom('', 'C:', '4/'),
  characters: fc.constantFrom('alphanumeric', 'lower_hex', 'visible', 'printable'),
  length: fc.constantFrom(32, 64, '43..128'),
});

const general = partial({
  name: words,
  audience: words,
  client: partial({
    identifier,
    authentication: fc.record({
      methods: fc.shuffledSubarray(['basic', 'bare_basic', 'parameters'], { minLength: 1 }),
      credentials: fc.constantFrom('raw', 'form', 'either'),
    }),
  }),
  code,
  scope,
  tokens,
  throttle: fc.constantFrom('off', { limit: 1000, window: '1m' }),
  token_response: tokenResponse,
  errors,
});

/** Programme files as plain values. */
export const overlays: fc.Arbitrary<PlainMap> = fc
  .constantFrom('grant', 'partner-login')
  .chain((variant) =>
    fc.tuple(general, endpointKnobs(variant)).map(([more, endpoints]) => ({
      variant,
      name: 'Any Club',
      programme_identifier: 'AnyClub',
      base_path: '/any',
      ...(more as PlainMap),
      ...endpoints,
    })),
  );
