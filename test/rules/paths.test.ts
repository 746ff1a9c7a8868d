// Tests of which programmes with values in their paths can stand side by side, and what their metadata says; faults of
// a programme's own paths are in the tables beside this file.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { deploy } from '../../src/programme/deployment.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';

const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';
const tokensAt = (path: string, inputs: string, more = ''): string =>
  `token_endpoints: { grant: { path: "${path}", inputs: { ${inputs} }${more} } }\n`;
const tenant = 'tenant: { in: path, must_equal: client.tenant }';

test('the metadata names the first of the values that are allowed', () => {
  const version = 'version: { in: path, allowed: [v2.0, v1.0] }';
  const { loaded } = loadProgramme(
    'a.yaml',
    `${head}${tokensAt('/{version}/token', version)}metadata: on\n`,
  );
  assert.ok(loaded);
  const { metadata } = compileProgramme(loaded.id, loaded.definition, 'https://tokens.example');
  const text = metadata?.document({ introspection: false, keySet: false }) ?? '{}';
  const { token_endpoint: endpoint } = JSON.parse(text) as { readonly token_endpoint?: string };
  assert.equal(endpoint, 'https://tokens.example/a/v2.0/token');
});

/** What is said where programmes of these base paths stand side by side; the first has a value in a path. */
function conflicts(
  ...bases: readonly (readonly [base: string, yaml: string])[]
): readonly string[] {
  const programmes = bases.map(([base, yaml], index) => {
    const text = head.replace('/a\n', `${base}\n`) + yaml;
    const { loaded, faults } = loadProgramme(`p${index}.yaml`, text);
    assert.ok(loaded, faults.map(formatFault).join('\n'));
    return compileProgramme(loaded.id, loaded.definition, 'https://tokens.example');
  });
  return deploy(programmes).conflicts.map(({ message }) => message);
}

test('C-2: programmes whose paths could both be meant are told, in whatever order', () => {
  const pattern = tokensAt('/{tenant}/token', tenant);
  const plain = tokensAt('/token', '');
  const message = (other: string, theirs: string, own: string): string =>
    `${other} answers at ${theirs} already, and one path can be that and ${own}: give one of them another base_path`;
  assert.deepEqual(conflicts(['/', pattern], ['/club', plain]), [
    message('p0', '/{tenant}/token', '/club/token'),
  ]);
  assert.deepEqual(conflicts(['/club', plain], ['/', pattern]), [
    message('p0', '/club/token', '/{tenant}/token'),
  ]);
  assert.deepEqual(
    conflicts(
      ['/', tokensAt('/{shop}/verify/{tenant}', `${tenant}, shop: { in: path }`)],
      ['/club', plain],
    ),
    [message('p0', '/{shop}/verify/{tenant}', '/club/verify/*')],
  );
  assert.deepEqual(conflicts(['/', pattern], ['/club', tokensAt('/grant', '')]), []);
  assert.deepEqual(conflicts(['/one', pattern], ['/other', pattern]), []);
});
