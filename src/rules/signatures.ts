// Owns the checks of what signing secrets sign: that each text has one reading, and that all of it is there.

import { authenticationAt } from '../language/client_schema.ts';
import type { Definition } from '../language/definition.ts';
import type { EndpointDefinition } from '../language/input_schema.ts';
import { type RequestSignature, signedInputs } from '../language/signature_schema.ts';
import { alphabetOf, type ValueShape } from '../language/value_shape.ts';
import type { Path } from '../lib/fault.ts';
import { inputsOfGrants } from '../oauth/grant.ts';
import { secretWord } from '../oauth/proofs/signature.ts';
import { onlyProofs } from '../programme/requests/grant_places.ts';
import { type Complaint, wrong } from '../schema/faults.ts';

const place: Path = ['client', 'authentication', 'signature'];

export function* signatureComplaints(definition: Definition): Iterable<Complaint> {
  yield* redirectComplaints(definition);
  const { methods, signature } = definition.client.authentication;
  const isAsked = methods.includes('signature');
  yield* wrong(
    [
      isAsked && signature === undefined,
      ['client', 'authentication', 'methods'],
      'nothing says what clients sign',
      'add client.authentication.signature',
    ],
    [
      !isAsked && signature !== undefined,
      place,
      'no client proves itself by a signature, so this has no effect',
      'add signature to client.authentication.methods, or take this out',
    ],
  );
  if (signature === undefined || !isAsked) return;
  yield* recipeComplaints(signature);
  for (const [name, endpoint] of Object.entries(definition.token_endpoints)) {
    if (!authenticationAt(definition, endpoint).methods.includes('signature')) continue;
    yield* inputComplaints(signature, ['token_endpoints', name, 'inputs'], endpoint);
  }
}

function* recipeComplaints({ hmac, digest, of }: RequestSignature): Iterable<Complaint> {
  const at: Path = [...place, 'of'];
  yield* wrong(
    [
      (hmac === undefined) === (digest === undefined),
      place,
      'one of hmac and digest says how clients sign',
      'write one of them',
    ],
    [
      digest !== undefined && hmac === undefined && !of.includes(secretWord),
      at,
      'a digest without the secret proves nothing',
      'add secret',
    ],
    [
      hmac !== undefined && of.includes(secretWord),
      at,
      'the secret is the key of the HMAC already',
      'take secret out',
    ],
  );
}

/** Of one endpoint. */
function* inputComplaints(
  signature: RequestSignature,
  at: Path,
  { inputs }: EndpointDefinition,
): Iterable<Complaint> {
  const { of, digest } = signature;
  for (const role of signedInputs(signature)) {
    if (isElsewhere(role)) {
      yield [
        [...place, 'of'],
        `the input ${role} is not there in every request, or is a proof itself`,
      ];
    } else if (inputs[role] === undefined) {
      yield [
        at,
        `the signature of clients needs an input "${role}" here`,
        `add ${role}: { required: true }`,
      ];
    }
  }
  const loose = signedInputs(signature).filter((role) => isLoose(signature, role, inputs));
  const behind = of.slice(of.indexOf(secretWord) + 1);
  const continued = behind.filter((role) => role !== 'client_id' && !isFixed(inputs[role]));
  yield* wrong(
    [
      loose.length > 1,
      [...place, 'of'],
      `${loose.join(' and ')} can be cut in more than one way, so that one signature is good for several requests`,
      'give all inputs but one a fixed length, or a separator that their characters do not have',
    ],
    [
      digest !== undefined && of.includes(secretWord) && continued.length > 0,
      [...place, 'of'],
      `${continued.join(' and ')} behind the secret can be continued by whoever has seen a digest`,
      'write secret last, give these inputs a fixed length, or sign by hmac',
    ],
  );
}

/** Whether an input proves a client itself, or is that of a grant. */
function isElsewhere(role: string): boolean {
  return onlyProofs.has(role) || inputsOfGrants.has(role);
}

/** Of one client there is one client_id. */
function isLoose(
  { separator }: RequestSignature,
  role: string,
  { [role]: input }: EndpointDefinition['inputs'],
): boolean {
  if (role === 'client_id' || isElsewhere(role) || input === undefined) return false;
  if (isFixed(input)) return false;
  const { prefix = '', characters } = input;
  const letters = prefix + alphabetOf(characters ?? 'printable');
  return separator === '' || Array.from(separator).some((one) => letters.includes(one));
}

function isFixed(input: ValueShape | undefined): boolean {
  return input?.length !== undefined && input.length.min === input.length.max;
}

/** A redirect's signature stands under a name of its own, and signs the code. */
function* redirectComplaints({ authorize, grants }: Definition): Iterable<Complaint> {
  const { code, error, state, issuer, more, signature } = authorize.answer;
  if (signature === undefined) return;
  const at: Path = ['authorize', 'answer', 'signature'];
  const names = [code, state, issuer, ...more.keys()];
  const strange = signature.of.filter((name) => !names.includes(name));
  yield* wrong(
    [
      grants.authorization_code === undefined,
      at,
      'no login ends with a code, so that there is nothing to sign',
      'take this out',
    ],
    [
      [...names, error].includes(signature.name),
      [...at, 'name'],
      `the redirect has another parameter "${signature.name}"`,
      'choose another name',
    ],
    [
      strange.length > 0,
      [...at, 'of'],
      `no redirect with a code has ${strange.join(' or ')}`,
      `name some of ${names.filter((name) => name !== undefined).join(', ')}`,
    ],
    [
      !signature.of.includes(code),
      [...at, 'of'],
      `the signature does not cover the code (${code}), so that another one could stand beside it`,
      `add ${code}`,
    ],
  );
}
