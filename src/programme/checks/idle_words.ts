// Owns the warnings about words of a file that stand for nothing in its dialect: in lists, and `{parameter}`
// in texts of failures where no parameter is at fault.

import { nodeAt, positionAt } from '../../lib/document.ts';
import type { Path } from '../../lib/fault.ts';
import type { YamlNode } from '../../lib/yaml/node.ts';
import { grantTypes } from '../../oauth/grant.ts';
import type { FailureReason } from '../../oauth/reasons.ts';
import type { Complaint } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import { headerFields } from '../language/response_headers.ts';
import { type Field, placedParts } from '../language/value_tree.ts';
import { endpointsIn } from './endpoints.ts';

/** HOSTILE 58. Words of the variant are not the file's: it may have switched off what they are for. */
export function* idleLists(definition: Definition, document: YamlNode): Iterable<Complaint> {
  for (const complaint of idleWords(definition)) {
    const [path] = complaint;
    if (nodeAt(document, path)?.at.file === document.at.file) yield complaint;
  }
}

function* idleWords(definition: Definition): Iterable<Complaint> {
  const { grants, authorize, token_response: response, tokens } = definition;
  const off = (grant: string): string | undefined =>
    grantTypes.some((type) => type === grant && grants[type] === undefined)
      ? `the grant ${grant} is off: it has no answer to hold this`
      : undefined;
  const unsent = (outcome: string): string | undefined =>
    Object.entries(authorize.failures).some(([name, to]) => name === outcome && 'page' in to)
      ? `${outcome} is told on a page: there is no redirect to hold this`
      : undefined;
  for (const [at, fields, idle] of [
    [['token_response', 'fields'], response.fields, off],
    [['token_response', 'headers'], headerFields(response.headers), off],
    [['tokens', 'access', 'claims'], tokens.access.claims, off],
    [['authorize', 'answer', 'more'], authorize.answer.more, unsent],
  ] as const) {
    for (const [name, field] of fields) yield* idleOccasions([...at, name], field, idle);
  }
  for (const [at, { read, media_types: types }, name] of endpointsIn(definition)) {
    if (types.length === 0 || (name !== undefined && read.some((place) => place !== 'query'))) {
      continue;
    }
    yield [[...at, 'media_types'], 'no body is read here, whatever its media type'];
  }
}

function* idleOccasions(
  at: Path,
  field: Field,
  idle: (occasion: string) => string | undefined,
): Iterable<Complaint> {
  if (typeof field === 'string') return;
  for (const [index, occasion] of (field.only ?? []).entries()) {
    const message = idle(occasion);
    if (message !== undefined) yield [[...at, 'only', index], message, 'take it out'];
  }
  for (const [place, part] of placedParts(field)) {
    yield* idleOccasions([...at, ...place], part, idle);
  }
}

/** Reasons whose failures name no parameter. */
const nameless: readonly FailureReason[] = [
  'method_not_allowed',
  'body_too_large',
  'malformed_body',
  'client_authentication_failed',
  'grant_not_allowed',
  'throttled',
  'invalid_code',
  'invalid_refresh_token',
  'invalid_member_credentials',
  'invalid_assertion',
  'server_error',
  'temporarily_unavailable',
];

/** `{parameter}` in the text of a failure that names none; one warning for a whole group. */
export function* idleParameters({ errors }: Definition, document: YamlNode): Iterable<Complaint> {
  const told = nameless
    .filter((reason) => errors.reasons[reason].error_description?.includes('{parameter}'))
    .map((reason) => ({ reason, path: ['errors', 'reasons', reason, 'error_description'] }));
  const places = Map.groupBy(told, ({ path }) => JSON.stringify(positionAt(document, path)));
  for (const group of places.values()) {
    const reasons = group.map(({ reason }) => reason).join(', ');
    const message = `no parameter is at fault in ${reasons}: {parameter} stands for nothing there`;
    yield [group[0]?.path ?? [], message];
  }
}
