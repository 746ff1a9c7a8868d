// FAULTS 32, HOSTILE 61: signals that end other programs end no server undrained, and open no debugger.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { environment } from '../cli/command.ts';
import { askTokens, tokensIn } from '../support/club.ts';
import { eventLines, type LogLine } from '../support/log_lines.ts';
import { program } from '../support/program.ts';
import { scratchFolder } from '../support/scratch.ts';
import { until } from '../support/until.ts';
import { openSite } from './site.ts';

const grant = { grant_type: 'client_credentials' };

function eventsIn(log: string): readonly string[] {
  return eventLines(log).map((line) => (JSON.parse(line) as LogLine).event);
}

test('FAULTS 32: SIGHUP reloads, SIGUSR1 and SIGPIPE change nothing, and the log says so', async (t) => {
  const site = await openSite(t);
  const club = await site.start();
  club.server.child.kill('SIGPIPE');
  club.server.child.kill('SIGUSR1');
  await until(() => eventsIn(club.server.printed().stderr).length === 1);
  club.server.child.kill('SIGHUP');
  await until(() => eventsIn(club.server.printed().stderr).length === 2);
  tokensIn(await askTokens(club, grant));
  assert.equal(await club.server.end('SIGTERM'), 0);
  const { stderr } = club.server.printed();
  assert.deepEqual(eventsIn(stderr), ['debugger_not_supported', 'reloaded']);
});

test('FAULTS 32: a server outlives the terminal that it was started at', async (t) => {
  const site = await openSite(t);
  writeFileSync(join(site.folder, 'inside.sh'), 'echo $$ >pid\nexec "$@" 2>log\n');
  const terminal = ['sh', '-c', 'exec script -qefc "sh inside.sh $*" /dev/null', 'sh'];
  const club = await site.start({ under: terminal });
  const pid = Number(readFileSync(join(site.folder, 'pid'), 'utf8'));
  const log = (): string => readFileSync(join(site.folder, 'log'), 'utf8');
  try {
    club.server.child.kill('SIGKILL');
    await until(() => eventsIn(log()).includes('reloaded'));
    tokensIn(await askTokens(club, grant));
  } finally {
    process.kill(pid, 'SIGKILL');
  }
});

test('FAULTS 32: dev ends with its terminal, when it has answered', async (t) => {
  const dev = spawn(process.execPath, [program, 'dev', '--listen', '127.0.0.1:0'], {
    cwd: scratchFolder(t, 'dev'),
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => dev.kill('SIGKILL'));
  const ended = once(dev, 'exit');
  let printed = '';
  dev.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await until(() => printed.includes('http://127.0.0.1:'));
  dev.kill('SIGHUP');
  assert.deepEqual(await ended, [0, null]);
});
