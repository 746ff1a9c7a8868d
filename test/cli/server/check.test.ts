// Owns the promises of `check`: every fault at its place, in reading order, and the exit code.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { configText, jetway, jetwayEach, programmeText, root, workFolder } from '../command.ts';

describe('check', { concurrency: 2 }, () => {
  test('finds nothing in a good folder', async (t) => {
    const ran = await jetway(workFolder(t), ['check']);
    assert.deepEqual(ran, {
      code: 0,
      stdout: '1 programme, 0 errors, 0 warnings\n',
      stderr: '',
    });
  });

  test('tells every fault of every programme in reading order', async (t) => {
    const folder = workFolder(t, {
      'programmes/broken.yaml': 'name: [\n',
      'programmes/typos.yaml': programmeText(
        'Typos',
        'audienc: us\ncode: { lifetime: 2m, length: 5..x }\n',
      ),
    });
    const ran = await jetway(folder, ['check']);
    assert.equal(ran.code, 3);
    assert.equal(ran.stderr, '');
    assert.deepEqual(places(ran.stdout), [
      'programmes/broken.yaml:1:7: error',
      'programmes/typos.yaml:7:1: error',
      'programmes/typos.yaml:8:31: error',
    ]);
    assert.match(ran.stdout, /^programmes\/typos\.yaml:7:1: .*"audienc".*did you mean "audience"/m);
    assert.match(ran.stdout, /\n3 programmes, 3 errors, 0 warnings\n$/);
  });

  test('prints faults as JSON, whether or not there are any', async (t) => {
    const folder = workFolder(t, { 'bad.yaml': programmeText('Bad', 'audienc: us\n') });
    const [bad, good] = await jetwayEach(folder, [
      ['check', '--json', 'bad.yaml'],
      ['check', '--json'],
    ]);
    assert.deepEqual([bad.code, bad.stderr], [3, '']);
    assert.deepEqual(JSON.parse(bad.stdout), [
      {
        severity: 'error',
        name: null,
        file: 'bad.yaml',
        line: 7,
        column: 1,
        path: 'audienc',
        message: 'unknown key "audienc"',
        hint: 'did you mean "audience"?',
      },
    ]);
    assert.deepEqual(good, { code: 0, stdout: '[]\n', stderr: '' });
  });

  test('says what client add will ask for, where answers hold properties of clients', async (t) => {
    const more = 'token_response: { fields: { realm: client.realm, plan: client.plan } }\n';
    const folder = workFolder(t, { 'rich.yaml': programmeText('Rich', more) });
    const { stdout } = await jetway(folder, ['check', 'rich.yaml']);
    assert.equal(
      stdout,
      'rich: client add will ask for --property realm=… --property plan=…\n1 programme, 0 errors, 0 warnings; no configuration was looked at: jetway check without a file does\n',
    );
  });

  test('warns of two programmes that are called the same (P-1)', async (t) => {
    const folder = workFolder(t, {
      'programmes/twin.yaml': programmeText('Club').replace('/club', '/twin'),
    });
    const ran = await jetway(folder, ['check']);
    assert.equal(ran.code, 0);
    assert.deepEqual(ran.stdout.split('\n'), [
      'programmes/twin.yaml:2:7: warning: another programme has the name "Club" already (see programmes/club.yaml:2:7) [shared_name]',
      'programmes/twin.yaml:3:23: warning: another programme has the programme_identifier "Club" already (see programmes/club.yaml:3:23) [shared_programme_identifier]',
      '2 programmes, 0 errors, 2 warnings',
      '',
    ]);
  });

  test('warns of a sandbox where the environment is live, and there alone', async (t) => {
    const folder = workFolder(t, {
      'programmes/club.yaml': programmeText('Club', 'sandbox: { header: X-Fail }\n'),
    });
    const staging = await jetway(folder, ['check']);
    assert.equal(staging.stdout, '1 programme, 0 errors, 0 warnings\n');
    const path = join(folder, 'config.yaml');
    const text = readFileSync(path, 'utf8').replace('environment: staging', 'environment: live');
    writeFileSync(path, text.replace(/public_url: \S+/, 'public_url: https://tokens.example'));
    const live = await jetway(folder, ['check']);
    assert.equal(live.code, 0);
    assert.deepEqual(live.stdout.split('\n'), [
      'programmes/club.yaml:7:10: warning: this has no effect: no failure can be forced where the environment is live [idle_sandbox]',
      '1 programme, 0 errors, 1 warning',
      '',
    ]);
  });

  test('tells the faults of the configuration and, all the same, those of the programmes', async (t) => {
    const folder = workFolder(t, {
      'config.yaml': `${configText}programmes: ./clubs\nadmin: nowhere\nenvironmnt: live\n`,
      'clubs/bad.yaml': programmeText('Bad', 'audienc: us\n'),
    });
    const ran = await jetway(folder, ['check']);
    assert.equal(ran.code, 3);
    assert.deepEqual(places(ran.stdout), [
      './config.yaml:6:8: error',
      './config.yaml:7:1: error',
      'clubs/bad.yaml:7:1: error',
    ]);
    assert.match(ran.stdout, /\n1 programme, 3 errors, 0 warnings\n$/);
  });

  test('judges programme files alone, without a configuration', async (t) => {
    const folder = workFolder(t, { 'draft.yaml': programmeText('Draft', 'x: 1\n') });
    rmSync(join(folder, 'config.yaml'));
    const club = 'programmes/club.yaml';
    const [good, all] = await jetwayEach(folder, [
      ['check', club, `./${club}`],
      ['check', 'missing.yaml', 'draft.yaml', club],
    ]);
    assert.deepEqual(good, {
      code: 0,
      stdout:
        '1 programme, 0 errors, 0 warnings; no configuration was looked at: jetway check without a file does\n',
      stderr: '',
    });
    assert.equal(all.code, 3);
    assert.deepEqual(places(all.stdout), ['draft.yaml:7:1: error', 'missing.yaml:1:1: error']);
  });

  test('warnings alone are no failure, and stand in the file of the programme that chose the variant', async (t) => {
    const folder = workFolder(t, {
      'programmes/club.yaml': programmeText('Club').replace(
        'variant: grant',
        'variant: partner-login',
      ),
    });
    const ran = await jetway(folder, ['check']);
    assert.equal(ran.code, 0);
    assert.match(
      ran.stdout,
      /^programmes\/club\.yaml:1:10: warning: .+ in variants\/partner-login\.yaml, line \d+\) \[secrets_in_query\]\n/,
    );
    assert.match(ran.stdout, /\n1 programme, 0 errors, 2 warnings\n$/);
  });

  test('a folder without programmes, a missing folder and a missing configuration are errors', async (t) => {
    const folder = workFolder(t, {
      'empty/notes.md': 'none',
      'empty.yaml': `${configText}programmes: ./empty\n`,
      'absent.yaml': `${configText}programmes: ./absent\n`,
    });
    const [empty, absent, missing] = await jetwayEach(folder, [
      ['check', '--config', 'empty.yaml'],
      ['check', '--config', 'absent.yaml'],
      ['check', '--config', 'missing.yaml'],
    ]);
    assert.deepEqual([empty.code, absent.code, missing.code], [3, 3, 3]);
    assert.match(empty.stdout, /^empty:1:1: error: there is no programme file/);
    assert.match(absent.stdout, /^absent:1:1: error: the folder of programmes cannot be/);
    assert.equal(
      missing.stdout,
      'missing.yaml:1:1: error: the file does not exist (jetway init writes one, with programmes)\n0 programmes, 1 error, 0 warnings\n',
    );
  });

  test('the example configuration and the shipped programmes pass', async () => {
    const ran = await jetway(root, ['check', '--config', 'config.example.yaml']);
    assert.equal(ran.code, 0, ran.stdout);
    assert.match(ran.stdout, /(?:^|\n)\d+ programmes, 0 errors, \d+ warnings?\n$/);
  });
});

/** `file:line:column: severity` of every line but the last, which sums up. */
function places(stdout: string): readonly string[] {
  const lines = stdout.trimEnd().split('\n').slice(0, -1);
  return lines.map((line) => line.split(': ').slice(0, 2).join(': '));
}
