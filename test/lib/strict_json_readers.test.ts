// HOSTILE 75, for every reader of JSON from outside: a member that may be left out, but is there and is not
// as it must be, is refused with its name. A reader that is new gets a row.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { instant, milliseconds } from '../../src/lib/clock.ts';
import { readVerification } from '../../src/members/hook.ts';
import { assertionAlgorithms } from '../../src/oauth/client_certificate.ts';
import { MalformedParameters, parseJsonObject } from '../../src/oauth/parameters.ts';
import { proveAssertion, readAssertion } from '../../src/token/assertions/assertion.ts';
import { AssertionFault } from '../../src/token/assertions/claims.ts';
import { readKeySet } from '../../src/token/assertions/key_set.ts';
import { registered, signJwt, testKey } from '../support/assertions.ts';
import { fc } from '../support/property.ts';

const root = join(import.meta.dirname, '../..');

type Json = Readonly<Record<string, unknown>>;

/** What a reader gives, or the error that refuses. */
type Reading = (value: Json) => unknown;

interface Reader {
  /** The file of `src` that reads, and what it reads of it. */
  readonly file: string;
  readonly what: string;
  /** Without any of the members that may be left out, it is read. */
  readonly least: Json;
  /** Of each member that may be left out: whether a value is of its type. */
  readonly optional: Readonly<Record<string, (value: unknown) => boolean>>;
  readonly read: Reading;
  /** Values that are taken for none on purpose: nobody gains by them, and the documents say so. */
  readonly none?: readonly unknown[];
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isList = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isText);
const isTextOrList = (value: unknown): boolean => isText(value) || isList(value);
const isTime = (value: unknown): boolean => typeof value === 'number' && value >= 0;
const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const key = testKey();
const now = instant(1_767_225_600_000);
const least = { iss: 'partner', exp: now / 1000 + 60 };

async function prove(header: Json, claims: Json): Promise<unknown> {
  const read = readAssertion(signJwt(key, claims, header), 'grant');
  if (read instanceof AssertionFault) throw read;
  const tolerance = milliseconds(30_000);
  const longest = milliseconds(300_000);
  const algorithms = new Set<string>(assertionAlgorithms);
  const expected = {
    issuers: new Set(['partner']),
    isAudience: () => true,
    audiences: ['any'],
    takesNoAudience: true,
  };
  const rules = { algorithms, tolerance, longest, needsId: false };
  return proveAssertion(read, registered(key), rules, expected, now);
}

const { kid: _kid, use: _use, ...jwk } = key.jwk;
const { crv, kty, x, y } = jwk;
const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const readers: readonly Reader[] = [
  {
    file: 'token/assertions/assertion.ts',
    what: 'the header of an assertion',
    least: { kid: undefined, typ: undefined },
    optional: { kid: isText, typ: isText },
    read: (header) => prove(header, least),
  },
  {
    file: 'token/assertions/assertion.ts',
    what: 'the claims of an assertion',
    least,
    optional: {
      sub: isText,
      aud: isTextOrList,
      jti: isText,
      scope: isTextOrList,
      iat: isTime,
      nbf: isTime,
    },
    read: (claims) => prove({}, claims),
  },
  {
    file: 'token/assertions/key_set.ts',
    what: 'a key of a set',
    least: { crv, kty, x, y },
    optional: { use: isText, key_ops: isList, alg: isText, kid: isText },
    read: (one) => readKeySet(bytes({ keys: [one, testKey('EdDSA', 'other').jwk] })),
  },
  {
    file: 'members/hook.ts',
    what: 'a member in the answer of a hook',
    least: { subject: 's' },
    optional: {
      membership_number: isText,
      level: isText,
      roles: Array.isArray,
      properties: isObject,
    },
    read: (member) => readVerification(bytes({ outcome: 'match', member })),
  },
  {
    file: 'oauth/parameters.ts',
    what: 'the body of a request',
    least: {},
    optional: {
      code: (value) =>
        typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value),
      scope: (value) =>
        typeof value === 'string' ||
        typeof value === 'boolean' ||
        Number.isSafeInteger(value) ||
        (Array.isArray(value) && value.every((one) => typeof one === 'string')),
    },
    read: (body) =>
      parseJsonObject(JSON.stringify(body), {
        values: new Map([
          ['code', undefined],
          ['scope', ' '],
        ]),
        objects: new Set(),
      }),
    // RFC 6749 3.1: a parameter without a value is as one that is left out.
    none: [null],
  },
];

/** Values of every type, those that are as good as nothing first. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(null, '', 0, -1, 1.5, false, true, [], {}, [null], [''], [1], ['a', 1]),
  fc.jsonValue({ maxDepth: 2 }),
);

async function outcome(read: Reading, value: Json): Promise<Error | { readonly read: unknown }> {
  try {
    return { read: await read(value) };
  } catch (error) {
    return error as Error;
  }
}

const refusals = /^(?:AssertionFault|UnusableKeySet|BrokenAnswer|MalformedParameters)$/;

function assertRefused(found: object, name: string): void {
  assert.ok(found instanceof Error, `${name} was taken`);
  assert.match(found instanceof MalformedParameters ? 'MalformedParameters' : found.name, refusals);
  // One of another kind is none at all.
  if (name === 'typ') return;
  const told = found instanceof AssertionFault ? found.expected : found.message;
  assert.ok(told.includes(name), `${told} names ${name}`);
}

describe('HOSTILE 75: members that may be left out', () => {
  for (const { what, least: bare, optional, read, none = [] } of readers) {
    test(`${what}: what is there and malformed is refused`, async () => {
      const absent = await outcome(read, bare);
      assert.ok(!(absent instanceof Error), absent instanceof Error ? absent.message : '');
      for (const [name, fits] of Object.entries(optional)) {
        const wrong = anything.filter((value) => !fits(value) && !none.includes(value));
        await fc.assert(
          fc.asyncProperty(wrong, async (value) => {
            assertRefused(await outcome(read, { ...bare, [name]: value }), name);
          }),
        );
      }
    });
  }

  test('every file that reads JSON of strangers has a row', () => {
    const files = globSync('src/**/*.ts', { cwd: root }).filter((path) =>
      /\bparse(?:StrictJson|JsonObject)\(/.test(readFileSync(join(root, path), 'utf8')),
    );
    // What calls the readers, and the parser itself.
    const others = new Set(['src/lib/strict_json.ts', 'src/programme/requests/reading.ts']);
    assert.deepEqual(
      files.filter((path) => !others.has(path)).toSorted(),
      [...new Set(readers.map(({ file }) => `src/${file}`))].toSorted(),
    );
  });
});
