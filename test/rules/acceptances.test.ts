// An accepted warning leaves the faults and stays in the list of departures; names that are none are told.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { loadProgramme, withLogos } from '../../src/rules/load.ts';
import { warningNames } from '../../src/rules/warnings.ts';

const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';

const parameters =
  'client: { authentication: { methods: [basic, parameters], when_both: refuse } }\n';

function told(text: string): readonly string[] {
  return loadProgramme('a.yaml', head + text).faults.map(formatFault);
}

test('an accepted warning stands in the list of departures alone, with its reason', () => {
  const warning =
    'a.yaml:5:38: warning: client secrets are taken as parameters (RFC 6749 2.3.1) (bodies are never logged, and header and parameter together are refused) [parameters_secret]';
  assert.deepEqual(told(parameters), [warning]);
  const text = `${head}${parameters}accepts: { parameters_secret: document of 2011 }\n`;
  const { loaded, faults } = loadProgramme('a.yaml', text);
  assert.deepEqual(faults, []);
  const listed = loaded?.departures.filter(({ isQuiet }) => isQuiet !== true);
  assert.deepEqual(
    listed?.map(({ warning: one, reason }) => [formatFault(one), reason]),
    [[warning, 'document of 2011']],
  );
});

test('a departure of the variant is listed at its line there, accepted or not', () => {
  const partner = head.replace('grant', 'partner-login');
  const { loaded, faults } = loadProgramme('a.yaml', `${partner}accepts: { bare_basic: old }\n`);
  assert.deepEqual(
    faults.map(({ name, at }) => [name, at.file]),
    [['secrets_in_query', 'a.yaml']],
  );
  const listed = loaded?.departures.map(({ warning, reason }) => [
    warning.name,
    warning.at.file,
    warning.path,
    reason,
  ]);
  const at = 'src/variants/partner-login.yaml';
  const code = 'errors.reasons.authentication_missing.error';
  assert.deepEqual(listed, [
    [
      'redirect_uri_not_repeated',
      'src/variants/common.yaml',
      'authorize.redirect_uri.token',
      undefined,
    ],
    ['bare_basic', at, 'client.authentication.methods', 'old'],
    ['no_login_by_get', at, 'authorize.endpoint.methods', undefined],
    ['secrets_in_query', at, 'token_endpoints.key.read', undefined],
    ['parameters_elsewhere', at, 'token_endpoints.key.read', undefined],
    ['other_error_codes', at, code, undefined],
  ]);
});

test('a departure in form alone is listed, and not warned of', () => {
  const status = 'token_response: { status: 201 }\n';
  assert.deepEqual(told(status), []);
  const listed = (text: string): readonly unknown[] =>
    (loadProgramme('a.yaml', head + text).loaded?.departures ?? [])
      .filter(({ warning }) => warning.name === 'other_success_answer')
      .map(({ reason, isQuiet }) => [reason, isQuiet]);
  assert.deepEqual(listed(status), [[undefined, true]]);
  assert.deepEqual(listed(`${status}accepts: { other_success_answer: document of 2011 }\n`), [
    ['document of 2011', undefined],
  ]);
});

test('other warnings can be accepted, and stand in the list where they are', () => {
  const levels = 'scope: { values: [AUTHN-LEVEL-10, AUTHN-LEVEL-15, AUTHN-LEVEL-12] }\n';
  const accepts = 'accepts: { level_order: 12 is the highest }\n';
  assert.match(told(levels).join(), /\[level_order\]$/);
  const { loaded, faults } = loadProgramme('a.yaml', head + levels + accepts);
  assert.deepEqual(faults, []);
  const quiet = [
    ['redirect_uri_not_repeated', undefined],
    ['authentication_status', undefined],
    ['other_error_codes', undefined],
  ];
  assert.deepEqual(
    loaded?.departures.map(({ warning, reason }) => [warning.name, reason]),
    [['level_order', '12 is the highest'], ...quiet],
  );
  assert.deepEqual(
    loadProgramme('a.yaml', head + levels).loaded?.departures.map(({ warning }) => [
      warning.name,
      undefined,
    ]),
    quiet,
  );
});

test('an acceptance of nothing changes nothing, and a name that is none does not load', () => {
  assert.deepEqual(told('accepts: { no_pkce: x, heavy_logos: x }\n'), []);
  assert.deepEqual(told('accepts: { no_pcke: x, idle_acceptance: x }\n'), [
    'a.yaml:5:21: error: there is no warning "no_pcke" (did you mean "no_pkce"?)',
    'a.yaml:5:41: error: there is no warning "idle_acceptance" (check shows the names in brackets)',
  ]);
  assert.deepEqual(told('accepts: { no_pkce: "" }\n').length, 1);
});

test('every warning of every dialect has a name of the list; each departure cites its standard', () => {
  assert.equal(new Set(warningNames).size, warningNames.length);
  for (const name of warningNames) assert.match(name, /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/);
  const files = globSync(['programmes/*.yaml', 'test/dialects/*.yaml']);
  for (const file of files) {
    const result = loadProgramme(basename(file), readFileSync(file, 'utf8'));
    const { loaded, faults } = withLogos(result, () => readFileSync('programmes/third-club.svg'));
    for (const fault of faults)
      assert.ok(warningNames.includes(fault.name ?? ''), formatFault(fault));
    for (const { warning } of loaded?.departures ?? []) {
      assert.match(warning.message, /\(.*(?:RFC \d+|OpenID Connect)/, warning.message);
    }
  }
});
