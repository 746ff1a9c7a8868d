// Constructs that foreign dialects need most: what is said of many reasons at once, and answers given
// whole. What `check` says of their misuse is in test/rules/*.cases.

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
  assert.deepEqual(
    faults.filter(({ path }) => path.startsWith('errors')),
    [],
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
    unknown: 'refuse',
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
