// Tests of writing answers: ordered trees of named values, constants, objects and arrays.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { encodingOf } from '../../../src/language/encoding.ts';
import type { ValueFormat } from '../../../src/language/value_format.ts';
import type { Field, FieldTree } from '../../../src/language/value_tree.ts';
import {
  compileBody,
  compileClaims,
  type Values,
  type WritingRules,
} from '../../../src/programme/answers/tree_writer.ts';

const rules: WritingRules = {
  vocabulary: {
    answer: 'token',
    values: {
      name: ['text', ''],
      digits: ['text', ''],
      life: ['span', ''],
      at: ['instant', ''],
      gone: ['text', ''],
      scope: ['scope', ''],
    },
    prefixes: [],
    occasions: ['authorization_code', 'refresh_token'],
  },
  occasion: 'grant',
  split: (scope) => scope.split(' '),
};
const values: Values = {
  name: 'Zoë "Z"',
  digits: '42',
  life: 1_799_999,
  at: Date.parse('2026-01-02T23:59:59.999Z'),
  grant: 'refresh_token',
  scope: 'read write',
};

function treeOf(fields: Readonly<Record<string, Field>>): FieldTree {
  return new Map(Object.entries(fields));
}

function bodyOf(tree: FieldTree, more: Partial<WritingRules> = {}): string {
  return compileBody(tree, { ...rules, ...more })(values);
}

function written(field: Field): unknown {
  return (JSON.parse(bodyOf(treeOf({ x: field }))) as Record<string, unknown>)['x'];
}

describe('compileBody', () => {
  test('lifetimes are whole units, rounded down', () => {
    assert.equal(written('life'), 1799);
    assert.equal(written({ value: 'life', as: 'seconds' }), 1799);
    assert.equal(written({ value: 'life', as: 'milliseconds' }), 1_799_999);
    assert.equal(written({ value: 'life', as: 'minutes' }), 29);
    assert.equal(written({ value: 'life', type: 'string' }), '1799');
  });

  test('times are epochs or dates, in UTC', () => {
    assert.equal(written('at'), 1_767_398_399);
    assert.equal(written({ value: 'at', as: 'epoch' }), 1_767_398_399);
    assert.equal(written({ value: 'at', as: 'epoch_milliseconds' }), 1_767_398_399_999);
    assert.equal(written({ value: 'at', as: 'date' }), '2026-01-02');
    assert.equal(written({ value: 'at', as: 'date_time' }), '2026-01-02T23:59:59Z');
    assert.equal(written({ value: 'at', as: 'epoch', type: 'string' }), '1767398399');
  });

  test('a time has as many digits of a second as the file says', () => {
    const at = (as: ValueFormat, fraction: number): unknown =>
      written({ value: 'at', as, fraction, zone: '+08:00' });
    assert.equal(at('date_time', 1), '2026-01-03T07:59:59.9+08:00');
    assert.equal(at('date_time_offset', 3), '2026-01-03T07:59:59.999+08:00');
    assert.equal(at('date_time_offset_digits', 7), '2026-01-03T07:59:59.9990000+0800');
    assert.equal(at('date_time_space', 9), '2026-01-03 07:59:59.999000000');
    const milliseconds = { value: 'at', as: 'date_time_milliseconds' } as const;
    assert.equal(written(milliseconds), written({ value: 'at', as: 'date_time', fraction: 3 }));
    const microseconds = { value: 'at', as: 'date_time_microseconds' } as const;
    assert.equal(written(microseconds), written({ value: 'at', as: 'date_time', fraction: 6 }));
  });

  test('a constant is a number by all of its characters', () => {
    const constant = '-12345678901234567890.10e2';
    const fields = treeOf({ a: { constant, type: 'number' }, b: { constant } });
    assert.equal(bodyOf(fields), `{"a":${constant},"b":"${constant}"}`);
    assert.equal(bodyOf(fields, { encoding: encodingOf.form }), `a=${constant}&b=${constant}`);
    const claims = compileClaims(fields, rules);
    assert.equal(JSON.stringify(claims({})), `{"a":${constant},"b":"${constant}"}`);
  });

  test('a text stands before a body', () => {
    assert.equal(bodyOf(treeOf({ a: 'digits' }), { before: ")]}',\n" }), `)]}',\n{"a":"42"}`);
  });

  test('digits are bare or in quotes, as the file says', () => {
    assert.equal(written('digits'), '42');
    assert.equal(written({ value: 'digits', type: 'number' }), 42);
    const jti = compileBody(treeOf({ jti: { value: 'digits', type: 'number' } }), rules);
    const most = String(Number.MAX_SAFE_INTEGER);
    assert.equal(jti({ digits: most }), `{"jti":${most}}`);
  });

  test('what is absent is left out, or written as null', () => {
    assert.equal(written('gone'), undefined);
    assert.equal(bodyOf(treeOf({ x: 'gone', y: 'digits' })), '{"y":"42"}');
    assert.equal(written({ value: 'gone', absent: 'nothing' }), null);
    assert.deepEqual(written({ array: ['gone', 'digits'] }), ['42']);
    assert.deepEqual(written({ object: treeOf({ a: 'gone' }) }), {});
  });

  test('a member can be for some grants only', () => {
    assert.equal(written({ value: 'digits', only: ['refresh_token'] }), '42');
    assert.equal(written({ value: 'digits', only: ['authorization_code'] }), undefined);
    assert.equal(written({ constant: 1, only: [] }), undefined);
    assert.deepEqual(written({ object: treeOf({ a: 'digits' }), only: ['refresh_token'] }), {
      a: '42',
    });
  });

  test('names are written in the case asked for, at every depth; values are not', () => {
    const fields = treeOf({
      Access_Token: 'name',
      Inner: { object: treeOf({ Deep: { constant: 'Ab' } }) },
    });
    const name = JSON.stringify(values['name']);
    assert.equal(
      bodyOf(fields, { nameCase: 'upper' }),
      `{"ACCESS_TOKEN":${name},"INNER":{"DEEP":"Ab"}}`,
    );
    assert.equal(
      bodyOf(fields, { nameCase: 'lower', wrap: ['Out', 'IN'] }),
      `{"out":{"in":{"access_token":${name},"inner":{"deep":"Ab"}}}}`,
    );
  });

  test('names like whole numbers and properties of objects stand where the layout has them', () => {
    const fields = treeOf({ b: 'digits' });
    const more = [
      ['10', 'digits'],
      ['2', 'gone'],
      ['1', 'digits'],
    ] as const;
    assert.equal(bodyOf(new Map([...fields, ...more])), '{"b":"42","10":"42","1":"42"}');
    const own = ['constructor', '__proto__', 'toString'].map((name) => [name, 'digits'] as const);
    assert.equal(bodyOf(new Map(own)), '{"constructor":"42","__proto__":"42","toString":"42"}');
  });

  test('the first field that there is stands for all of them', () => {
    assert.equal(written({ first: ['gone', 'digits', 'name'] }), '42');
    assert.equal(
      written({
        first: [{ constant: 'user', only: ['authorization_code'] }, { constant: 'renewed' }],
      }),
      'renewed',
    );
    assert.deepEqual(written({ first: ['gone', { object: treeOf({ a: 'digits' }) }] }), {
      a: '42',
    });
    assert.equal(written({ first: ['gone'] }), undefined);
  });

  test('texts are joined where all of them are there', () => {
    assert.equal(written({ joined: [{ constant: 'no/' }, 'digits', { constant: 7 }] }), 'no/427');
    assert.equal(written({ joined: ['digits', 'gone'] }), undefined);
    assert.equal(written({ joined: ['digits', { first: ['gone', { constant: '' }] }] }), '42');
    assert.equal(written({ joined: [{ constant: 'a', only: ['authorization_code'] }] }), undefined);
  });

  test('scopes stand as they were asked for, with other separators, or as a list', () => {
    assert.equal(written('scope'), 'read write');
    assert.equal(written({ value: 'scope', as: 'commas' }), 'read,write');
    assert.equal(written({ value: 'scope', as: 'spaces' }), 'read write');
    assert.deepEqual(written({ value: 'scope', as: 'list' }), ['read', 'write']);
    assert.equal(written({ joined: [{ value: 'scope', as: 'commas' }] }), 'read,write');
  });
});

describe('encodings', () => {
  const fields = treeOf({
    token: 'name',
    scope: { value: 'scope', as: 'list' },
    gone: 'gone',
    none: { value: 'gone', absent: 'nothing' },
    life: 'life',
  });

  test('a form percent-encodes, and repeats what is a list', () => {
    assert.equal(
      bodyOf(fields, { encoding: encodingOf.form }),
      'token=Zo%C3%AB+%22Z%22&scope=read&scope=write&none=&life=1799',
    );
    assert.deepEqual(
      [...new URLSearchParams(bodyOf(fields, { encoding: encodingOf.form }))],
      [
        ['token', 'Zoë "Z"'],
        ['scope', 'read'],
        ['scope', 'write'],
        ['none', ''],
        ['life', '1799'],
      ],
    );
  });

  test('XML escapes, and repeats the element of a list', () => {
    assert.equal(
      bodyOf(fields, { encoding: encodingOf.xml, wrap: ['OAuth'] }),
      '<?xml version="1.0" encoding="UTF-8"?>\n<OAuth><token>Zoë &quot;Z&quot;</token>' +
        '<scope>read</scope><scope>write</scope><none/><life>1799</life></OAuth>',
    );
    const hostile = treeOf({ a: { constant: '<a>&]]>\u0000\ud800' } });
    assert.match(
      bodyOf(hostile, { encoding: encodingOf.xml }),
      /&lt;a&gt;&amp;\]\]&gt;\ufffd\ufffd</,
    );
  });

  test('a bare text is the value and nothing else', () => {
    assert.equal(bodyOf(treeOf({ token: 'name' }), { encoding: encodingOf.text }), 'Zoë "Z"');
  });
});
