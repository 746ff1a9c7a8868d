// Owns the warning about `{parameter}` in texts of failures where no parameter is at fault.

import { positionAt } from '../../lib/document.ts';
import type { YamlNode } from '../../lib/yaml/yaml.ts';
import type { FailureReason } from '../../oauth/failure.ts';
import type { Complaint } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';

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
