// Owns the checks of cookies: those that carry tokens, and those that are read.

import type { Definition } from '../language/definition.ts';
import type { Path } from '../lib/fault.ts';
import { ownCookies } from '../oauth/own_paths.ts';
import { type Complaint, wrong } from '../schema/complaint.ts';
import { endpointsIn } from './endpoints.ts';

/** Browsers compare the prefixes in any case. */
const ownName = new RegExp(`^(?:__(?:Host|Secure)-)?${ownCookies}`, 'i');

/** A dialect's cookie would be taken for one of a login, or one of a login for the dialect's (HOSTILE 14, 67). */
function ownNameComplaint(name: string, at: Path): readonly [isWrong: boolean, ...Complaint] {
  const advice = `give it a name that does not begin with ${ownCookies}`;
  return [ownName.test(name), at, "Jetway's login page has the cookies of such names", advice];
}

export function* cookieComplaints(definition: Definition): Iterable<Complaint> {
  for (const [name, cookie] of Object.entries(definition.token_response.cookies)) {
    const { path, secure, same_site } = cookie;
    const at: Path = ['token_response', 'cookies', name];
    const lower = name.toLowerCase();
    yield* wrong(
      ownNameComplaint(name, at),
      [
        lower.startsWith('__host-') && path !== '/',
        [...at, 'path'],
        'browsers accept a cookie of such a name only with the path / (RFC 6265bis 4.1.3.2)',
      ],
      [
        !secure && (/^__(?:host|secure)-/.test(lower) || same_site === 'None'),
        [...at, 'secure'],
        'browsers take this cookie only if it is secure (RFC 6265bis 5.7)',
      ],
    );
  }
  for (const [at, { inputs }, endpoint] of endpointsIn(definition)) {
    for (const [role, input] of Object.entries(inputs)) {
      if (input.in !== 'cookie') continue;
      const name = input.name ?? role;
      yield* wrong(
        [
          endpoint === undefined,
          [...at, 'inputs', role, 'in'],
          'a login request reads no cookies',
          'other sites can make a browser send it',
        ],
        [
          !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name),
          [...at, 'inputs', role, 'name'],
          'this is no name that a cookie can have',
        ],
        ownNameComplaint(name, [...at, 'inputs', role, 'name']),
      );
    }
  }
}
