// Tests of parameters in XML bodies.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseXml } from '../../../src/oauth/bodies/xml_parameters.ts';
import { charsetOf } from '../../../src/oauth/charset.ts';
import {
  MalformedParameters,
  maxParameters,
  memberPath,
  separator,
} from '../../../src/oauth/parameters.ts';

const paths = {
  values: new Map([
    ['code', undefined],
    [memberPath(['login', 'id']), undefined],
  ]),
  objects: new Set(['login']),
};

function read(xml: string, root?: string): Record<string, readonly string[]> {
  const found = parseXml(Buffer.from(xml), undefined, paths, root);
  return Object.fromEntries(
    [...found].map(([path, all]) => [path.replaceAll(separator, '.'), all]),
  );
}

test('elements and attributes stand under their paths, by local names', () => {
  const xml = `<s:r xmlns:s="u" x="1"><s:code y="2">a</s:code>
    <login z="3"><id>b</id><t:id xmlns:t="v"/></login><other q="4"><code>c</code></other></s:r>`;
  assert.deepEqual(read(xml), {
    '@x': ['1'],
    code: ['a'],
    'code.@y': ['2'],
    login: [''],
    'login.@z': ['3'],
    'login.id': ['b', ''],
    other: [''],
  });
});

test('what is no parameter is refused', () => {
  for (const xml of [
    '<r>x</r>',
    '<r><code><a/></code></r>',
    '<r><login>x</login></r>',
    '<r>',
    '',
  ]) {
    assert.throws(() => read(xml), MalformedParameters, xml);
  }
  assert.throws(() => read('<r/>', 'q'), { message: 'the element q was expected' });
  assert.deepEqual(read('<p:q xmlns:p="u"/>', 'q'), {});
});

test(`takes ${maxParameters} parameters and no more`, () => {
  const many = (count: number): string => `<r>${'<a/>'.repeat(count)}</r>`;
  assert.equal(read(many(maxParameters))['a']?.length, maxParameters);
  assert.throws(() => read(many(maxParameters + 1)), MalformedParameters);
});

test('the media type tells the charset, or else the declaration, or it is UTF-8', () => {
  const body = (xml: string): Buffer => Buffer.from(xml, 'latin1');
  const latin = '<?xml version="1.0" encoding="ISO-8859-1"?><r><code>\u00e9</code></r>';
  const code = (xml: string, label?: string): readonly string[] | undefined =>
    parseXml(body(xml), label === undefined ? undefined : charsetOf(label), paths).get('code');
  assert.deepEqual(code(latin), ['\u00e9']);
  assert.deepEqual(code(latin, 'iso-8859-1'), ['\u00e9']);
  assert.throws(() => code(latin, 'utf-8'), MalformedParameters);
  assert.throws(() => code(latin.replace('ISO-8859-1', 'UTF-16')), MalformedParameters);
  assert.throws(() => code('<r><code>\u00e9</code></r>'), MalformedParameters);
});
