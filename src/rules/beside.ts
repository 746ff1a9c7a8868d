// Owns the checks of a client's own token beside a member's: that some client can get it, and that it is told whole.

import { authenticationAt } from '../language/client_schema.ts';
import type { Definition } from '../language/definition.ts';
import { writtenValues } from '../language/value_tree.ts';
import { besideNames } from '../language/vocabularies.ts';
import type { Path } from '../lib/fault.ts';
import type { GrantType } from '../oauth/grant.ts';
import { methodRows } from '../oauth/methods.ts';
import { grantsWith } from '../programme/answers/beside.ts';
import { layoutsOf } from '../programme/answers/layouts.ts';
import { endpointsOf } from '../programme/requests/grant_places.ts';
import { type Complaint, wrong } from '../schema/faults.ts';

export function* besideComplaints(definition: Definition): Iterable<Complaint> {
  for (const { holder, at, fields } of layoutsOf(definition)) {
    for (const [name, field] of holder === 'token answer' ? fields : []) {
      const written = writtenValues(new Map([[name, field]]));
      for (const value of besideNames.filter((one) => written.has(one))) {
        yield* valueComplaints(definition, [...at, name], value);
      }
    }
  }
}

function valueComplaints(definition: Definition, at: Path, value: string): Iterable<Complaint> {
  const told = grantsWith(definition, value);
  const whole = grantsWith(definition, 'client_token');
  const halves = told.filter((grant) => !whole.includes(grant));
  const isToken = value === 'client_token';
  return wrong(
    [
      isToken && definition.grants.client_credentials === undefined,
      at,
      'clients get no tokens of their own here, and so no client_token',
      'add grants.client_credentials, whose tokens it is like',
    ],
    [
      told.length === 0,
      at,
      `no answer with the ${value} brings a member's tokens, which it stands beside`,
      'look at only, and at the grants of the file',
    ],
    [
      isToken && told.length > 0 && !told.some((grant) => takesProof(definition, grant)),
      at,
      'no client proves itself by more than a token where it could get a client_token',
      'let an endpoint of these grants take another method (client.authentication.methods)',
    ],
    [
      halves.length > 0,
      at,
      `the answer to ${halves.join(' and ')} tells ${value}, but no client_token`,
      'add a field with client_token',
    ],
  );
}

/** Whether some client proves itself for the grant, and not by a token of an earlier answer alone. */
function takesProof(definition: Definition, grant: GrantType): boolean {
  return endpointsOf(definition, grant).some(([, endpoint]) =>
    authenticationAt(definition, endpoint).methods.some(
      (method) => !['nothing', 'token'].includes(methodRows[method].proof),
    ),
  );
}
