// Owns the client_credentials grant (RFC 6749 4.4): a partner asks for a token of its own.

import type { Authorization, GrantRequest } from '../authorization.ts';

/** With a refresh token it is a login's, so that revoking the one ends the other (RFC 7009 2.1). */
export function authorizeClient(request: GrantRequest): Authorization {
  const { scope: rules, refreshing } = request.service.programme;
  const scope = rules.ofClient(request.scope);
  const resource = request.inputs.get('resource');
  if (!refreshing.has(request.grant)) return { kind: 'own', scope, resource };
  const { scope: own, now: loggedInAt } = request;
  return { kind: 'login', member: undefined, asked: scope, scope: own, resource, loggedInAt };
}
