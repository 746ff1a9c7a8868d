// HOSTILE 58: words in lists that stand for nothing in their dialect are told at their place.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { stringifyYaml } from '../../../src/lib/yaml/yaml.ts';
import { grantTypes } from '../../../src/oauth/grant.ts';
import { effectiveDocument } from '../../../src/programme/language/effective_document.ts';
import { loadProgramme } from '../../../src/programme/language/load.ts';
import { loadClub, overlays } from '../../support/definition.ts';
import { isMap, type Plain, type PlainMap } from '../property/dialect.ts';
import { withValue } from '../property/slips.ts';

function warningsOf(over: string): readonly string[] {
  const { faults } = loadClub(over);
  return faults.flatMap(({ path, message }) =>
    /stand|hold this|no body/.test(message) ? [`${path}: ${message}`] : [],
  );
}

const cases = overlays(`
token_response: { fields: { owner: { first: [{ constant: a, only: [client_credentials, password] }, client_id] } } }
  token_response.fields.owner.first.0.only.1: the grant password is off: it has no answer to hold this
token_response: { headers: { X-Owner: { value: client_id, only: [password] } } }
  token_response.headers.X-Owner.only.0: the grant password is off: it has no answer to hold this
tokens: { access: { claims: { owner: { object: { id: { value: client_id, only: [password] } } } } } }
  tokens.access.claims.owner.object.id.only.0: the grant password is off: it has no answer to hold this
authorize: { answer: { more: { why: { constant: a, only: [unknown_client, access_denied] } } } }
  authorize.answer.more.why.only.0: unknown_client is told on a page: there is no redirect to hold this
authorize: { endpoint: { media_types: [text/plain] } }
  authorize.endpoint.media_types: no body is read here, whatever its media type
grants: { refresh_token: null }
  none
`);

for (const [over, told] of cases) {
  test(`HOSTILE 58: ${over}`, () => assert.deepEqual(warningsOf(over), told));
}

type Place = readonly (string | number)[];

/** Every list of texts in a whole dialect, with its place. */
function* listsIn(value: Plain, at: Place = []): Iterable<readonly [Place, readonly string[]]> {
  const parts = Array.isArray(value) ? value.entries() : Object.entries(isMap(value) ? value : {});
  const all = [...parts] as readonly (readonly [string | number, Plain])[];
  const texts = all.flatMap(([, one]) => (typeof one === 'string' ? [one] : []));
  if (Array.isArray(value) && texts.length === all.length) yield [at, texts];
  for (const [key, one] of all) yield* listsIn(one, [...at, key]);
}

/** Lists whose words mean what they say; a grant's answer can hold whatever its fields name. */
const free = /^scope\.values$|assertion\.audience$|\.(?:allowed|within|wrap|media_types|array)$/;

for (const path of globSync(['programmes/*.yaml', 'test/dialects/*.yaml']).toSorted()) {
  test(`HOSTILE 58: a word that stands for nothing is told in any list of ${path}`, () => {
    const original = loadProgramme(path, readFileSync(path, 'utf8')).loaded;
    assert.ok(original);
    const { grants } = original.definition;
    const dialect = effectiveDocument(original) as PlainMap;
    for (const [at, list] of listsIn(dialect)) {
      if (free.test(at.join('.'))) continue;
      const isOfGrants = at.at(-1) === 'only' && String(at[0]).startsWith('to');
      const off = isOfGrants ? grantTypes.filter((type) => grants[type] === undefined) : [];
      for (const word of ['nowhere', ...off.filter((type) => !list.includes(type))]) {
        const text = stringifyYaml(withValue(dialect, at, [...list, word]));
        const { faults } = loadProgramme('x.yaml', text);
        const place = at.join('.');
        const isTold = faults.some(
          (one) => `${one.path}.`.startsWith(`${place}.`) && one.message.includes(word),
        );
        assert.ok(isTold, `${place}: ${word}`);
      }
    }
  });
}
