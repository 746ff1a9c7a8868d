// Owns the promise that the handbook can be followed as it stands: its procedures run in one machine, one
// after another and each of them twice in a row, from the pages' own text.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { blockNamed } from '../gateways/page.ts';
import { without } from '../support/tools.ts';
import { type Block, type Section, sectionsOf } from './handbook/blocks.ts';
import { helpers, notRun, type Step, steps } from './handbook/steps.ts';
import { type Machine, openMachine } from './machine.ts';
import { architecture, packages, root, theOne } from './made.ts';

const skip = without('systemd-nspawn', 'nginx', 'curl', 'jq', 'openssl', 'postgresql-15');

/** By a part of their names, for whoever works on one: what they rest on must run, too. */
const only = process.env['HANDBOOK_ONLY'];

const sections: ReadonlyMap<string, Section> = new Map(
  globSync('handbook/*.md', { cwd: join(root, 'docs') })
    .flatMap(sectionsOf)
    .map((section) => [section.name, section]),
);

function sectionNamed(name: string): Section {
  const found = sections.get(name);
  assert.ok(found, `the handbook no longer has ${name}`);
  return found;
}

test('each procedure of the handbook runs, or it is said why it does not', () => {
  const withCommands = [...sections.values()]
    .filter(({ blocks }) => blocks.some(({ language }) => language === 'sh'))
    .map(({ name }) => name);
  const run = new Set(steps.map(({ section }) => section));
  const told = [...new Set([...run, ...Object.keys(notRun)])];
  assert.deepEqual(told.toSorted(), withCommands.toSorted());
  assert.deepEqual(
    Object.keys(notRun).filter((name) => run.has(name)),
    [],
  );
});

/** The script of one run: what a person does, in one shell, from the first line to the last. */
function scriptOf(step: Step): string {
  const section = sectionNamed(step.section);
  const blocks = [...section.blocks];
  if (step.endsWith !== undefined) blocks.push(...sectionNamed(step.endsWith).blocks);
  const files = blocks.filter(({ path, language }) => path !== undefined && language !== 'yaml');
  const unit = blocks.find(({ language }) => language === 'ini');
  const typed = blocks.filter((block) => block.language === 'sh' || isConfiguration(block, step));
  const lines = [helpers, 'trap \'echo "FAILED $phase $?: $BASH_COMMAND"\' ERR'];
  const phase = (name: string, text: string): void => void lines.push(`phase=${name}`, text);
  if (unit !== undefined) lines.push(written('/root/unit.ini', unit.text));
  for (const { path = '', text } of files) lines.push(written(path, text));
  phase('before', step.before ?? '');
  typed.forEach((block, number) => {
    if (number === typed.length - 1 && step.between !== undefined) phase('between', step.between);
    if (block.language === 'yaml')
      phase('configuration', `${written('/root/keys', block.text)}merge`);
    else phase('page', filled(block.text, step.fill ?? []));
  });
  phase('after', step.after ?? '');
  return `${lines.join('\n')}\ntrue\n`;
}

function isConfiguration({ language, path }: Block, { configuration }: Step): boolean {
  return language === 'yaml' && (path === '/etc/jetway/config.yaml' || configuration === true);
}

function written(path: string, text: string): string {
  return `cat >${path} <<'END OF FILE'\n${text}END OF FILE\n`;
}

/** Puts values in; not each block has each of them. */
function filled(text: string, values: NonNullable<Step['fill']>): string {
  return values.reduce((so, [from, to]) => so.replaceAll(from, () => to), text);
}

describe('the handbook', { skip }, () => {
  let machine: Machine;
  let folder: string;

  const put = (path: string, text: string): void => {
    const file = join(folder, basename(path));
    writeFileSync(file, text);
    const place = machine.take(file);
    machine.does(`mkdir -p $(dirname ${path}) && mv ${place} ${path}`);
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jetway-handbook-'));
    machine = openMachine();
    const deb = theOne(`*_${architecture}.deb`);
    put('/opt/release/SHA256SUMS', readFileSync(join(packages, 'SHA256SUMS'), 'utf8'));
    machine.does(`mv ${machine.take(deb)} /opt/release/ && mkdir -p /opt/newer`);
    machine.does(`mv ${machine.take(newerThan(deb, folder))} /opt/newer/`);
    for (const path of ['/etc/nginx/conf.d/loyalty-api.conf', '/etc/nginx/jetway-headers.conf']) {
      put(path, blockNamed(path));
    }
    await machine.boot();
  });
  after(async () => {
    await machine.close();
    rmSync(folder, { recursive: true });
  });

  for (const step of steps) {
    test(`${step.section}, twice`, { skip: skippedOf(step) }, () => {
      for (const time of ['first', 'second']) {
        put('/root/script.sh', scriptOf(step));
        put('/root/input', step.input ?? '');
        const { code, text } = machine.tries('cd /root && bash script.sh <input');
        const failed = [...text.matchAll(/^FAILED (\w+) \d+: (.*)$/gm)].filter(
          ([, phase, command = '']) => {
            const may = [...(step.refusals ?? []), ...((time === 'second' && step.again) || [])];
            return phase !== 'page' || !may.some((one) => one.test(command));
          },
        );
        assert.deepEqual([code, failed.map(([line]) => line)], [0, []], `${time} run:\n${text}`);
      }
    });
  }
});

function skippedOf({ section }: Step): boolean {
  return only !== undefined && !only.split(',').some((one) => section.includes(one));
}

/** The same package under a later version. */
function newerThan(deb: string, folder: string): string {
  const tree = join(folder, 'newer');
  execFileSync('dpkg-deb', ['-R', deb, tree]);
  const control = join(tree, 'DEBIAN/control');
  const text = readFileSync(control, 'utf8');
  writeFileSync(control, text.replace(/^Version: .*/m, 'Version: 99.0.0'));
  const made = join(folder, `jetway_99.0.0_${architecture}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '-b', tree, made], {
    stdio: 'ignore',
  });
  return made;
}
