// Owns the checks of where members are known, and of their numbers.

import type { Definition } from '../language/definition.ts';
import { alphabetOf } from '../language/value_shape.ts';
import { type Field, fieldsWithin, isText, valueOf } from '../language/value_tree.ts';
import { isDrawn, memberPropertyPrefix } from '../language/vocabularies.ts';
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
  const drawn = named.find(isDrawn);
  const begin = beginningOf(access.subject).text;
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
      drawn !== undefined,
      at,
      `${drawn} is another at each login`,
      'membership_number, subject and member.NAME tell members apart',
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

/** The constants with which a text begins, and whether it has nothing else. */
function beginningOf(field: Field): { readonly text: string; readonly isWhole: boolean } {
  if (typeof field === 'object' && 'constant' in field) {
    return { text: String(field.constant), isWhole: true };
  }
  // Of several the first that there is; a constant always is.
  if (typeof field === 'object' && 'first' in field && field.first[0] !== undefined) {
    return beginningOf(field.first[0]);
  }
  const isJoined = typeof field === 'object' && 'joined' in field;
  let text = '';
  for (const part of isJoined ? field.joined : []) {
    const own = beginningOf(part);
    text += own.text;
    if (!own.isWhole) return { text, isWhole: false };
  }
  return { text, isWhole: isJoined };
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
