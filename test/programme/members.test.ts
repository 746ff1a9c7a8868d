// What a file says of its members' directory: an address that passwords may travel to, and keys that
// go together; and where each fault stands.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { loadProgramme } from '../../src/rules/load.ts';

const head = 'variant: grant\nname: Club\nprogramme_identifier: Club\nbase_path: /club\n';

function errorsOf(members: string): readonly string[] {
  return loadProgramme('club.yaml', `${head}members: ${members}\n`)
    .faults.filter(({ severity }) => severity === 'error')
    .map(formatFault);
}

test('passwords travel over https, or to a neighbour on the same machine', () => {
  for (const url of [
    'https://members.airline.example/jetway',
    'https://members.airline.example',
    'https://members.airline.example:8443/a/b',
    'http://127.0.0.1:9000/hook',
    'http://localhost:9000',
    'http://[::1]:9000',
  ]) {
    assert.deepEqual(errorsOf(`{ directory: http, url: "${url}" }`), [], url);
  }
  for (const url of [
    'http://members.airline.example',
    'http://10.0.0.1:9000',
    'http://localhost.airline.example',
    'http://127.0.0.1.airline.example',
    'ftp://members.airline.example',
    'https://ann:secret@members.airline.example',
    'https://ann@members.airline.example',
    'https://members.airline.example/?a=b',
    'https://members.airline.example/#a',
    'https://members.airline.example/jetway/',
    'https://members.airline.example/',
    'https://Members.airline.example',
    'https://members.airline.example:443',
    'https://members.airline.example/a/../b',
    'members.airline.example',
    '',
  ]) {
    assert.deepEqual(
      errorsOf(`{ directory: http, url: "${url}" }`),
      [
        'club.yaml:5:34: error: expected an https address in its plain form, without query or trailing slash, such as https://members.example.com/jetway; http is for loopback alone',
      ],
      url,
    );
  }
});

test('a directory behind a hook needs its address; the store has no use for what a hook needs', () => {
  assert.deepEqual(errorsOf('{ directory: http }'), [
    'club.yaml:5:10: error: "url" is missing (a directory of kind http needs the address of its hook)',
  ]);
  assert.deepEqual(errorsOf('{ directory: store }'), []);
  assert.deepEqual(errorsOf('{ secret_file: a, concurrency: 3 }'), [
    'club.yaml:5:25: error: "secret_file" has no effect on the directory store (add directory: http, or take it out)',
    'club.yaml:5:41: error: "concurrency" has no effect on the directory store (add directory: http, or take it out)',
  ]);
  assert.deepEqual(
    errorsOf(
      '{ directory: http, url: "http://127.0.0.1:9", key_file: a, certificate_file: b }',
    ).map((fault) => fault.replace(/^club\.yaml:5:\d+: /, '')),
    Array(2).fill('error: an address of plain http has no use for certificates'),
  );
});

test('a directory is asked so much at once as a file says, within reason', () => {
  const withAtOnce = (count: string): readonly string[] =>
    errorsOf(`{ directory: http, url: "https://m.example", concurrency: ${count} }`);
  for (const count of ['1', '1000']) assert.deepEqual(withAtOnce(count), [], count);
  for (const count of ['0', '1001', '1.5', '"8"']) {
    assert.equal(withAtOnce(count).length, 1, count);
  }
  assert.match(errorsOf('{ directory: ldap }')[0] ?? '', /^club\.yaml:5:23: error: .*store.*http/);
});

test('P-15: a shape that no membership number has would refuse every member', () => {
  for (const shape of [
    '{ characters: digits, length: 16..24 }',
    '{ prefix: "99", length: 14..22 }',
    '{ characters: alphanumeric, length: 16 }',
    '{}',
  ]) {
    assert.deepEqual(errorsOf(`{ membership_number: ${shape} }`), [], shape);
  }
  for (const shape of [
    '{ characters: letters, length: 16..24 }',
    '{ prefix: BA, characters: digits, length: 16 }',
    '{ characters: digits, length: 25..30 }',
    '{ prefix: "1234567890", characters: digits, length: 15 }',
  ]) {
    assert.deepEqual(
      errorsOf(`{ membership_number: ${shape} }`),
      ['club.yaml:5:31: error: no membership number has this shape: they are 1 to 24 digits'],
      shape,
    );
  }
});
