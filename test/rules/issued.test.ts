// HOSTILE 58 as a property: whatever an input of any role is narrowed to, either the file does not load,
// or the input takes what the service itself gives out: what the generators make, not a copy of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { newApiKey, newSecret } from '../../src/cli/entities/secrets.ts';
import { characterClasses } from '../../src/language/value_shape.ts';
import type { Instant } from '../../src/lib/clock.ts';
import { newPlace } from '../../src/oauth/place.ts';
import type { Programme } from '../../src/programme/programme.ts';
import { compileInput } from '../../src/programme/requests/inputs.ts';
import { firstRefreshText } from '../../src/token/sealed/refresh_text.ts';
import { errorsOf, programmeOf } from '../support/definition.ts';
import { fc, runs } from '../support/property.ts';

const now = Date.parse('2026-01-02T03:04:05Z') as Instant;

const makers: Readonly<Record<string, (programme: Programme) => string>> = {
  client_id: ({ clients }) => clients.newIdentifier(),
  client_secret: newSecret,
  code: ({ code }) => code.generate(),
  refresh_token: () => firstRefreshText(newPlace(now)).text,
  key: () => newApiKey('live'),
};

const narrowing = fc.record(
  {
    characters: fc.constantFrom(...characterClasses),
    length: fc.oneof(
      fc.integer({ min: 40, max: 64 }),
      fc
        .tuple(fc.nat(50), fc.integer({ min: 40, max: 80 }))
        .map(([one, more]) => `${one}..${one + more}`),
    ),
    prefix: fc.constantFrom('', 'r', 'jw_', 'partnerapi-', 'x'),
  },
  { requiredKeys: [] },
);
const shape = fc.record({
  characters: fc.constantFrom('alphanumeric', 'lower_hex', 'base64url'),
  length: fc.constantFrom(40, 64, '48..60'),
});

test('HOSTILE 58: an input that loads takes what the service gives out', (t) => {
  let taken = 0;
  const roles = fc.constantFrom(...Object.keys(makers));
  const property = fc.property(roles, narrowing, shape, (role, narrowed, code) => {
    const input = { ...narrowed, ...(role === 'key' ? { must_equal: 'client.api_key' } : {}) };
    const over = JSON.stringify({
      code,
      token_endpoints: { grant: { inputs: { [role]: input } } },
    });
    const isRefused = errorsOf(over).length > 0;
    const programme = programmeOf(JSON.stringify({ code }));
    const { length: span, ...others } = narrowed;
    const [min = 0, max = min] = String(span).split('..').map(Number);
    const length = span === undefined ? {} : { length: { min, max } };
    const { fits } = compileInput(role, { required: true, ...others, ...length }, role);
    for (let tries = 0; tries < 5; tries += 1) {
      const made = makers[role]?.(programme) ?? '';
      assert.ok(isRefused || fits(made), `${role} ${made} and ${over}`);
    }
    if (!isRefused) taken += 1;
  });
  const numRuns = runs * 10;
  fc.assert(property, { numRuns });
  t.diagnostic(`${taken} of ${numRuns} load`);
  assert.ok(taken > numRuns / 20);
});
