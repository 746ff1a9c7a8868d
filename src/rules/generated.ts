// Owns the checks of what Jetway generates: codes, identifiers and tokens of a form, whose shapes must be
// random enough, short enough, and possible where they travel.

import type { Definition } from '../language/definition.ts';
import { inputRows } from '../language/known_inputs.ts';
import { bearerCharacters } from '../language/tokens/token_schema.ts';
import { alphabetOf, drawing, usualCodeLength, type ValueShape } from '../language/value_shape.ts';
import { valueOf, writtenValues } from '../language/value_tree.ts';
import { drawnValue, isDrawn } from '../language/vocabularies.ts';
import type { Path } from '../lib/fault.ts';
import { longestIdentifier } from '../oauth/client.ts';
import { grantTypes } from '../oauth/grant.ts';
import { layoutsOf } from '../programme/answers/layouts.ts';
import { accessFormatOf, accessFormOf } from '../programme/token_forms.ts';
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
  const isFormed = {
    access: grantTypes.some((type) => accessFormOf(definition, type) !== undefined),
    refresh: refresh.form !== undefined,
  };
  for (const use of ['access', 'refresh'] as const) {
    yield* wrong([
      tokens[use].begins_with !== undefined && !isFormed[use],
      ['tokens', use, 'begins_with'],
      'only tokens of a form begin with something of the member',
      `give them one in tokens.${use}.form`,
    ]);
  }
}

/** A value that partners repeat beside a code must not be guessed with it, and stands in a URL. */
const leastDrawnBits = 64;
const longestDrawn = 128;
/** RFC 3986 2.3. */
const inAddress = /^[A-Za-z0-9._~-]*$/;

/** Of values that logins draw: that somebody is told of them, and no input has another meaning. */
export function* drawnComplaints(definition: Definition): Iterable<Complaint> {
  const { draws, answer } = definition.authorize;
  const known = new Set(Object.keys(draws).map(drawnValue));
  const onSuccess = [...answer.more.values()].filter(
    (field) => typeof field === 'string' || field.only?.includes('code') !== false,
  );
  const told = new Set(onSuccess.map(valueOf));
  for (const [name, shape] of Object.entries(draws)) {
    const at = ['authorize', 'draws', name];
    const bits = shapeBits(shape);
    yield* wrong(
      [
        bits < leastDrawnBits,
        at,
        `a value of this shape has ${Math.floor(bits)} random bits, and needs ${leastDrawnBits}`,
        'make it longer',
      ],
      [
        !inAddress.test((shape.prefix ?? '') + alphabetOf(shape.characters ?? 'alphanumeric')),
        at,
        'such a value has characters that no address holds as they are',
        'letters, digits and - . _ ~ can stand there',
      ],
      [
        longestOf(shape) > longestDrawn,
        at,
        `such a value can have ${longestDrawn} characters at most`,
      ],
      [
        Object.hasOwn(inputRows, name),
        at,
        `the input ${name} has another meaning`,
        'give the value another name, and the input of that name its wire name',
      ],
      [
        !told.has(drawnValue(name)),
        at,
        'no parameter of a redirect with a code tells this value',
        `add authorize: { answer: { more: { ${name}: ${drawnValue(name)} } } }`,
      ],
    );
  }
  for (const { at, fields } of layoutsOf(definition)) {
    yield* undrawnComplaints(at, writtenValues(fields), known);
  }
  for (const use of ['access', 'refresh'] as const) {
    const { begins_with: begin } = definition.tokens[use];
    if (begin !== undefined)
      yield* undrawnComplaints(['tokens', use, 'begins_with'], [begin], known);
  }
}

/** @param known what logins draw */
function undrawnComplaints(
  at: Path,
  named: Iterable<string>,
  known: ReadonlySet<string>,
): Iterable<Complaint> {
  const unknown = [...named].find((one) => isDrawn(one) && !known.has(one));
  return wrong([
    unknown !== undefined,
    at,
    `no login draws ${unknown}`,
    'add it to authorize.draws',
  ]);
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

/** What may stand where a token travels: before its random characters, and among them. */
interface Possible {
  readonly prefix: RegExp;
  readonly characters: RegExp;
  readonly told: string;
  readonly hint: string;
}

const inBearer: Possible = {
  // What headers and cookies hold as it is.
  prefix: /^[!#$&-+\--:<-[\]-~]*$/,
  characters: bearerCharacters,
  told: 'a token of this shape cannot stand in a header Authorization (RFC 6750 2.1)',
  hint: 'letters, digits and . _ ~ + / - can; a prefix can have any visible ASCII but for " % , ; and a backslash',
};

/** RFC 6749 A.17. */
const inParameter: Possible = {
  prefix: /^[!-~]*$/,
  characters: /^[!-~]*$/,
  told: 'a token of this shape can hold what no refresh token may (RFC 6749 A.17)',
  hint: 'letters, digits and . _ ~ + / - can',
};

function* formComplaints(
  at: Path,
  form: ValueShape | undefined,
  format: 'opaque' | 'jwt',
  possible: Possible,
): Iterable<Complaint> {
  if (form === undefined) return;
  const { prefix = '', characters = 'alphanumeric' } = form;
  yield* secretComplaints(at, 'token', form);
  yield* wrong(
    [format === 'jwt', at, 'a JWT has a form already', 'take this out, or set format to opaque'],
    [
      !possible.prefix.test(prefix) || !possible.characters.test(alphabetOf(characters)),
      at,
      possible.told,
      possible.hint,
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
