// What a file says of verification: the header of API keys, and what it says of headers that are held.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { loadProgramme } from '../../src/rules/load.ts';

const head = 'name: Club\nprogramme_identifier: Club\nbase_path: /club\n';

function errorsOf(variant: string, verify: string): readonly string[] {
  return loadProgramme('club.yaml', `variant: ${variant}\n${head}verify: ${verify}\n`)
    .faults.filter(({ severity }) => severity === 'error')
    .map(formatFault);
}

test('C-4: API keys come in a header of their own', () => {
  for (const name of ['X-Api-Key', 'Partner-Key', 'apikey']) {
    assert.deepEqual(errorsOf('partner-login', `{ api_key_header: ${name} }`), [], name);
  }
  const authorization =
    'Authorization has the token, Cookie all cookies, and X-Auth- is how Jetway answers: name another header';
  for (const [name, fault] of [
    ['Authorization', authorization],
    ['authorization', authorization],
    ['X-Auth-Key', authorization],
    ['Host', 'this header is not for a dialect to set'],
    ['Content-Key', 'this header is not for a dialect to set'],
    ['Api Key', 'expected the name of an HTTP header'],
    [
      'Business-Context-Identifier',
      'the input "context" is read from this header (name another header in verify.api_key_header: gateways pass API keys on in it)',
    ],
  ] as const) {
    assert.deepEqual(errorsOf('partner-login', `{ api_key_header: ${name} }`), [
      `club.yaml:5:27: error: ${fault}`,
    ]);
  }
});

test('P-15: what is required must be something that a token endpoint compares', () => {
  for (const word of ['held', 'required', 'ignored']) {
    assert.deepEqual(errorsOf('partner-login', `{ headers: ${word} }`), [], word);
  }
  for (const word of ['held', 'ignored']) {
    assert.deepEqual(errorsOf('grant', `{ headers: ${word} }`), [], word);
  }
  assert.deepEqual(errorsOf('grant', '{ headers: required }'), [
    'club.yaml:5:20: error: there is no header to require: no token endpoint compares one with programme or client (give an input there in: header and must_equal)',
  ]);
  assert.match(errorsOf('grant', '{ headers: requird }').join(), /did you mean "required"/);
});
