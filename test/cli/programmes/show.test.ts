// Owns the promise of `show`: what it prints is the whole dialect, and loads as the same dialect.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';

import { stringifyYaml } from '../../../src/lib/yaml/yaml.ts';
import { assertionAlgorithms } from '../../../src/oauth/client_certificate.ts';
import { effectiveDocument } from '../../../src/rules/effective_document.ts';
import { type LoadedProgramme, loadProgramme } from '../../../src/rules/load.ts';
import { jetway, jetwayJson, programmeText, root, workFolder } from '../command.ts';

/** A programme that takes from its variant, removes from it, and leaves much to defaults. */
const changed = programmeText(
  'Changed',
  `  identifier: { prefix: p-, characters: alphanumeric, length: 8..20 }
code: { characters: base64url, length: 43, lifetime: 90s }
authorize:
  pkce: "off"
  endpoint:
    inputs: { code_challenge: null, code_challenge_method: null, state: { length: 8 }, scope: {} }
tokens:
  refresh: { grace: null }
throttle: null
scope: { kind: list, values: [a, b], client: null, member_default: null }
token_response:
  fields:
    issued: { value: issued_at, as: date }
    details: { object: { who: client_id, list: { array: [scope, { constant: 7 }] } } }
`,
);

describe('show', { concurrency: 2 }, () => {
  test('names the place that each value comes from, or that it is a default', async (t) => {
    const ran = await jetway(workFolder(t), ['show', 'club']);
    assert.equal(ran.code, 0);
    for (const line of [
      /^base_path: \/club # programmes\/club\.yaml:4$/m,
      /^interface_version: v1 # default$/m,
      /^    prefix: partnerapi- # src\/variants\/grant\.yaml:\d+$/m,
    ]) {
      assert.match(ran.stdout, line);
    }
  });

  test('spells out what the file says, what the variant says and what is left to defaults', () => {
    const document = effectiveDocument(load('changed', changed));
    assert.deepEqual(pick(document, ['name', 'throttle', 'client', 'code', 'members', 'variant']), {
      name: 'Changed',
      throttle: 'off',
      client: {
        identifier: { prefix: 'p-', characters: 'alphanumeric', length: '8..20' },
        authentication: {
          methods: ['basic'],
          basic_charset: 'utf-8',
          credentials: 'form',
          scheme: 'Basic',
          when_both: 'refuse',
          failure_limit: { limit: 600, window: '1m' },
          assertion: {
            audience: ['issuer'],
            sub: 'required',
            algorithms: [...assertionAlgorithms],
            issuer: 'client.id',
            longest: '1h',
            tolerance: '30s',
          },
        },
      },
      code: { characters: 'base64url', length: 43, lifetime: '90s' },
      members: { directory: 'store' },
      variant: undefined,
    });
    const { refresh } = document['tokens'] as { refresh: Record<string, unknown> };
    assert.deepEqual(pick(refresh, ['lifetime', 'grace']), { lifetime: '24h', grace: '10s' });
  });

  const sources = globSync('programmes/*.yaml', { cwd: root }).map(
    (path) => [basename(path, '.yaml'), readFileSync(join(root, path), 'utf8')] as const,
  );
  for (const [id, text] of [...sources, ['changed', changed] as const]) {
    test(`${id} loads the same again, from YAML and from JSON`, () => {
      const loaded = load(id, text);
      const document = effectiveDocument(loaded);
      const { variant: _, ...expected } = loaded.definition;
      for (const again of [stringifyYaml(document), JSON.stringify(document, null, 2)]) {
        assert.deepEqual(load(id, again).definition, expected);
      }
    });
  }

  test('prints YAML that check accepts', async (t) => {
    const folder = workFolder(t, { 'programmes/broken.yaml': 'name: [\n' });
    const { code, stdout, stderr } = await jetway(folder, ['show', 'club']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(
      stdout.split('\n')[0],
      '# club: programmes/club.yaml laid over the variant grant, with every default filled in.',
    );
    const shown = workFolder(t, { 'programmes/club.yaml': stdout });
    const checked = await jetway(shown, ['check']);
    assert.equal(checked.stdout, '1 programme, 0 errors, 0 warnings\n');
  });

  test('prints JSON with programme_identifier at its top', async (t) => {
    const shown = await jetwayJson(workFolder(t), ['show', 'club']);
    const top = pick(shown as Record<string, unknown>, ['name', 'programme_identifier']);
    assert.deepEqual(top, { name: 'Club', programme_identifier: 'Club' });
  });
});

function load(id: string, text: string): LoadedProgramme {
  const { loaded, faults } = loadProgramme(`${id}.yaml`, text);
  assert.ok(loaded, JSON.stringify(faults, null, 2));
  return loaded;
}

function pick(from: Readonly<Record<string, unknown>>, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}
