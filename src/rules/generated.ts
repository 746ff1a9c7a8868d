// Owns the checks of what Jetway generates: codes, identifiers and tokens of a form, whose shapes must be
// random enough, short enough, and possible where they travel.

import type { Definition } from '../language/definition.ts';
import { alphabetOf, drawing, usualCodeLength, type ValueShape } from '../language/value_shape.ts';
import type { Path } from '../lib/fault.ts';
import { longestIdentifier } from '../oauth/client.ts';
import { grantTypes } from '../oauth/grant.ts';
import { accessFormatOf } from '../programme/token_forms.ts';
import { type Complaint, wrong } from '../schema/faults.ts';

/** RFC 6749 10.10: the chance of guessing a code or token must be at most 2^-128. */
const leastBits = 128;

/** Codes travel in URLs and access tokens in headers, whose length proxies limit. */
const longestSecret = 1024;

export function* generatedComplaints(definition: Definition): Iterable<Complaint> {
  const { code, client, grants, tokens } = definition;
  yield* secretComplaints(['code'], 'code', code);
  yield* wrong(
    [
      shapeBits(client.identifier) < 13,
      ['client', 'identifier'],
      'this shape has too few identifiers',
    ],
    [
      longestOf(client.identifier) > longestIdentifier,
      ['client', 'identifier'],
      `an identifier can have ${longestIdentifier} characters at most`,
    ],
  );
  const { access, refresh } = tokens;
  yield* formComplaints(['tokens', 'access', 'form'], access.form, access.format, inBearer);
  for (const type of grantTypes) {
    const form = grants[type]?.access_form;
    yield* formComplaints(
      ['grants', type, 'access_form'],
      form,
      accessFormatOf(definition, type),
      inBearer,
    );
  }
  yield* formComplaints(['tokens', 'refresh', 'form'], refresh.form, refresh.format, inParameter);
}

function secretComplaints(at: Path, what: string, shape: ValueShape): Iterable<Complaint> {
  const bits = shapeBits(shape);
  return wrong(
    [
      bits < leastBits,
      at,
      `a ${what} of this shape has ${Math.floor(bits)} random bits; RFC 6749 10.10 asks for ${leastBits}`,
      'make it longer',
    ],
    [
      longestOf(shape) > longestSecret,
      at,
      `a ${what} can have ${longestSecret} characters at most`,
    ],
  );
}

/** RFC 6750 2.1 and RFC 6749 A.17. */
const inBearer = /^[A-Za-z0-9._~+/-]*$/;
const inParameter = /^[!-~]*$/;

function* formComplaints(
  at: Path,
  form: ValueShape | undefined,
  format: 'opaque' | 'jwt',
  possible: RegExp,
): Iterable<Complaint> {
  if (form === undefined) return;
  const { prefix = '', characters = 'alphanumeric' } = form;
  yield* secretComplaints(at, 'token', form);
  yield* wrong(
    [format === 'jwt', at, 'a JWT has a form already', 'take this out, or set format to opaque'],
    [
      !possible.test(prefix + alphabetOf(characters)),
      at,
      possible === inBearer
        ? 'a token of this shape cannot stand in a header Authorization (RFC 6750 2.1)'
        : 'a token of this shape can hold what no refresh token may (RFC 6749 A.17)',
      'letters, digits and . _ ~ + / - can',
    ],
  );
}

/** Random bits of a generated value, which is as long as its range allows, up to 64 characters. */
function shapeBits(shape: ValueShape): number {
  const { alphabet, length } = drawing(shape, usualCodeLength);
  return length * Math.log2(alphabet.length);
}

function longestOf({ prefix = '', length }: ValueShape): number {
  return prefix.length + (length?.max ?? 0);
}
