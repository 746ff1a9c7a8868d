// Owns the test that a body in JSON is judged as a form of the same pairs is: repetition, unknown names,
// empty values (HOSTILE 43, 78).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Refusal } from '../../../src/oauth/failure.ts';
import type { WireRequest } from '../../../src/oauth/wire_request.ts';
import {
  compileTokenEndpoint,
  type TokenEndpoint,
} from '../../../src/programme/requests/token_endpoint.ts';
import { definitionOf } from '../../support/definition.ts';
import { anyText, fc } from '../../support/property.ts';

function endpointOf(repeated: string, unknown: string, inputs = ''): TokenEndpoint {
  const definition = definitionOf(`
token_endpoints:
  grant:
    read: [form, json]
    repeated: ${repeated}
    unknown: ${unknown}
    inputs: { note: {}${inputs} }
`);
  const endpoint = definition.token_endpoints['grant'];
  assert.ok(endpoint);
  return compileTokenEndpoint('grant', endpoint, definition);
}

/** The inputs of a body, or why it is refused. */
function read(endpoint: TokenEndpoint, type: string, body: string): unknown {
  const request = { query: '', rawHeaders: ['content-type', type], body: Buffer.from(body) };
  try {
    return Object.fromEntries(endpoint.readInputs(request as unknown as WireRequest));
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return [error.reason, error.facts.parameter];
  }
}

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

const jsonOf = (pairs: readonly (readonly [string, string])[]): string =>
  `{${pairs.map((pair) => pair.map((part) => JSON.stringify(part)).join(':')).join(',')}}`;

const formOf = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map((pair) => pair.map((part) => encodeURIComponent(part)).join('=')).join('&');

/** In a form, a name that is neither declared nor known may come twice where it is ignored; in JSON no name may. */
function repeatsStranger(pairs: readonly (readonly [string, string])[]): boolean {
  const strangers = pairs.map(([name]) => name).filter((name) => !/^(code|note|scope)$/.test(name));
  return new Set(strangers).size < strangers.length;
}

describe('HOSTILE 78: JSON is judged as a form of the same pairs is', () => {
  const name = fc.constantFrom('code', 'code', 'note', 'scope', 'other', '__proto__', 'co\0de', '');
  const pairs = fc.array(fc.tuple(name, fc.oneof(anyText(4), fc.constant(''))), { maxLength: 6 });
  for (const repeated of ['refuse', 'first', 'last']) {
    for (const unknown of ['refuse', 'ignore']) {
      test(`repeated: ${repeated}, unknown: ${unknown}`, () => {
        const endpoint = endpointOf(repeated, unknown);
        fc.assert(
          fc.property(pairs, (sent) => {
            const found = read(endpoint, json, jsonOf(sent));
            if (`${repeated} ${unknown}` === 'refuse ignore' && repeatsStranger(sent)) {
              assert.equal((found as unknown[])[0], 'repeated_parameter');
            } else assert.deepEqual(found, read(endpoint, form, formOf(sent)));
          }),
          { numRuns: 300 },
        );
      });
    }
  }
});

test('HOSTILE 78: the first value or the last is the first or last that was sent, at any depth', () => {
  const inputs = ', id: { within: [user], in: json }';
  const twice = String.raw`{"note":"1","user":{"id":"a","\u0069d":"b"},"n\u006fte":2,"user":{"id":3}}`;
  const { note, id } = read(endpointOf('first', 'refuse', inputs), json, twice) as Record<
    string,
    string
  >;
  assert.deepEqual({ note, id }, { note: '1', id: 'a' });
  assert.deepEqual(read(endpointOf('last', 'refuse', inputs), json, twice), { note: '2', id: '3' });
  assert.deepEqual(read(endpointOf('refuse', 'refuse', inputs), json, '{"user":{},"user":{}}'), [
    'repeated_parameter',
    'user',
  ]);
});

test('HOSTILE 78: no name passes for a path into an object', () => {
  const endpoint = endpointOf('refuse', 'ignore', ', id: { within: [user], in: json }');
  for (const odd of ['user\0id', 'user.id', 'user/id']) {
    assert.deepEqual(read(endpoint, json, jsonOf([[odd, 'x']])), {}, odd);
    assert.deepEqual(read(endpoint, form, formOf([[odd, 'x']])), {}, odd);
  }
  assert.deepEqual(read(endpoint, json, '{"user":{"id":"x"}}'), { id: 'x' });
  const strict = endpointOf('refuse', 'refuse', ', id: { within: [user], in: json }');
  assert.deepEqual(read(strict, form, 'user=x'), ['unknown_parameter', 'user']);
});

test('HOSTILE 78: a member whose name has a dot stands beside a member of an object', () => {
  const inputs = ', id: { within: [user], in: json }, flat: { name: user.id, in: json }';
  const endpoint = endpointOf('refuse', 'refuse', inputs);
  assert.deepEqual(read(endpoint, json, '{"user":{"id":"x"},"user.id":"y"}'), {
    id: 'x',
    flat: 'y',
  });
});

test('HOSTILE 77: text that is not well-formed Unicode is refused in every member', () => {
  const endpoint = endpointOf('refuse', 'ignore');
  for (const body of [String.raw`{"note":"\ud800"}`, String.raw`{"\udc00":"x"}`]) {
    assert.deepEqual(read(endpoint, json, body), ['malformed_body', undefined]);
  }
});
