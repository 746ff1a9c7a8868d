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
  const own = proofsFor(definition, 'client_credentials');
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
      isToken && told.length > 0 && told.every((grant) => proofsFor(definition, grant).size === 0),
      at,
      'no client proves itself by more than a token where it could get a client_token',
      'let an endpoint of these grants take another method (client.authentication.methods)',
    ],
    ...(isToken ? told : []).map((grant) => {
      const weaker = proofsFor(definition, grant).difference(own);
      return [
        own.size > 0 && weaker.size > 0,
        at,
        `the answer to ${grant} brings a client_token to clients that prove themselves by ${named(weaker)}, and client_credentials wants ${named(own)}`,
        'let the endpoints of both grants take the same methods (authentication), or look at only',
      ] as const;
    }),
    [
      halves.length > 0,
      at,
      `the answer to ${halves.join(' and ')} tells ${value}, but no client_token`,
      'add a field with client_token',
    ],
  );
}

/** How clients prove themselves for the grant, but for tokens of earlier answers, which bring no client_token. */
function proofsFor(definition: Definition, grant: GrantType): ReadonlySet<string> {
  const proofs = endpointsOf(definition, grant).flatMap(([, endpoint]) =>
    authenticationAt(definition, endpoint).methods.map((method) => methodRows[method].proof),
  );
  return new Set(proofs.filter((proof) => proof !== 'nothing' && proof !== 'token'));
}

function named(proofs: ReadonlySet<string>): string {
  return [...proofs].map((proof) => `${proof === 'assertion' ? 'an' : 'a'} ${proof}`).join(' or ');
}
