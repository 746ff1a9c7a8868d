// Owns the checks of what answers have beside their layout: the forms that a request can choose, the headers that
// several keys give to one answer, what asks a sandbox, and texts of failures that speak of what the dialect lacks.

import { type ClientAuthentication, readsHeader } from '../language/client_schema.ts';
import type { Definition } from '../language/definition.ts';
import { type EndpointDefinition, placesOf } from '../language/input_schema.ts';
import { knownInputs } from '../language/known_inputs.ts';
import { writtenValues } from '../language/value_tree.ts';
import type { Path } from '../lib/fault.ts';
import { tokensOfGrants } from '../oauth/grant.ts';
import { methodRows } from '../oauth/methods.ts';
import type { FailureReason } from '../oauth/reasons.ts';
import { formsOf } from '../programme/answers/forms.ts';
import { layoutsOf } from '../programme/answers/layouts.ts';
import { choosesByType } from '../programme/requests/choices.ts';
import { demandNames, heldHeaders, toldHeaders } from '../programme/requests/verification.ts';
import { unheardOf } from '../programme/sandbox.ts';
import { type Complaint, wrong } from '../schema/faults.ts';
import { endpointsIn } from './endpoints.ts';
import { encodingComplaints } from './layouts.ts';

/** RFC 6838 4.2, as headers are compared. */
const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** Keys that say how one value looks. */
const shapes = [
  'scheme',
  'prefix',
  'characters',
  'length',
  'format',
  'allowed',
  'must_equal',
] as const;

export function* formComplaints(definition: Definition): Iterable<Complaint> {
  const { answer_forms: forms, token_endpoints: endpoints, token_response: response } = definition;
  const choosing = Object.entries(endpoints).flatMap(([name, { inputs }]) => {
    const { answer_form: input } = inputs;
    return input === undefined ? [] : [[name, input] as const];
  });
  if (forms === undefined) {
    for (const [name] of choosing) {
      yield [
        ['token_endpoints', name, 'inputs', 'answer_form'],
        'answer_forms does not say what forms a request can choose',
        'write answer_forms: { json: { encoding: json } }, or take this out',
      ];
    }
    return;
  }
  const names = Object.keys(forms);
  yield* wrong(
    [names.length === 0, ['answer_forms'], 'expected at least one form'],
    [
      choosing.length === 0,
      ['answer_forms'],
      `no token endpoint reads answer_form, so that no request can choose`,
      `add it to the inputs of an endpoint: answer_form: { name: format }`,
    ],
  );
  for (const [name, input] of choosing) {
    const at = ['token_endpoints', name, 'inputs', 'answer_form'];
    yield* wrong(
      [
        input.required,
        [...at, 'required'],
        'a request without it has the usual form: no request needs it',
        'take it out',
      ],
      ...shapes.map((key): readonly [boolean, ...Complaint] => [
        choosesByType(input) && input[key] !== undefined,
        [...at, key],
        'Accept lists media types, whatever their number',
        'take it out',
      ]),
    );
  }
  const usual = response.content_type.split(';')[0]?.trim().toLowerCase();
  const isByType = choosing.some(([, input]) => choosesByType(input));
  for (const name of names) {
    yield* wrong(
      [
        isByType && !mediaType.test(name),
        ['answer_forms', name],
        `requests choose by Accept: "${name}" is no media type in small letters`,
        'write one such as application/json',
      ],
      [
        forms[name]?.encoding === 'form' && forms[name].root !== undefined,
        ['answer_forms', name, 'root'],
        'a form has no objects',
        'take it out',
      ],
      [
        isByType && name === usual,
        ['answer_forms', name],
        'the usual answer is of this type already',
      ],
    );
  }
  for (const [name, one] of formsOf(definition)) {
    // Of the answer with tokens and the failure, what is wrong with both is told once.
    const told = new Map<string, Complaint>();
    for (const layout of layoutsOf(one)) {
      const { holder, form } = layout;
      if (form === 'texts' || (holder !== 'token answer' && holder !== 'error')) continue;
      for (const complaint of encodingComplaints({ ...layout, at: ['answer_forms', name] })) {
        told.set(complaint[1], complaint);
      }
    }
    yield* told.values();
  }
}

/** By reason: what a text can claim, whether it is true, and what is true instead. */
const claims: Readonly<
  Partial<
    Record<
      FailureReason,
      readonly [claim: RegExp, isTrue: (definition: Definition) => boolean, truth: string]
    >
  >
> = {
  unsupported_media_type: [
    /application\/x-www-form-urlencoded/,
    ({ token_endpoints }) =>
      Object.values(token_endpoints).every(
        ({ read, media_types: more }) =>
          more.length === 0 && read.every((form) => form === 'form' || form === 'query'),
      ),
    'an endpoint takes other media types',
  ],
  misplaced_parameter: [
    /\bbody\b/,
    ({ token_endpoints }) => Object.values(token_endpoints).every(readsNoQuery),
    'an endpoint reads parameters from the query',
  ],
  authentication_missing: [
    /\bheader\b/i,
    ({ client: { authentication }, token_endpoints }) =>
      readsHeader(authentication) ||
      Object.values(token_endpoints).some(({ inputs }) =>
        proofInputs(authentication).some((role) => inputs[role]?.in === 'header'),
      ),
    'no credentials are read from a header',
  ],
  programme_mismatch: [
    /\bheader\b/i,
    ({ token_endpoints }) =>
      Object.values(token_endpoints)
        .flatMap(({ inputs }) => Object.values(inputs))
        .every((input) => input.must_equal !== 'programme.identifier' || input.in === 'header'),
    'the programme is not read from a header',
  ],
};

/** The inputs by which a client proves itself; with the method `token`, what its grants need. */
function proofInputs({ methods }: ClientAuthentication): readonly string[] {
  const ofTokens = methods.includes('token') ? tokensOfGrants : [];
  return [...methods.flatMap((method) => methodRows[method].inputs), ...ofTokens];
}

function readsNoQuery(endpoint: EndpointDefinition): boolean {
  const places = Object.values(endpoint.inputs).map((input) => placesOf(input, endpoint));
  return places.every((some) => some.join(' ') !== 'query');
}

export function* errorTextWarnings(definition: Definition): Iterable<Complaint> {
  const { fields } = definition.errors;
  for (const [reason, [claim, isTrue, truth]] of Object.entries(claims)) {
    if (!writtenValues(fields, reason).has('error_description')) continue;
    const { error_description: text } = definition.errors.reasons[reason as FailureReason];
    const [word] = claim.exec(text ?? '') ?? [];
    if (word === undefined || isTrue(definition)) continue;
    yield [
      ['errors', 'reasons', reason, 'error_description'],
      `this text names "${word}", but ${truth}`,
      'write another text',
    ];
  }
}

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
