// Owns the promises of the unit files that can be told without a machine of their own.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { scratchFolder } from '../support/scratch.ts';
import { without } from '../support/tools.ts';
import { root } from './made.ts';

const folder = join(root, 'scripts/package/files');
const unit = (name: string): string => readFileSync(join(folder, name), 'utf8');

test('systemd finds nothing wrong in any unit', { skip: without('systemd-notify') }, (t) => {
  const copies = scratchFolder(t, 'units');
  const names = globSync('*.{service,socket,timer}', { cwd: folder });
  assert.equal(names.length, 6);
  for (const name of names) {
    // Neither the executable nor its user is on this machine.
    const text = unit(name)
      .replaceAll('/usr/bin/jetway', '/bin/true')
      .replaceAll('=jetway\n', '=root\n');
    writeFileSync(join(copies, name), text);
  }
  const paths = names.map((name) => join(copies, name));
  const options = { encoding: 'utf8', stdio: 'pipe' } as const;
  execFileSync('systemd-analyze', ['verify', '--man=no', ...paths], options);
});

test('an outage of any length uses up no start, and a reload tells of a bad file', () => {
  const text = unit('jetway.service');
  assert.match(text, /^\[Unit\]\n(?:[^[]+\n)?StartLimitIntervalSec=0$/m);
  assert.match(text, /^RestartSec=\d+$/m);
  assert.match(
    text,
    /^ExecReload=\/usr\/bin\/jetway reload --config \/etc\/jetway\/config\.yaml$/m,
  );
});

test('the backup is in the same sandbox as the server', () => {
  const [server, backup] = ['jetway.service', 'jetway-backup.service'].map((name) =>
    /# The sandbox\.[^[]*/.exec(unit(name))?.[0].trim(),
  );
  assert.ok(server);
  assert.equal(backup, server);
});
