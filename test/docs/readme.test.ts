// Owns the check that what the README shows of a programme file loads, and does what is said of it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { compileProgramme } from '../../src/programme/compile.ts';
import { loadProgramme, withLogos } from '../../src/programme/language/load.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

test('the login page of the README loads as it stands, in every variant', () => {
  const [example = '', ...others] = [...readme.matchAll(/```yaml\n(login:\n[^]*?)```/g)].map(
    ([, text = '']) => text,
  );
  assert.deepEqual(others, []);
  for (const variant of ['grant', 'partner-login']) {
    const head = `variant: ${variant}\nname: Harbour Club\nprogramme_identifier: Harbour\nbase_path: /harbour\n`;
    const asked: string[] = [];
    const { loaded, faults } = withLogos(loadProgramme('harbour.yaml', head + example), (name) => {
      asked.push(name);
      const png = Buffer.from('89504e470d0a1a0a00', 'hex');
      return name.endsWith('.png') ? png : Buffer.from('<svg></svg>');
    });
    assert.deepEqual(
      faults.filter(({ severity }) => severity === 'error'),
      [],
    );
    assert.ok(loaded);
    assert.deepEqual(asked, ['harbour.svg', 'acme.png']);
    const { id, definition, logos } = loaded;
    const { login } = compileProgramme(id, definition, 'https://tokens.example', logos);
    assert.equal(login.languages.texts('en').title, 'Welcome to Harbour Club');
    assert.equal(login.languages.texts(undefined).title, 'Bienvenue chez Harbour Club');
    assert.equal(login.brands.get('Acme')?.name, 'Acme Hotels');
    assert.equal(login.palettes.light.accent, '#7a2457');
  }
});
