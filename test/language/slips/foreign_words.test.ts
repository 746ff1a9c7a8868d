// Words of other services: each is answered with what stands for it here, or that nothing does.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { definitionSchema } from '../../../src/language/definition.ts';
import { absentWords } from '../../../src/language/slips.ts';
import { formatFault } from '../../../src/lib/fault.ts';
import { grantFailures } from '../../../src/oauth/reasons.ts';
import { loadProgramme } from '../../../src/rules/load.ts';
import { keysOf } from '../../../src/schema/keys.ts';

const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';

function hints(text: string): readonly (string | undefined)[] {
  const { faults } = loadProgramme('a.yaml', head + text);
  return faults.filter(({ severity }) => severity === 'error').map(({ hint }) => hint);
}

test('no word that is called absent is a key of the language', () => {
  const { ofKeys } = absentWords();
  const keys = new Set(keysOf(definitionSchema).map(({ path }) => path.split('.').at(-1)));
  assert.deepEqual(
    [...ofKeys.keys()].filter((name) => keys.has(name)),
    [],
  );
  for (const hint of ofKeys.values()) assert.match(hint, /^[a-z][^\n]{10,170}$/);
});

test('what Jetway does not have is said as such, at the root and below', () => {
  for (const [text, start] of [
    ['webhooks: { url: "https://a.example" }\n', 'there are no webhooks'],
    ['rateLimit: 5\n', 'write throttle'],
    ['login: { mfa: on }\n', 'there is no second factor'],
    ['authorize: { response-mode: query }\n', 'write authorize: { answer: { mode: form_post } }'],
    ['authorize: { prompt: none }\n', 'write it as an input'],
    ['tokens: { access: { algorithm: Ed25519 } }\n', 'write EdDSA'],
    ['tokens: { access: { algorithm: PS256 } }\n', 'access tokens are signed with ES256, EdDSA'],
    [
      'token_endpoints: { grant: { inputs: { code: { pattern: "^a" } } } }\n',
      'there are no patterns',
    ],
    ['client: { redirect_uris: [] }\n', 'clients are in the store'],
    ['tokens: { access: { expires_in: 3600 } }\n', 'write lifetime, with a unit: 30m'],
    ['grants: { device_code: {} }\n', 'there is no device grant (RFC 8628)'],
    ['grants: { ropc: {} }\n', 'write password'],
    ['client: { authentication: { methods: [client_secret_post] } }\n', 'write parameters'],
    ['client: { authentication: { methods: [client_secret_jwt] } }\n', 'there is no such method'],
    ['grants: { implicit: {} }\n', 'there is no implicit grant'],
    ['tokens: { access: { format: paseto } }\n', 'there is no such token'],
    ['token_response: { fields: { at: { value: issued_at, as: iso8601 } } }\n', 'write date_time'],
    ['authorize: { pkce: S256 }\n', 'S256 is the only method'],
  ] as const) {
    const [hint] = hints(text);
    assert.ok(hint?.startsWith(start), `${text}${hint}`);
  }
  // Names that a file chooses are no keys of the language.
  assert.deepEqual(hints('token_endpoints: { grant: { inputs: { otp: {}, regex: {} } } }\n'), []);
});

test('an error code of RFC 6749 5.2 stands for its reasons in groups and under only', () => {
  const { loaded, faults } = loadProgramme(
    'a.yaml',
    `${head}errors:
  groups: [{ reasons: [invalid_grant, throttled], status: 418, error: gone }]
  fields: { retry: { constant: no, only: [invalid_grant, invalid_code] } }
`,
  );
  assert.deepEqual(faults.map(formatFault), []);
  const spread = [...new Set(Object.values(grantFailures))];
  const reasons = loaded?.definition.errors.reasons;
  for (const reason of [...spread, 'throttled'] as const) {
    assert.equal(reasons?.[reason].status, 418);
    assert.equal(reasons[reason].error, 'gone');
  }
  assert.notEqual(reasons?.invalid_scope.status, 418);
  const field = loaded?.definition.errors.fields.get('retry');
  assert.ok(typeof field === 'object' && 'only' in field);
  assert.deepEqual(field.only, spread);
});

test('where one reason is named, a code names those it stands for', () => {
  const [hint] = hints('errors: { reasons: { unauthorized_client: { status: 400 } } }\n');
  assert.equal(
    hint,
    'unauthorized_client is an error code (RFC 6749 5.2): errors.groups takes it, for the reasons grant_not_allowed',
  );
});
