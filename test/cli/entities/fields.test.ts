// Owns the promise that a field's description alone makes its options, columns, checks, change and view.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  addOptions,
  changeFields,
  complaintsOf,
  type Fields,
  givenIn,
  inputsOf,
  newInputsOf,
  readFields,
  setOptions,
  textField,
} from '../../../src/cli/entities/fields.ts';
import { jsonOf, sheetOf, showFields } from '../../../src/cli/entities/shown.ts';
import { option } from '../../../src/cli/grammar/options.ts';
import { readCsvTable } from '../../../src/cli/import/csv_table.ts';
import { columnsHelp } from '../../../src/cli/import/table.ts';
import { readYamlTable } from '../../../src/cli/import/yaml_table.ts';

interface Plane {
  readonly tailNumber?: string;
}

const fields: Fields<Plane> = {
  tailNumber: textField(
    {
      name: 'tail_number',
      required: true,
      check: (text) => (text.startsWith('D-') ? undefined : 'must begin with D-'),
      flags: '--tail-number <text>',
      help: 'as it is painted',
    },
    'take the number away',
  ),
};

/** What is wrong with options, and what becomes of a plane by them. */
function readOptions(options: object, before: Plane): readonly unknown[] {
  const given = givenIn({ ...options }, inputsOf(fields));
  return [complaintsOf(fields, given), changeFields(fields, before, given)];
}

test('one description makes options, columns, checks, change and view', () => {
  assert.deepEqual(addOptions(fields), [
    option('--tail-number <text>', 'as it is painted', { required: true }),
  ]);
  assert.deepEqual(setOptions(fields), [
    option('--tail-number <text>', 'as it is painted'),
    option('--no-tail-number', 'take the number away'),
  ]);
  const old = { tailNumber: 'D-OLD' };
  assert.deepEqual(readOptions({ tailNumber: 'D-NEW' }, old), [[], { tailNumber: 'D-NEW' }]);
  assert.deepEqual(readOptions({ tailNumber: false }, old), [[], {}]);
  assert.deepEqual(readOptions({}, old), [[], old]);
  assert.deepEqual(readOptions({ tailNumber: 'N1' }, old)[0], [
    { message: '--tail-number must begin with D-' },
  ]);

  const columns = newInputsOf(fields);
  assert.equal(columnsHelp('plane', columns), 'tail_number, which every plane needs');
  const csv = readCsvTable('a.csv', 'tail_number\nD-ABC\nN1\n', columns, '');
  const yaml = readYamlTable(
    'a.yaml',
    '- tail_number: D-ABC\n- tail_number: N1\n',
    columns,
    'plane',
  );
  for (const { rows, faults } of [csv, yaml]) {
    assert.deepEqual(faults, []);
    assert.deepEqual(
      rows.map(({ given }) => readFields(fields, given)),
      [{ tailNumber: 'D-ABC' }, { tailNumber: 'N1' }],
    );
    assert.deepEqual(
      rows.map(({ given }) => complaintsOf(fields, given).map(({ message }) => message)),
      [[], ['tail_number must begin with D-']],
    );
  }

  assert.deepEqual(jsonOf(showFields(fields, old)), { tail_number: 'D-OLD' });
  assert.deepEqual(jsonOf(showFields(fields, {})), { tail_number: null });
  assert.equal(sheetOf(showFields(fields, old)), '  tail number  D-OLD');
});
