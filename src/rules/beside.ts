// Owns the checks of a client's own token beside a member's: that some client can get it, and that it is told whole.

import { authenticationAt } from '../language/client_schema.ts';
import type { Definition } from '../language/definition.ts';
import { writtenValues } from '../language/value_tree.ts';
import { besideNames } from '../language/vocabularies.ts';
import type { Path } from '../lib/fault.ts';
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
  const isOffered = definition.grants.client_credentials !== undefined;
  const isProved = told.some((grant) =>
    endpointsOf(definition, grant).some(([, endpoint]) =>
      authenticationAt(definition, endpoint).methods.some((method) => {
        const { proof } = methodRows[method];
        return proof !== 'nothing' && proof !== 'token';
      }),
    ),
  );
  return wrong(
    [
      !isOffered,
      at,
      `clients get no tokens of their own here, so that no answer has a ${value}`,
      'add grants.client_credentials, whose tokens it is like',
    ],
    [
      isOffered && told.length === 0,
      at,
      `no answer with a ${value} brings a member's tokens`,
      'it stands beside those alone: look at only, and at the grants of the file',
    ],
    [
      isOffered && told.length > 0 && !isProved,
      at,
      `no client proves itself where it could get a ${value}, by more than a token`,
      'let endpoints of these grants take another method (client.authentication.methods)',
    ],
    [
      halves.length > 0,
      at,
      `the answer to ${halves.join(' and ')} tells ${value}, but no client_token`,
      'add a field with client_token',
    ],
  );
}
