// Slips that only the file itself shows: nulls that remove nothing, numbers that are read in two ways,
// no variant; each at its place, with what to do.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFault } from '../../../src/lib/fault.ts';
import { stringifyYaml } from '../../../src/lib/yaml/yaml.ts';
import { effectiveDocument } from '../../../src/rules/effective_document.ts';
import { loadProgramme } from '../../../src/rules/load.ts';

const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';

function check(text: string, severity: 'error' | 'warning' = 'error'): readonly string[] {
  const { faults } = loadProgramme('a.yaml', text);
  return faults
    .filter((fault) => fault.severity === severity && !fault.message.includes('RFC'))
    .map(formatFault);
}

test('a null for a key that there is not leaves on what was to be switched off, and does not load', () => {
  assert.deepEqual(check(`${head}grants: { client_credential: null }\nthrotle: null\n`), [
    'a.yaml:5:11: error: unknown key "client_credential" (did you mean "client_credentials"?)',
    'a.yaml:6:1: error: unknown key "throtle" (did you mean "throttle"?)',
  ]);
  assert.deepEqual(check(`${head}grants: { client_credentials: null, password: null }\n`), []);
});

test('a null for a name that is not below is warned of', () => {
  const fields = `${head}token_response: { fields: { scop: null, expires_in: null } }\n`;
  assert.deepEqual(check(fields), []);
  assert.deepEqual(check(fields, 'warning'), [
    'a.yaml:5:29: warning: there is no "scop" to remove here (did you mean "scope"?) [idle_null]',
  ]);
});

test('a key that a null removes although every dialect needs it is told there', () => {
  assert.deepEqual(check(`${head}tokens:\n`), [
    'a.yaml:5:1: error: "tokens" is missing (nothing stands here, which removes what the variant has)',
  ]);
});

test('a number that YAML 1.1 and 1.2 take for different ones does not load', () => {
  const constants =
    '{ a: { constant: 010 }, b: { constant: 0x1F }, c: { constant: "010" }, d: { constant: 0.5 } }';
  assert.deepEqual(
    check(`${head}token_response: { fields: ${constants} }\ninterface_version: 010\n`),
    [
      'a.yaml:5:44: error: readers of YAML do not agree on the number 010 (write 10, or put it in quotes: "010")',
      'a.yaml:5:66: error: readers of YAML do not agree on the number 0x1F (write 31, or put it in quotes: "0x1F")',
      'a.yaml:6:20: error: expected text, found the number 10 (010 is read as the number 10; put it in quotes: "010")',
    ],
  );
});

test('of a file without a variant that, and not all that it lacks, is told', () => {
  assert.deepEqual(check('Variant: grant\nname: A\nprogramme_identifier: A\nbase_path: a\n'), [
    'a.yaml:1:1: error: unknown key "Variant" (did you mean "variant"?)',
    'a.yaml:1:1: error: the file names no variant, and is no complete dialect by itself (add variant: grant or partner-login; without one client, authorize, code, token_endpoints, grants, scope, tokens, token_response, errors, login are missing)',
    'a.yaml:4:12: error: expected a path such as /api/grant: segments of letters, digits and -_.~:@+=; it begins with a slash',
  ]);
});

test('constants in place of a value are offered as constants, which then load', () => {
  const answer = (value: string): string => `${head}token_response: { fields: { a: ${value} } }\n`;
  const none = 'is no value an answer can hold; one that is always the same is';
  for (const [value, written] of [
    ['3600', '{ constant: 3600 }'],
    ['false', '{ constant: false }'],
    ['{ array: [null] }', 'nothing'],
  ] as const) {
    const [word, column] = value === '{ array: [null] }' ? ['null', 42] : [value, 32];
    assert.deepEqual(check(answer(value)), [
      `a.yaml:5:${column}: error: ${word} ${none} ${written}`,
    ]);
    assert.deepEqual(check(answer(value.replace(word, written))), []);
  }
});

test('words for switches, durations, paths and values say what to write', () => {
  const file = `variant: grant
name: A
programme_identifier: A
base_path: https://a.example/a
metadata: yes
throttle: no
tokens: { access: { lifetime: 1800 } }
token_response: { fields: { a: acces_token, b: Bearer, c: "{subject}/x" } }
`;
  const values =
    'access_token, refresh_token, id_token, scope, access_lifetime, refresh_lifetime, issued_at, access_expires_at, refresh_expires_at, token_id, issued_token_type, subject, grant, kind, level, membership_number, client_id, client_name, business_context, partner_id, programme_identifier, issuer, audience, request_id, nothing';
  assert.deepEqual(check(file), [
    'a.yaml:4:12: error: expected a path such as /api/grant: segments of letters, digits and -_.~:@+=; without scheme and host, which public_url has',
    'a.yaml:5:11: error: expected one of on, off; found "yes" (write on)',
    'a.yaml:6:11: error: expected off or a map, found the text "no" (write off)',
    'a.yaml:7:31: error: expected a duration: a whole number and a unit (ms, s, m, h, d), such as 30m; of seconds, 1800s',
    'a.yaml:8:32: error: "acces_token" is no value an answer can hold; did you mean "access_token"?',
    `a.yaml:8:48: error: "Bearer" is no value an answer can hold; a text that is always the same is { constant: Bearer }, and the values are ${values}`,
    'a.yaml:8:59: error: "{subject}/x" is no value an answer can hold; texts are put together with joined: [ … ]',
  ]);
});

test('a list of inputs replaces those of the variant, which a map is laid over', () => {
  const inputs = '[{ code: { length: 64 } }, { grant_type: {}, refresh_token: {}, scope: {} }]';
  const { loaded, faults } = loadProgramme(
    'a.yaml',
    `${head}authorize: { pkce: off }\ntoken_endpoints: { grant: { inputs: ${inputs} } }\n`,
  );
  assert.deepEqual(faults.filter(({ severity }) => severity === 'error').map(formatFault), []);
  assert.ok(loaded !== undefined);
  assert.deepEqual(loaded.definition.token_endpoints['grant']?.inputs, {
    code: { required: false, length: { min: 64, max: 64 } },
    grant_type: { required: false },
    refresh_token: { required: false },
    scope: { required: false },
  });
  // What `show` prints is the same dialect.
  const again = loadProgramme('a.yaml', stringifyYaml(effectiveDocument(loaded)));
  const { variant: _, ...definition } = loaded.definition;
  assert.deepEqual(again.loaded?.definition, definition);
});

test('faults in a list of inputs stand at their places', () => {
  const list = (inputs: string): readonly string[] =>
    check(`${head}authorize: { pkce: off }\ntoken_endpoints: { grant: { inputs: ${inputs} } }\n`);
  assert.deepEqual(list('[{ code: { lenght: 64 } }, { grant_type: {}, refresh_token: {} }]'), [
    'a.yaml:6:48: error: unknown key "lenght" (did you mean "length"?)',
  ]);
  assert.deepEqual(list('[{ code: { length: 63 } }, { grant_type: {}, refresh_token: {} }]'), [
    'a.yaml:6:56: error: this refuses codes of the shape in code (take it out, or widen it)',
  ]);
  assert.deepEqual(list('[{ code: {} }, { code: {}, grant_type: {}, refresh_token: {} }]'), [
    'a.yaml:6:37: error: a name is given twice in this list',
  ]);
});
