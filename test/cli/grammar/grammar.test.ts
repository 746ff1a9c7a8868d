// Owns the promises of every verb's help, and that what it shows as an example can be pasted.

import assert from 'node:assert/strict';
import { copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import type { Verb } from '../../../src/cli/grammar/grammar.ts';
import { verbs } from '../../../src/cli/program.ts';
import {
  jetway,
  jetwayEach,
  jetwayWith,
  programmeText,
  putSecret,
  workFolder,
} from '../command.ts';

describe('help', { concurrency: 2 }, () => {
  test('of each verb: what must be given, an example, and the exit codes', async (t) => {
    const folder = workFolder(t);
    const lines = verbs.map(({ words }) => [...words.split(' '), '--help']);
    const helps = await jetwayEach(folder, lines);
    const same = await jetwayEach(
      folder,
      verbs.map(({ words }) => ['help', ...words.split(' ')]),
    );
    assert.deepEqual(same, helps);
    for (const [index, { words, example, reads, options = [] }] of verbs.entries()) {
      const { code, stdout, stderr } = helps[index] ?? { code: -1, stdout: '', stderr: '' };
      assert.deepEqual([code, stderr], [0, ''], words);
      const [usage = ''] = stdout.split('\n');
      const required = options.filter((option) => option.required).map(({ flags }) => flags);
      assert.ok(usage.startsWith(`Usage: jetway ${words} `), usage);
      for (const flags of required) assert.ok(usage.includes(` ${flags} `), usage);
      const marks = stdout.replaceAll(/\s+/g, ' ').match(/\(required\)/g) ?? [];
      assert.equal(marks.length, required.length, words);
      const [, shown, ended] = /\nExample:\n {2}(.*)\n\nExit codes:\n([^]*)\n$/.exec(stdout) ?? [];
      assert.equal(shown, example);
      const codes = [...(ended ?? '').matchAll(/^ {2}(\d) {2}\S/gm)].map(([, digit]) => digit);
      const most = { configuration: 3, store: 4, none: /^(?:dev|diff)$/.test(words) ? 3 : 2 }[
        reads ?? 'none'
      ];
      assert.deepEqual(codes.join(''), '01234'.slice(0, most + 1), words);
    }
  });

  test('what is spelled wrong is told before what is missing; all that is missing at once', async (t) => {
    const [misspelled, missing, both] = await jetwayEach(workFolder(t), [
      ['client', 'add', '--programm', 'club', '--name', 'A'],
      ['client', 'add', '--json'],
      ['member', 'add', '--usrname', 'ann'],
    ]);
    const rest = '(jetway help VERB tells more)\n';
    assert.deepEqual(misspelled, {
      code: 2,
      stdout: '',
      stderr: `error: unknown option '--programm'\n(Did you mean --programme?)\n${rest}`,
    });
    const told = ['--programme <name>', '--name <name>'].map(
      (flags) => `error: required option '${flags}' not specified\n`,
    );
    assert.deepEqual(missing, { code: 2, stdout: '', stderr: told.join('') + rest });
    assert.match(both.stderr, /Did you mean --username\?/);
  });
});

/** The words of a command line, as a shell takes them; what is piped in stands before it. */
function wordsOf(line: string): readonly string[] {
  const [command = ''] = line.slice(line.indexOf('jetway ')).split(' > ');
  return [...command.matchAll(/'([^']*)'|(\S+)/g)]
    .map(([, quoted, plain = '']) => quoted ?? plain)
    .slice(1);
}

test('the example of each verb that ends by itself does what it says', async (t) => {
  const jwt = 'tokens: { access: { format: jwt } }\n';
  const folder = workFolder(t, {
    'programmes/my-club.yaml': programmeText('Mine', jwt),
    'old/my-club.yaml': programmeText('Mine'),
  });
  const hash = `$2b$04$${'u'.repeat(53)}`;
  const row =
    'partnerapi-12345,a-secret-of-another-system,Ann,an-api-key-of-another-system,a-signing-secret';
  putSecret(folder, 'clients.csv', `client_id,client_secret,name,api_key,signing_secret\n${row}\n`);
  putSecret(folder, 'members.csv', `username,bcrypt\nbob,${hash}\n`);
  const brought = ['client', 'import', 'clients.csv', '--programme', 'my-club'];
  assert.equal((await jetway(folder, brought)).code, 0);
  // They run until they are told to end, need a server, a database, a hook, or an identifier that is
  // drawn by lot.
  const others =
    /^(?:serve|reload|status|healthcheck|why|dev|store copy|member directory-test|gateway (?:show|rotate-secret|remove))$/;
  const rank = (verb: Verb): number => (verb.words.endsWith(' remove') ? 1 : 0);
  const rest = verbs.filter(({ words }) => !others.test(words));
  for (const { words, example } of rest.toSorted((a, b) => rank(a) - rank(b))) {
    const password = example.startsWith('jetway ') ? '' : 'correct horse battery';
    const { code, stderr } = await jetway(folder, wordsOf(example), password);
    assert.equal(code, 0, `${words}: ${stderr}`);
  }
});

test('JETWAY_CONFIG says where the configuration is; --config goes before it, empty it is not set', async (t) => {
  const folder = workFolder(t);
  mkdirSync(join(folder, 'etc'));
  copyFileSync(join(folder, 'config.yaml'), join(folder, 'etc/jetway.yaml'));
  cpSync(join(folder, 'programmes'), join(folder, 'etc/programmes'), { recursive: true });
  rmSync(join(folder, 'config.yaml'));
  const set = { JETWAY_CONFIG: 'etc/jetway.yaml' };
  const check = ['show', 'club'];
  const [found, overridden, empty] = await Promise.all([
    jetwayWith(folder, set, check),
    jetwayWith(folder, set, [...check, '--config', 'elsewhere.yaml']),
    jetwayWith(folder, { JETWAY_CONFIG: '' }, check),
  ]);
  assert.deepEqual([found.code, found.stderr], [0, '']);
  assert.match(found.stdout, /^# club: etc\/programmes\/club\.yaml/);
  assert.match(
    overridden.stderr,
    /^elsewhere\.yaml:1:1: error: the file does not exist \(jetway init writes one, with programmes\)\n$/,
  );
  assert.match(empty.stderr, /^\.\/config\.yaml:1:1: error: the file does not exist/);
});
