// Tests of answer layouts: ordered trees of named values, constants, objects and arrays.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import fc from 'fast-check';

import {
  compileTree,
  type Field,
  type FieldTree,
  type Values,
} from '../../src/programme/value_tree.ts';

const kinds = { name: 'text', digits: 'text', life: 'span', at: 'instant', gone: 'text' } as const;
const values: Values = {
  name: 'Zoë "Z"',
  digits: '42',
  life: 1_799_999,
  at: Date.parse('2026-01-02T23:59:59.999Z'),
  grant: 'refresh_token',
};

function written(field: Field): unknown {
  return compileTree({ x: field }, kinds)(values)['x'];
}

/** The tree with each value in its place, worked out by looking at it anew each time. */
function expected(tree: FieldTree): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(tree).flatMap(([name, field]) => {
      const value = valueOf(field);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function valueOf(field: Field): unknown {
  if (typeof field === 'string') return values[field];
  if ('constant' in field) return field.constant;
  if ('object' in field) return expected(field.object);
  if ('array' in field) return field.array.map(valueOf).filter((item) => item !== undefined);
  return values[field.value] ?? (field.absent === 'nothing' ? null : undefined);
}

const memberName = fc.constantFrom('access_token', 'b', 'constructor', 'toString', 'a b', 'É');
const { tree } = fc.letrec<{ tree: FieldTree; field: Field }>((tie) => ({
  tree: fc.dictionary(memberName, tie('field'), { maxKeys: 4 }),
  field: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom('name', 'digits', 'gone'),
    fc.record({ constant: fc.oneof(fc.string(), fc.integer(), fc.boolean()) }),
    fc.record({
      value: fc.constantFrom('name', 'gone'),
      absent: fc.constantFrom('omit', 'nothing'),
    }),
    fc.record({ object: tie('tree') }),
    fc.record({ array: fc.array(tie('field'), { maxLength: 3 }) }),
  ),
}));

describe('compileTree', () => {
  test('writes any tree with its members in order', () => {
    fc.assert(
      fc.property(tree, (one) => {
        assert.equal(
          JSON.stringify(compileTree(one, kinds)(values)),
          JSON.stringify(expected(one)),
        );
      }),
    );
  });

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

  test('digits are bare or in quotes, as the file says', () => {
    assert.equal(written('digits'), '42');
    assert.equal(written({ value: 'digits', type: 'number' }), 42);
    const jti = compileTree({ jti: { value: 'digits', type: 'number' } }, kinds);
    const most = String(Number.MAX_SAFE_INTEGER);
    assert.equal(JSON.stringify(jti({ digits: most })), `{"jti":${most}}`);
  });

  test('what is absent is left out, or written as null', () => {
    assert.equal(written('gone'), undefined);
    assert.deepEqual(compileTree({ x: 'gone', y: 'digits' }, kinds)(values), { y: '42' });
    assert.equal(written({ value: 'gone', absent: 'nothing' }), null);
    assert.deepEqual(written({ array: ['gone', 'digits'] }), ['42']);
    assert.deepEqual(written({ object: { a: 'gone' } }), {});
  });

  test('a member can be for some grants only', () => {
    assert.equal(written({ value: 'digits', only: ['refresh_token'] }), '42');
    assert.equal(written({ value: 'digits', only: ['authorization_code'] }), undefined);
    assert.equal(written({ constant: 1, only: [] }), undefined);
    assert.deepEqual(written({ object: { a: 'digits' }, only: ['refresh_token'] }), { a: '42' });
  });

  test('names are written in the case asked for, at every depth; values are not', () => {
    const fields: FieldTree = {
      Access_Token: 'name',
      Inner: { object: { Deep: { constant: 'Ab' } } },
    };
    assert.deepEqual(compileTree(fields, kinds, 'upper')(values), {
      ACCESS_TOKEN: values['name'],
      INNER: { DEEP: 'Ab' },
    });
    assert.deepEqual(compileTree(fields, kinds, 'lower')(values), {
      access_token: values['name'],
      inner: { deep: 'Ab' },
    });
  });
});
