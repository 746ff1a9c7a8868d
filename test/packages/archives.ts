// Owns the promises of what `npm run package` leaves: the same bytes each time, sums, bills of materials,
// and every file that is promised, in each package.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { scratchFolder } from '../support/scratch.ts';
import { makeInto, packages as made, root, theOne } from './made.ts';

const sums = (folder: string): string => readFileSync(join(folder, 'SHA256SUMS'), 'utf8');

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly content: string }[];
  readonly components?: readonly Component[];
}

interface Bom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly components: readonly Component[];
}

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  /** Of a development, and one that a dependency can do without. */
  readonly devOptional?: boolean;
  /** Present where it is for some systems alone. */
  readonly os?: readonly string[];
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

test('made twice they are the same to the byte', (t) => {
  const again = scratchFolder(t, 'again');
  makeInto(again);
  assert.equal(sums(again), sums(made));
});

test('SHA256SUMS has every file', () => {
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
    cwd: made,
    stdio: 'pipe',
  });
  const named = sums(made)
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('  ')[1]);
  assert.deepEqual(new Set([...named, 'SHA256SUMS']), new Set(globSync('*', { cwd: made })));
  const kinds = named.map((name) => name?.replace(/^jetway[-_][^_]*?(?=-linux|-oci|\.cdx|_)/, ''));
  assert.deepEqual(kinds, [
    '-linux-arm64.tar.gz',
    '-linux-x64.tar.gz',
    '-oci.cdx.json',
    '-oci.tar',
    '.cdx.json',
    '_amd64.deb',
    '_arm64.deb',
  ]);
});

const files = [
  'etc/jetway/config.yaml',
  'etc/jetway/programmes/executive-club.svg',
  'etc/jetway/programmes/executive-club.yaml',
  'etc/jetway/programmes/programme.schema.json',
  'etc/jetway/programmes/second-club.svg',
  'etc/jetway/programmes/second-club.yaml',
  'etc/jetway/programmes/third-club.svg',
  'etc/jetway/programmes/third-club.yaml',
  'usr/bin/jetway',
  'usr/lib/systemd/system/jetway-admin.socket',
  'usr/lib/systemd/system/jetway-backup.service',
  'usr/lib/systemd/system/jetway-backup.timer',
  'usr/lib/systemd/system/jetway-gateway.socket',
  'usr/lib/systemd/system/jetway.service',
  'usr/lib/systemd/system/jetway.socket',
  'usr/share/bash-completion/completions/jetway',
  'usr/share/doc/jetway/copyright',
  'usr/share/doc/jetway/jetway.cdx.json',
  'usr/share/fish/vendor_completions.d/jetway.fish',
  'usr/share/man/man1/jetway.1.gz',
  'usr/share/zsh/vendor-completions/_jetway',
  // The manual: all pages with what they name, in the places that they have in the checkout.
  ...execFileSync('git', ['ls-files', 'docs', ':(glob)*.md', 'config.example.yaml'], { cwd: root })
    .toString()
    .trim()
    .split('\n')
    .map((path) => `usr/share/doc/jetway/${path}`),
];

test('the manual has the handbook, the reference, the fleet, the dashboard and the alerts', () => {
  const needed = [
    'README.md',
    'docs/fleet/fleet.sh',
    'docs/handbook/README.md',
    'docs/monitoring/jetway-alerts.yaml',
    'docs/monitoring/jetway-dashboard.json',
    'docs/reference.md',
  ];
  assert.deepEqual(
    needed.filter((path) => !files.includes(`usr/share/doc/jetway/${path}`)),
    [],
  );
});

for (const [arch, debian] of [
  ['x64', 'amd64'],
  ['arm64', 'arm64'],
] as const) {
  test(`the packages for ${arch} have every file, which root owns`, () => {
    const listed = {
      tar: execFileSync('tar', ['-tvzf', theOne(`*-linux-${arch}.tar.gz`), '--numeric-owner']),
      deb: execFileSync('dpkg-deb', ['-c', theOne(`*_${debian}.deb`)]),
    };
    const rows = Object.values(listed).map((text) =>
      [...text.toString().matchAll(/^(\S+) (\S+) +\d+ \S+ \S+ (.*)$/gm)].flatMap(
        ([, mode = '', owner = '', path = '']) =>
          path.endsWith('/')
            ? []
            : [[mode, owner.replaceAll('root', '0'), path.replace(/^[^/]*\//, '')].join(' ')],
      ),
    );
    const modeOf = (file: string): string =>
      file === 'usr/bin/jetway' || file.endsWith('.sh') ? '-rwxr-xr-x' : '-rw-r--r--';
    const expected = files.map((file) => `${modeOf(file)} 0/0 ${file}`);
    assert.deepEqual(
      rows.map((lines) => lines.toSorted()),
      [expected.toSorted(), expected.toSorted()],
    );
    const conffiles = execFileSync('dpkg-deb', ['-I', theOne(`*_${debian}.deb`), 'conffiles']);
    const etc = files.filter((file) => file.startsWith('etc/')).map((file) => `/${file}\n`);
    assert.equal(conffiles.toString(), etc.join(''));
  });
}

test('the bill of materials has node, its parts, and every package that the bundle has code of', () => {
  const read = (path: string): Buffer => readFileSync(join(root, path));
  const lock = (JSON.parse(read('package-lock.json').toString()) as Lock).packages;
  // Those of Jetway and of its dependencies; packages for one system are programs that tests run.
  const packages = Object.entries(lock)
    .filter(([path, { dev, devOptional, os }]) => path !== '' && !dev && !devOptional && !os)
    .map(([path, { version = '', integrity = '' }]) => {
      const digest = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
      return [`${path.replace(/^.*node_modules\//, '')}@${version}`, digest];
    });
  const bom = JSON.parse(readFileSync(theOne('*[0-9].cdx.json')).toString()) as Bom;
  assert.deepEqual([bom.bomFormat, bom.specVersion], ['CycloneDX', '1.5']);
  const named = ({ name, version }: Component): string => `${name}@${version}`;
  const told = bom.components.map((one) => [named(one), one.hashes?.[0]?.content]);
  assert.deepEqual(told, [...packages, [`node@${process.versions.node}`, undefined]]);
  const parts = bom.components.at(-1)?.components?.map(named) ?? [];
  assert.ok(parts.includes(`openssl@${process.versions.openssl}`));
  const image = JSON.parse(readFileSync(theOne('*-oci.cdx.json')).toString()) as Bom;
  assert.deepEqual(
    image.components.slice(told.length).map(({ purl }) => purl.replace(/@.*\?/, ' ')),
    ['amd64', 'arm64'].flatMap((architecture) =>
      ['base-files', 'gcc-14-base', 'libatomic1', 'libc6', 'libgcc-s1', 'libstdc%2B%2B6'].map(
        (name) => `pkg:deb/debian/${name} arch=${architecture}`,
      ),
    ),
  );
});
