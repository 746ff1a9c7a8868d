// Owns the wire contract of a programme: all that partners, gateways and browsers can see of it.

import type { Definition } from '../language/definition.ts';
import { logsIn, type Programme } from '../programme.ts';
import { failureItems } from './failures.ts';
import { furtherEndpoints, verification } from './gateways.ts';
import type { Endpoint } from './item.ts';
import { loginPage, loginRequest } from './login.ts';
import { clientAuthentication, tokenEndpoints, tokenItems } from './tokens.ts';

/** The endpoints in the order in which a partner meets them; `programme` is `definition` compiled. */
export function wireContract(definition: Definition, programme: Programme): readonly Endpoint[] {
  const login = logsIn(programme)
    ? [loginRequest(definition, programme), loginPage(definition, programme)]
    : [];
  return [
    ...login,
    clientAuthentication(definition, programme),
    ...tokenEndpoints(definition, programme),
    tokenItems(definition, programme),
    { kind: 'failed requests', items: failureItems(definition, programme) },
    verification(definition, programme),
    ...furtherEndpoints(definition, programme),
  ];
}
