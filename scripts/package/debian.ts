// Owns what an image needs of Debian: the packages' files, and a run of apt of our own that fetches them
// for any architecture. Debian's signatures vouch for them; nothing of this machine's apt is changed.

import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { cacheFolder, run } from './tools.ts';

const suite = 'trixie';

/** What node is linked with; base-files has the outer folders and tells of which Debian all is. */
const packages = ['base-files', 'gcc-14-base', 'libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6'];

/** Templates, old changelogs, and tables for old encodings, which node has itself. */
const unneeded = [
  'usr/lib/*/gconv',
  'usr/share/{base-files,gcc,gdb,lintian}',
  'usr/share/doc/*/*.gz',
];

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  /** Its control file, which scanners read. */
  readonly control: string;
}

/** Fills a folder with the files of Debian's packages. */
export function debianBase(folder: string, architecture: string): readonly DebianPackage[] {
  const files = fetched(architecture);
  for (const file of files) run('dpkg-deb', ['-x', file, folder]);
  for (const path of globSync(unneeded, { cwd: folder })) {
    rmSync(join(folder, path), { recursive: true });
  }
  const told = files.map((file) => {
    const control = run('dpkg-deb', ['-f', file]);
    const [name = '', version = ''] = ['Package', 'Version'].map((field) =>
      run('dpkg-deb', ['-f', file, field]).trim(),
    );
    return { name, version, control };
  });
  const status = join(folder, 'var/lib/dpkg/status.d');
  mkdirSync(status, { recursive: true });
  for (const { name, control } of told) writeFileSync(join(status, name), control);
  return told;
}

/** Where this machine's apt gets Debian from. */
function ownMirrors(): readonly string[] {
  const format = '$(ORIGIN) $(REPO_URI)';
  const found = run('apt-get', ['indextargets', '--format', format]).split('\n');
  const mirrors = found.flatMap((line) => /^Debian (\S+)$/.exec(line)?.[1] ?? []);
  if (mirrors.length === 0)
    throw new Error('apt-get knows no mirror of Debian: apt-get update first');
  return [...new Set(mirrors)];
}

/** Security updates have a mirror of their own. */
function suitesOf(mirror: string): readonly string[] {
  return mirror.includes('security') ? [`${suite}-security`] : [suite, `${suite}-updates`];
}

/** The files of the packages, of their newest versions. */
function fetched(architecture: string): readonly string[] {
  const state = join(cacheFolder, `debian-${suite}-${architecture}`);
  const debs = join(state, 'debs');
  rmSync(debs, { recursive: true, force: true });
  for (const one of ['lists/partial', 'cache/archives/partial', 'debs']) {
    mkdirSync(join(state, one), { recursive: true });
  }
  const sources = join(state, 'sources.list');
  const signed = '[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]';
  const places = ownMirrors().flatMap((mirror) =>
    suitesOf(mirror).map((name) => `deb ${signed} ${mirror} ${name} main\n`),
  );
  writeFileSync(sources, places.join(''));
  const settings = {
    'Dir::State': state,
    'Dir::State::status': '/dev/null',
    'Dir::Cache': join(state, 'cache'),
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '/dev/null',
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  // A mirror that cannot be reached would otherwise be a warning.
  run('apt-get', [...options, '-qq', '--error-on=any', 'update']);
  run('apt-get', [...options, '-qq', 'download', ...packages], { cwd: debs });
  const files = globSync('*.deb', { cwd: debs }).toSorted();
  if (files.length !== packages.length) throw new Error(`fetched ${files.join(', ')} of Debian`);
  return files.map((file) => join(debs, basename(file)));
}
