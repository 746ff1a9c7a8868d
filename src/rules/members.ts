// Owns the checks of where members are known, and of their numbers.

import type { Definition } from '../language/definition.ts';
import { alphabetOf } from '../language/value_shape.ts';
import { type Complaint, wrong } from '../schema/faults.ts';

type Members = Pick<Definition, 'members'>;

export function* memberComplaints({ members }: Members): Iterable<Complaint> {
  const { directory, url, membership_number: _, ...rest } = members;
  if (directory === 'http') {
    if (url === undefined) {
      yield [
        ['members'],
        '"url" is missing',
        'a directory of kind http needs the address of its hook',
      ];
    }
    yield* certificateComplaints({ members });
    return;
  }
  for (const name of ['url', ...Object.keys(rest)]) {
    if (!Object.hasOwn(members, name)) continue;
    yield [
      ['members', name],
      `"${name}" has no effect on the directory store`,
      'add directory: http, or take it out',
    ];
  }
}

function* certificateComplaints({ members }: Members): Iterable<Complaint> {
  for (const name of ['certificate_file', 'key_file', 'authorities_file'] as const) {
    if (members[name] === undefined || members.url?.startsWith('http:') !== true) continue;
    yield [['members', name], 'an address of plain http has no use for certificates'];
  }
}

/** A shape that no number matches would refuse every member. */
export function* memberNumberComplaints({ members }: Definition): Iterable<Complaint> {
  const { membership_number: shape } = members;
  if (shape === undefined) return;
  const { prefix = '', characters = 'digits', length = { min: 1 } } = shape;
  const isNumber = /^\d{1,24}$/.test(prefix + '1'.repeat(length.min));
  yield* wrong([
    !isNumber || !alphabetOf(characters).includes('1'),
    ['members', 'membership_number'],
    'no membership number has this shape: they are 1 to 24 digits',
  ]);
}
