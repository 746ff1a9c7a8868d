// Tests of servers that start while files of programmes are broken: the last good version is served, loudly.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { jetway, jetwayWith, programmeText, workFolder } from '../../cli/command.ts';
import { startServer } from '../../cli/server.ts';
import { logLines } from '../../support/log_lines.ts';
import { ask } from '../../support/wire.ts';
import { isServed, operate, readiness, told } from '../operated.ts';

const broken = 'variant: grant\nname: [\n';

test('FAULTS 16: a start while a file is broken serves its last good version, and says so everywhere', async (t) => {
  const site = await operate(t, `${told}audit: { file: ./audit.jsonl }\n`);
  const [before] = (await site.status()).programmes;
  assert.equal(await site.server.end('SIGTERM'), 0);
  site.write('programmes/club.yaml', broken);
  const server = await startServer(t, site.folder);
  assert.ok(await isServed(server, 'club'));
  const { stdout, stderr } = server.printed();
  assert.match(stderr, /club\.yaml:2:7: error: /);
  assert.match(
    stdout,
    /\ndegraded: the file of club has faults, its last good version is served\n/,
  );
  const digest = before?.sha256?.slice(0, 12) ?? '';
  const line = logLines(stderr.replaceAll(/^[^{].*\n/gm, '')).find(
    ({ event }) => event === 'last_version_served',
  );
  assert.deepEqual(
    [line?.['level'], line?.['programme'], line?.['detail']],
    ['error', 'club', `its file has faults: its last good version (${digest}) is served`],
  );
  assert.deepEqual(await readiness(server), {
    code: 200,
    status: 'degraded',
    reasons: [`the file of club is not taken up: its version of ${before?.since} is served`],
  });
  const { programmes, last_reload: last } = await site.status();
  assert.deepEqual(programmes, [before]);
  assert.deepEqual([last.complete, last.programmes[0]?.outcome], [false, 'refused']);
  const { body } = await ask(server.admin, '/metrics');
  assert.match(body, /^jetway_programme_served\{programme="club"\} 1$/m);
  assert.match(body, /^jetway_programme_up_to_date\{programme="club"\} 0$/m);
  const audit = readFileSync(join(site.folder, 'audit.jsonl'), 'utf8');
  assert.match(audit, /"event":"programme_refused","programme":"club"/);
  assert.equal((await site.reload()).code, 3);
  site.write('programmes/club.yaml', programmeText('Club'));
  assert.equal((await site.reload()).code, 0);
  assert.deepEqual(await readiness(server), { code: 200, status: 'ready', reasons: [] });
});

test('FAULTS 17: a file that is gone is not served at a start, and a prune forgets its version', async (t) => {
  const site = await operate(t, told, { 'programmes/other.yaml': programmeText('Other') });
  const kept = join(site.folder, 'data/jetway.db.served');
  assert.equal(await site.server.end('SIGTERM'), 0);
  assert.equal(readdirSync(kept).length, 2);
  rmSync(join(site.folder, 'programmes/other.yaml'));
  const server = await startServer(t, site.folder);
  assert.equal(await isServed(server, 'other'), false);
  assert.deepEqual(await readiness(server), { code: 200, status: 'ready', reasons: [] });
  assert.equal((await site.reload()).code, 0);
  assert.equal(readdirSync(kept).length, 2);
  assert.equal((await site.reload('--prune')).code, 0);
  assert.equal(await server.end('SIGTERM'), 0);
  assert.deepEqual(
    readdirSync(kept).map((name) => name.split('.')[0]),
    ['club'],
  );
});

test('FAULTS 16: without a last good version a broken file is not served, and check tells of it in any case', async (t) => {
  const folder = workFolder(t, { 'config.yaml': told, 'programmes/club.yaml': broken });
  const { code, stderr } = await jetwayWith(folder, {}, ['serve']);
  assert.equal(code, 3);
  assert.match(stderr, /\nno programme in \S+programmes loads\n$/);
  assert.equal((await jetway(folder, ['check'])).code, 3);
});
