// Owns the checks of headers that several keys give to one answer, or read from one request, and of what asks
// a sandbox: each has a name of its own.

import type { Definition } from '../language/definition.ts';
import { knownInputs } from '../language/known_inputs.ts';
import type { Path } from '../lib/fault.ts';
import { demandNames } from '../programme/requests/demand.ts';
import { heldHeaders, toldHeaders } from '../programme/requests/verify_headers.ts';
import { unheardOf } from '../programme/sandbox.ts';
import { type Complaint, wrong } from '../schema/faults.ts';
import { endpointsIn } from './endpoints.ts';

/** Headers of answers, by the words for the key that gives them. */
type Given = readonly [key: string, names: readonly string[]];

export function* headerComplaints(definition: Definition): Iterable<Complaint> {
  const told = toldHeaders(definition).map(({ name }) => name);
  for (const name of Object.keys(definition.verify.tells)) {
    if (told.filter((one) => isSame(one, name)).length < 2) continue;
    yield [['verify', 'tells', name], 'Jetway tells this header already: name another one'];
  }
  const { request_id: id, throttle, token_response: response, errors } = definition;
  const budget = throttle === 'off' ? [] : Object.keys(throttle.headers);
  const ofTokens: Given = ['token_response.headers', Object.keys(response.headers)];
  const ofReasons = Object.entries(errors.reasons).map(([reason, { headers }]): Given => [
    `errors.reasons.${reason}.headers`,
    Object.keys(headers),
  ]);
  yield* given(
    id,
    ['request_id'],
    [ofTokens, ...ofReasons, ['throttle.headers', budget], ["verify's answer", told]],
  );
  const ofThrottled = ofReasons.filter(([key]) => key === 'errors.reasons.throttled.headers');
  for (const name of budget) {
    yield* given(name, ['throttle', 'headers', name], [ofTokens, ...ofThrottled]);
  }
}

function* given(name: string, at: Path, others: readonly Given[]): Iterable<Complaint> {
  for (const [key, names] of others) {
    if (names.some((one) => isSame(one, name))) {
      yield [at, `${key} has a header of this name, too`];
    }
  }
}

/** Headers that `verify` requires and token endpoints do not have, or reads for API keys. */
export function* verifyComplaints(definition: Definition): Iterable<Complaint> {
  const { headers, api_key_header: keyHeader } = definition.verify;
  const held = heldHeaders(definition);
  yield* wrong([
    headers === 'required' && held.size === 0,
    ['verify', 'headers'],
    'there is no header to require: no token endpoint compares one with programme or client',
    'give an input there in: header and must_equal',
  ]);
  for (const [role, { name = role }] of held) {
    if (!isSame(name, keyHeader)) continue;
    yield [
      ['verify', 'api_key_header'],
      `the input "${role}" is read from this header`,
      'name another header in verify.api_key_header: gateways pass API keys on in it',
    ];
  }
}

/** Parameters that have a meaning whether a file declares them or not. */
const standardParameters: readonly string[] = [...knownInputs, ...demandNames, unheardOf];

export function* sandboxComplaints(definition: Definition): Iterable<Complaint> {
  const { sandbox, verify } = definition;
  if (sandbox === undefined) return;
  const parameters = new Map(standardParameters.map((name) => [name, 'another parameter']));
  const headers = new Map([[verify.api_key_header.toLowerCase(), 'verify.api_key_header']]);
  for (const [at, { inputs }] of endpointsIn(definition)) {
    for (const [role, { in: place, name = role, within = [] }] of Object.entries(inputs)) {
      const where = [...at, 'inputs', role].join('.');
      if (place === 'header') headers.set(name.toLowerCase(), where);
      else parameters.set(within[0] ?? name, where);
    }
  }
  const { header = '', parameter = '' } = sandbox;
  for (const [key, holder] of [
    ['header', headers.get(header.toLowerCase())],
    ['parameter', parameters.get(parameter)],
  ] as const) {
    if (holder !== undefined) yield [['sandbox', key], `${holder} has this name already`];
  }
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
