// Owns the test of which parameters may come more than once: those whose name is neither declared nor
// known, where the endpoint ignores them (HOSTILE 4, 43; RFC 6749 erratum 5708, RFC 8707).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { knownInputs, singleInputs } from '../../../src/language/known_inputs.ts';
import { LoginRefusal, Refusal } from '../../../src/oauth/failure.ts';
import type { WireRequest } from '../../../src/oauth/wire_request.ts';
import { compileLoginEndpoint } from '../../../src/programme/login/endpoint.ts';
import { compileTokenEndpoint } from '../../../src/programme/requests/token_endpoint.ts';
import { compileTokenManagement } from '../../../src/programme/requests/token_management.ts';
import { definitionOf } from '../../support/definition.ts';
import { anyText, fc } from '../../support/property.ts';

type Pairs = readonly (readonly [name: string, value: string])[];

/** Reads a request whose parameters are the pairs: the inputs, or reason and parameter of its refusal. */
type Reader = (pairs: Pairs) => unknown;

function outcome(read: () => ReadonlyMap<string, string>): unknown {
  try {
    return Object.fromEntries(read());
  } catch (error) {
    assert.ok(error instanceof Refusal || error instanceof LoginRefusal, String(error));
    return [error.reason, error.facts.parameter];
  }
}

const formOf = (pairs: Pairs): string =>
  pairs.map((pair) => pair.map((part) => encodeURIComponent(part)).join('=')).join('&');

const request = (query: string, type = '', body = ''): WireRequest =>
  ({
    query,
    rawHeaders: type === '' ? [] : ['content-type', type],
    body: Buffer.from(body),
  }) as unknown as WireRequest;

const formType = 'application/x-www-form-urlencoded';

function tokenReader(
  keys: string,
  send: (pairs: Pairs) => WireRequest = (pairs) => request('', formType, formOf(pairs)),
): Reader {
  const definition = definitionOf(`
token_endpoints:
  grant: { ${keys}, inputs: { channel: { name: kanal, required: false }, tenant: { in: header, name: x-tenant } } }
`);
  const endpoint = definition.token_endpoints['grant'];
  assert.ok(endpoint);
  const { readInputs } = compileTokenEndpoint('grant', endpoint, definition);
  return (pairs) => outcome(() => readInputs(send(pairs)));
}

const plain = definitionOf('introspection: { path: /introspect }');
const login = compileLoginEndpoint(plain);
const management = compileTokenManagement('/introspect', plain, { byGateways: true });

const xmlName = fc.stringMatching(/^[a-z][A-Za-z_]{0,6}$/);
const xmlOf = (pairs: Pairs): string =>
  `<r>${pairs.map(([name]) => `<${name}>x</${name}>`).join('')}</r>`;

const anyName = fc.oneof(
  anyText(6),
  fc.constantFrom('fbclid', 'resource', 'foo[]', 'client_id[]', 'Client_Id', 'GRANT_TYPE'),
  fc.constantFrom('__proto__', 'constructor', 'hasOwnProperty', 'client_id ', 'x-Tenant', ''),
);

/** Places of parameters, and the names that may stand there. */
const readers: Readonly<Record<string, readonly [read: Reader, names: fc.Arbitrary<string>]>> = {
  'a form': [tokenReader('read: form'), anyName],
  'a query that is read': [tokenReader('read: query', (pairs) => request(formOf(pairs))), anyName],
  'a query beside a form': [
    tokenReader('read: form', (pairs) => request(formOf(pairs), formType, '')),
    anyName,
  ],
  'a form that is not read': [tokenReader('read: query'), anyName],
  'an XML body': [
    tokenReader('read: xml', (pairs) => request('', 'text/xml', xmlOf(pairs))),
    xmlName,
  ],
  'a login request': [
    (pairs) => {
      const { inputs, faults } = login.read(request(formOf(pairs)));
      const [fault] = faults;
      return fault === undefined
        ? Object.fromEntries(inputs)
        : [fault.reason, fault.facts.parameter];
    },
    anyName,
  ],
  introspection: [
    (pairs) => outcome(() => management.readInputs(request('', formType, formOf(pairs)))),
    anyName,
  ],
};

describe('HOSTILE 4, 43: a name that is neither declared nor known may come as often as it will', () => {
  const declared = new Set([...knownInputs, 'kanal', 'x-tenant']);
  for (const [place, [read, names]] of Object.entries(readers)) {
    const strangers = names.filter((name) => !declared.has(name));
    test(`${place}: it changes nothing`, () => {
      const pairs = fc.array(fc.tuple(strangers, anyText(3)), { maxLength: 4 });
      fc.assert(
        fc.property(pairs, (sent) => assert.deepEqual(read([...sent, ...sent]), {})),
        { numRuns: 200 },
      );
    });
    test(`${place}: a known name still comes once`, () => {
      // A login request tells a name of its own differently (ambiguous_request) at its next step.
      for (const name of singleInputs) {
        const twice = read([
          [name, 'x'],
          [name, 'x'],
        ]);
        assert.deepEqual(twice, ['repeated_parameter', name], name);
      }
    });
  }

  test('RFC 8707 2: a resource that is not declared may come several times', () => {
    for (const [place, [read]] of Object.entries(readers)) {
      const sent = ['urn:a', 'urn:b'].map((one) => ['resource', one] as const);
      assert.deepEqual(read(sent), {}, place);
    }
  });

  test('a declared name comes once under its wire name, also where a header or the body is meant', () => {
    for (const place of ['a form', 'a query that is read', 'a query beside a form']) {
      for (const name of ['kanal', 'x-tenant']) {
        const pairs = [name, name].map((one) => [one, 'x'] as const);
        assert.deepEqual(readers[place]?.[0](pairs), ['repeated_parameter', name], place);
      }
    }
  });
});

const twice = (name: string): Pairs => [
  [name, '1'],
  [name, '2'],
];

test('HOSTILE 43: where unknown parameters are refused, a repeated one is still told first', () => {
  const read = tokenReader('read: form, unknown: refuse');
  assert.deepEqual(read(twice('fbclid')), ['repeated_parameter', 'fbclid']);
  const lenient = tokenReader('read: form, unknown: refuse, repeated: first');
  assert.deepEqual(lenient(twice('fbclid')), ['unknown_parameter', 'fbclid']);
});

test('HOSTILE 43: with repeated: first or last a stranger is ignored, a known name taken', () => {
  for (const [repeated, value] of [
    ['first', '1'],
    ['last', '2'],
  ] as const) {
    const read = tokenReader(`read: form, repeated: ${repeated}`);
    assert.deepEqual(read([...twice('fbclid'), ...twice('scope')]), { scope: value });
  }
});

test('HOSTILE 43 HOSTILE 78: a member of a JSON body comes once, whatever its name', () => {
  const read = tokenReader('read: json', (pairs) => {
    const members = pairs.map((pair) => pair.map((part) => JSON.stringify(part)).join(':'));
    return request('', 'application/json', `{${members.join(',')}}`);
  });
  assert.deepEqual(read(twice('fbclid')), ['repeated_parameter', 'fbclid']);
  assert.deepEqual(read([['resource', 'x']]), {});
});

test('HOSTILE 46: strangers count among the parameters of a request', () => {
  const [read] = readers['a form'] ?? [];
  const many = (count: number): Pairs => Array.from({ length: count }, () => ['a', '1'] as const);
  assert.deepEqual(read?.(many(100)), {});
  assert.deepEqual(read?.(many(101)), ['malformed_body', undefined]);
});
