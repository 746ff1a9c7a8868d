// Constructs that foreign dialects need most: what is said of many reasons at once, and answers given
// whole. Each with what `check` says of its misuse.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { stringifyYaml } from '../../src/lib/yaml/yaml.ts';
import { failureReasons, gatewayRefusals } from '../../src/oauth/reasons.ts';
import { effectiveDocument } from '../../src/rules/effective_document.ts';
import { loadProgramme } from '../../src/rules/load.ts';

const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';

function load(more: string) {
  const { loaded, faults } = loadProgramme('a.yaml', head + more);
  const errors = faults.filter(({ severity }) => severity === 'error').map(formatFault);
  return { loaded, definition: loaded?.definition, errors };
}

test('groups: a later one wins, the file itself wins over all, null takes away', () => {
  const { definition, errors } = load(`errors:
  groups:
    - { reasons: all, status: 200, error_code: 1, challenge: null }
    - { reasons: [invalid_code, throttled], error_code: 2, error_description: null }
    - { reasons: [throttled], error_code: 3 }
  reasons:
    throttled: { status: 429 }
`);
  assert.deepEqual(errors, []);
  const reasons = definition?.errors.reasons;
  assert.deepEqual(reasons?.throttled, {
    status: 429,
    error: 'too_many_tokens',
    error_code: 3,
    extra: {},
    headers: {},
  });
  assert.deepEqual(reasons?.client_authentication_failed, {
    status: 200,
    error: 'invalid_client',
    error_code: 1,
    extra: {},
    headers: {},
  });
  const { error_description: _, ...code } = reasons?.invalid_code ?? {};
  assert.deepEqual(code, {
    status: 200,
    error: 'invalid_grant',
    error_code: 2,
    extra: {},
    headers: {},
  });
  const others = failureReasons.filter(
    (reason) => reason !== 'throttled' && !gatewayRefusals.has(reason),
  );
  assert.deepEqual([...new Set(others.map((reason) => reasons?.[reason].status))], [200]);
  assert.equal('groups' in (definition?.errors ?? {}), false);
});

test('groups: with all, a file without variant needs no list of reasons', () => {
  const errors = `errors: { fields: { error: error }, groups: [{ reasons: all, status: 400 }] }`;
  const { faults } = loadProgramme('a.yaml', errors);
  const about = faults.filter(({ path }) => path.startsWith('errors'));
  // Each lacks its error, which is one slip in one place.
  assert.deepEqual(about.map(formatFault), ['a.yaml:1:46: error: "error" is missing']);
});

test('groups: one slip is one fault, at its place', () => {
  const { errors } = load(`errors:
  groups:
    - { reasons: all, staus: 200 }
    - { reasons: [invalid_cod], error_code: 1 }
    - { reasons: all, status: 99 }
    - { reasons: none, status: 200 }
    - all
`);
  assert.deepEqual(
    errors.map((text) => text.replace(/ \(.*/, '')),
    [
      'a.yaml:7:23: error: unknown key "staus"',
      'a.yaml:8:19: error: expected one of method_not_allowed, unsupported_media_type, body_too_large, malformed_body, repeated_parameter, unknown_parameter, misplaced_parameter, authentication_missing and 30 more; found "invalid_cod"',
      'a.yaml:9:31: error: expected 200 or more, found the number 99',
      'a.yaml:10:18: error: expected all or a list, found the text "none"',
      'a.yaml:11:7: error: expected a map, found the text "all"',
    ],
  );
});

test('fields: a map is merged into those of the variant, a list replaces them', () => {
  const merged = load('token_response: { fields: { scope: null, when: issued_at } }');
  assert.deepEqual(
    [...(merged.definition?.token_response.fields.keys() ?? [])],
    ['access_token', 'refresh_token', 'token_type', 'expires_in', 'ba_refresh_expires_in', 'when'],
  );
  const replaced = load(
    'token_response: { fields: [{ when: issued_at }, { access_token: access_token }] }',
  );
  assert.deepEqual(
    [...(replaced.definition?.token_response.fields.keys() ?? [])],
    ['when', 'access_token'],
  );
});

test('fields: names like whole numbers keep their place, over a variant and in what show prints', () => {
  const { loaded, definition } = load(
    'token_response: { fields: { "10": scope, "2": issued_at } }',
  );
  assert.deepEqual([...(definition?.token_response.fields.keys() ?? [])].slice(-2), ['10', '2']);
  if (loaded === undefined) throw new Error('the file does not load');
  const shown = stringifyYaml(effectiveDocument(loaded));
  const again = loadProgramme('a.yaml', shown).loaded?.definition.token_response.fields;
  assert.deepEqual([...(again ?? [])], [...(definition?.token_response.fields ?? [])]);
});

test('only: in an error body it names failure reasons, nowhere else', () => {
  const good = 'errors: { fields: { hint: { constant: Wait, only: [throttled] } } }';
  assert.deepEqual(load(good).errors, []);
  const bad = 'errors: { fields: { hint: { constant: Wait, only: [refresh_token] } } }';
  assert.match(load(bad).errors[0] ?? '', /expected one of method_not_allowed, .*"refresh_token"/);
});

test('fields: a null is written as nothing, since a null in a file removes the key', () => {
  const { definition, errors } = load(
    'token_response: { fields: { data: nothing, who: { value: level, absent: nothing } } }',
  );
  assert.deepEqual(errors, []);
  const fields = definition?.token_response.fields;
  assert.deepEqual(
    [fields?.get('data'), fields?.get('who')],
    ['nothing', { value: 'level', absent: 'nothing' }],
  );
});

test('forms: a page takes the place of a redirect, a constant that of a value, names that of levels', () => {
  const { definition, errors } = load(`authorize:
  endpoint: { inputs: { scope: {} } }
  failures:
    access_denied: { page: { status: 403, title: No, text: Not here. } }
scope: { kind: list, values: [read] }
token_response: { fields: { token_type: { value: kind } } }
`);
  assert.deepEqual(errors, []);
  assert.deepEqual(definition?.authorize.failures.access_denied, {
    page: { status: 403, title: 'No', text: 'Not here.' },
  });
  assert.deepEqual(definition?.scope, {
    kind: 'list',
    values: ['read'],
    separator: ' ',
    restricted: [],
  });
  assert.deepEqual(definition?.token_response.fields.get('token_type'), { value: 'kind' });
});

test('forms: of one form, what a file says is laid over the variant', () => {
  const { definition } = load('scope: { kind: level, client: AUTHN-LEVEL-12 }');
  assert.deepEqual(definition?.scope, {
    kind: 'level',
    values: ['AUTHN-LEVEL-10', 'AUTHN-LEVEL-12', 'AUTHN-LEVEL-15'],
    client: 'AUTHN-LEVEL-12',
    member_default: 'AUTHN-LEVEL-10',
  });
});

test('answer.more: what no answer can hold does not load', () => {
  const { errors } = load(
    'authorize: { answer: { more: { state: issuer, a: { array: [issuer] }, b: scope } } }',
  );
  assert.equal(errors.length, 1);
  assert.match(errors[0] ?? '', /"scope" is no value an answer can hold/);
});

const refused: Readonly<Record<string, readonly [yaml: string, errors: readonly string[]]>> = {
  'fields: what no body of that encoding can hold does not load': [
    `token_response: { encoding: xml, headers: { X-A: { array: [scope] } } }
errors: { encoding: text, fields: [{ a: { object: {} }, b: { joined: [{ array: [error] }] } }] }
`,
    [
      'a.yaml:5:17: error: XML has one element around all others (put the fields into one object; token_response.fields in variants/grant.yaml, line 62)',
      'a.yaml:5:50: error: a header is one text',
      'a.yaml:6:35: error: an answer in bare text has exactly one field',
      'a.yaml:6:35: error: texts are joined of values and constants: no object or array can be in "joined"',
      'a.yaml:6:41: error: a bare text has no objects, and no lists of them',
      'a.yaml:6:60: error: a bare text has no objects, and no lists of them',
    ],
  ],
  'extra: a value that no reason has does not load': [
    'errors: { fields: { title: extra.titel }, reasons: { throttled: { extra: { title: Slow } } } }',
    [
      'a.yaml:5:19: error: no reason has an "titel" under extra (give it one in errors.reasons or errors.groups)',
    ],
  ],
  'fields: a list that names a member twice does not load': [
    'token_response: { fields: [{ token: access_token }, { token: scope }] }',
    ['a.yaml:5:27: error: a name is given twice in this list'],
  ],
  'lifetimes: none ends on a date that no calendar has': [
    `tokens:
  access: { lifetime: 999999999d }
  refresh: { longest: 3651d }
login: { lifetime: 3650d }
`,
    ['a.yaml:6:23: error: expected at most 3650d', 'a.yaml:7:23: error: expected at most 3650d'],
  ],
  'a header Authorization that holds the credentials can hold nothing else': [
    `token_endpoints:
  grant: { inputs: { refresh_token: { in: header, name: authorization, scheme: Bearer } } }
`,
    [
      'a.yaml:6:37: error: the header Authorization holds the credentials of the client already (read this from another header, or set client.authentication.methods to [parameters])',
    ],
  ],
  'headers: one that is given in two cases does not load': [
    'errors: { reasons: { throttled: { headers: { X-A: a, x-a: b } } } }\n',
    ['a.yaml:5:44: error: a header is given twice here: their names are the same in any case'],
  ],
  'throttle.headers: of two with one name the answer could have only one': [
    `throttle: { headers: { X-Left: remaining, x-a: limit, X-B: window } }
token_response: { headers: { X-A: a } }
errors: { reasons: { throttled: { headers: { x-b: b } } } }
`,
    [
      'a.yaml:5:48: error: token_response.headers has a header of this name, too',
      'a.yaml:5:60: error: errors.reasons.throttled.headers has a header of this name, too',
    ],
  ],
  'throttle.headers: one that names no value, or that is Jetway’s own, does not load': [
    'throttle: { headers: { X-Left: rest, Retry-After: reset_after } }\n',
    [
      'a.yaml:5:32: error: expected one of limit, window, remaining, reset_after, reset_at, policy, state; found "rest"',
      'a.yaml:5:38: error: this header is not for a dialect to set',
    ],
  ],
  'within: only members of a JSON body lie in objects, and no text is one': [
    `token_endpoints:
  grant: { read: [form, json], inputs: { a: { within: [b] }, b: {}, c: { in: json, within: [b, d] } } }
`,
    [
      'a.yaml:6:55: error: only members of a JSON body and elements of XML lie in others (add in: json)',
      'a.yaml:6:55: error: what is an object here is the text "b" already',
      'a.yaml:6:92: error: what is an object here is the text "b" already',
    ],
  ],
  'answer.more: a parameter that is there already, or no text, does not load': [
    'authorize: { answer: { more: { state: issuer, a: { array: [issuer] } } } }',
    [
      'a.yaml:5:22: error: two parameters of the redirect have the same name',
      'a.yaml:5:50: error: a parameter of a redirect is one text',
    ],
  ],
};
for (const [name, [yaml, errors]] of Object.entries(refused)) {
  test(name, () => assert.deepEqual(load(yaml).errors, errors));
}
