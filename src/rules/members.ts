// Owns the checks of where members are known, and of their numbers.

import type { Definition } from '../language/definition.ts';
import { alphabetOf } from '../language/value_shape.ts';
import { fieldsWithin, isText, valueOf } from '../language/value_tree.ts';
import { memberPropertyPrefix } from '../language/vocabularies.ts';
import { signsAccess } from '../programme/token_forms.ts';
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

/** The keys of JWTs alone, and what a member's `sub` can be made of (C-9, HOSTILE 34 and 72). */
export function* tokenOwnerComplaints(definition: Definition): Iterable<Complaint> {
  const { access, client_subject_prefix: prefix } = definition.tokens;
  for (const name of ['issuer', 'subject'] as const) {
    yield* wrong([
      access[name] !== undefined && !signsAccess(definition),
      ['tokens', 'access', name],
      'no access token is a JWT, which alone tells this',
      'set tokens.access.format to jwt, or take this out',
    ]);
  }
  if (access.subject === undefined) return;
  const at = ['tokens', 'access', 'subject'];
  const fields = [...fieldsWithin(access.subject)];
  const named = fields.flatMap((field) => valueOf(field) ?? []);
  const foreign = named.find(
    (name) =>
      !/^(?:subject|membership_number)$/.test(name) && !name.startsWith(memberPropertyPrefix),
  );
  const first = fields.find(
    (field) => typeof field === 'string' || 'value' in field || 'constant' in field,
  );
  const begin = typeof first === 'object' && 'constant' in first ? String(first.constant) : '';
  yield* wrong(
    [
      !isText(access.subject) ||
        fields.some((field) => typeof field === 'object' && 'only' in field),
      at,
      'sub is one text, the same for every grant',
    ],
    [
      foreign !== undefined,
      at,
      `${foreign} does not tell members apart`,
      'membership_number, subject and member.NAME can',
    ],
    [
      named.length === 0,
      at,
      'all members would have this sub',
      'name membership_number, subject or member.NAME in it',
    ],
    [
      begin.startsWith(prefix),
      at,
      `sub would begin with "${prefix}" as those of clients do, so that no member got a token`,
      'let it begin otherwise, or change tokens.client_subject_prefix',
    ],
  );
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
