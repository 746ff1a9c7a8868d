// Owns the checks of answers: each contains its token, no name hides another, and each encoding can
// hold its layout: a form has no objects, XML has one root, a bare text has one member.

import type { Path } from '../../lib/fault.ts';
import { type Complaint, wrong } from '../../schema/complaint.ts';
import { cookieFields } from '../answers/cookies.ts';
import type { Definition } from '../language/definition.ts';
import { headerFields } from '../language/response_headers.ts';
import {
  type FieldTree,
  fieldsOf,
  fieldsWithin,
  inCase,
  isObject,
  isText,
  type NameCase,
  writtenValues,
} from '../language/value_tree.ts';
import { extraPrefix } from '../language/vocabularies.ts';
import { offeredGrants } from '../requests/grant_places.ts';
import { headerComplaints } from './headers.ts';
import { attributeComplaints, type Layout, xmlComplaints } from './xml_answers.ts';

export function* answerComplaints(definition: Definition): Iterable<Complaint> {
  const { token_response: response, errors, authorize, tokens } = definition;
  for (const grant of offeredGrants(definition)) {
    const places = [
      response.fields,
      headerFields(response.headers),
      cookieFields(response.cookies),
    ];
    if (places.some((place) => writtenValues(place, grant).has('access_token'))) continue;
    yield [['token_response', 'fields'], `the answer to ${grant} does not hold the access_token`];
  }
  for (const [at, { fields, name_case: nameCase }] of [
    ['token_response', response],
    ['errors', errors],
  ] as const) {
    for (const name of hiddenNames(fields, nameCase)) {
      const message = `two members are named "${name}" once name_case is applied`;
      yield [[at, 'fields'], message, 'one would hide the other'];
    }
  }
  yield* extraComplaints(definition);
  yield* headerComplaints(definition);
  yield* encodingComplaints(definition);
  const { more, ...parameters } = authorize.answer;
  const names = [...Object.values(parameters), ...more.keys()];
  yield* wrong([
    new Set(names).size < names.length,
    ['authorize', 'answer'],
    'two parameters of the redirect have one name',
  ]);
  const at = ['tokens', 'access', 'claims'];
  for (const name of tokens.access.claims.keys()) {
    if (!reservedClaims.test(name)) continue;
    yield [[...at, name], `Jetway sets the claim "${name}" itself`];
  }
  for (const value of writtenValues(tokens.access.claims)) {
    if (notInTokens.has(value)) yield [at, `a token cannot hold the ${value}`];
  }
}

/** Values that exist only after the tokens are made. */
const notInTokens = new Set(['access_token', 'refresh_token', 'id_token', 'request_id']);

/** RFC 7519 4.1 and RFC 9068 2.2; with `nbf` a dialect could make tokens that are never valid. */
const reservedClaims = /^(?:iss|sub|aud|exp|nbf|iat|jti|client_id|scope|family)$/;

/** Member names of one object that become equal in the dialect's case. */
function* hiddenNames(tree: FieldTree, nameCase: NameCase): Iterable<string> {
  const seen = new Set<string>();
  for (const [name, field] of tree) {
    const written = inCase(name, nameCase);
    if (seen.has(written)) yield written;
    seen.add(written);
    for (const inner of fieldsWithin(field)) {
      if (isObject(inner)) yield* hiddenNames(inner.object, nameCase);
    }
  }
}

/** Names `extra.…` for which no reason has a value. */
function* extraComplaints({ errors }: Definition): Iterable<Complaint> {
  const given = new Set(Object.values(errors.reasons).flatMap(({ extra }) => Object.keys(extra)));
  for (const value of writtenValues(errors.fields)) {
    const name = value.slice(extraPrefix.length);
    if (!value.startsWith(extraPrefix) || given.has(name)) continue;
    yield [
      ['errors', 'fields'],
      `no reason has an "${name}" under extra`,
      'give it one in errors.reasons or errors.groups',
    ];
  }
}

/** Layouts that their encoding cannot hold. */
function* encodingComplaints(definition: Definition): Iterable<Complaint> {
  const { token_response: response, authorize, errors, tokens } = definition;
  const headers = headerFields(response.headers);
  const { more } = authorize.answer;
  yield* bodyComplaints(['token_response', 'fields'], response);
  yield* bodyComplaints(['errors', 'fields'], { ...errors, wrap: [] });
  for (const [name, field] of headers) {
    if (!isText(field)) yield [['token_response', 'headers', name], 'a header is one text'];
  }
  for (const [name, field] of more) {
    if (isText(field)) continue;
    yield [['authorize', 'answer', 'more', name], 'a parameter of a redirect is one text'];
  }
  for (const [at, tree] of [
    [['token_response', 'fields'], response.fields],
    [['token_response', 'headers'], headers],
    [['errors', 'fields'], errors.fields],
    [['authorize', 'answer', 'more'], more],
    [['tokens', 'access', 'claims'], tokens.access.claims],
  ] as const) {
    const isXml =
      (tree === response.fields && response.encoding === 'xml') ||
      (tree === errors.fields && errors.encoding === 'xml');
    yield* attributeComplaints(at, tree, isXml);
    for (const field of fieldsOf(tree)) {
      if (typeof field === 'string' || !('joined' in field) || isText(field)) continue;
      yield [at, 'texts are joined of values and constants: no object or array can be in "joined"'];
    }
  }
}

function* bodyComplaints(at: Path, layout: Layout): Iterable<Complaint> {
  const { encoding, fields: tree, wrap } = layout;
  if (encoding === 'json') return;
  if (encoding === 'xml') {
    yield* xmlComplaints(at, layout);
    return;
  }
  const body = encoding === 'form' ? 'a form' : 'a bare text';
  yield* wrong(
    [wrap.length > 0, ['token_response', 'wrap'], `${body} has no objects`],
    [
      encoding === 'text' && tree.size !== 1,
      at,
      'a bare text is the value of one field, and of no more',
    ],
  );
  for (const [name, field] of tree) {
    if (isText(field)) continue;
    const items = typeof field === 'object' && 'array' in field ? field.array : undefined;
    if (encoding === 'form' && items?.every(isText) === true) continue;
    yield [[...at, name], `${body} has no objects, and no lists of them`];
  }
}
