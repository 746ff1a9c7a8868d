// Owns what a package installs: every file by its place, mode and content. Both packages and the image
// have the same ones.

import {
  chmodSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';

import { filesFolder, root, run } from './tools.ts';

export interface Parts {
  /** What is shipped. */
  readonly executable: string;
  /** The same for this machine: it writes its configuration, manual page and completions. */
  readonly own: string;
  /** The bill of materials. */
  readonly sbom: string;
  /** Whose licenses go with it: a name and the license's file. */
  readonly licenses: readonly (readonly [name: string, path: string])[];
  /** Seconds since 1970 that every file is of. */
  readonly epoch: number;
}

const documents = 'usr/share/doc/jetway';

/** Fills a folder as the root of a machine, or of an image, that has Jetway. */
export function fillTree(folder: string, { executable, own, sbom, licenses, epoch }: Parts): void {
  const put = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  put('usr/bin/jetway', readFileSync(executable));
  for (const unit of globSync('*.{service,socket,timer}', { cwd: filesFolder })) {
    put(`usr/lib/systemd/system/${unit}`, readFileSync(join(filesFolder, unit)));
  }
  put('usr/share/man/man1/jetway.1.gz', gzipSync(run(own, ['man']), { level: 9 }));
  const shells = {
    bash: 'bash-completion/completions/jetway',
    zsh: 'zsh/vendor-completions/_jetway',
    fish: 'fish/vendor_completions.d/jetway.fish',
  };
  for (const [shell, path] of Object.entries(shells)) {
    put(`usr/share/${path}`, run(own, ['completion', shell]));
  }
  put(`${documents}/copyright`, licenseText(licenses));
  for (const path of manualFiles()) put(`${documents}/${path}`, readFileSync(join(root, path)));
  put(`${documents}/jetway.cdx.json`, sbom);

  const config = 'etc/jetway/config.yaml';
  run(own, ['init', join(folder, dirname(config))]);
  // What `init` writes has its data beside it.
  put(config, readFileSync(join(folder, config), 'utf8').replaceAll('./data/', '/var/lib/jetway/'));
  settle(folder, epoch);
}

/**
 * The manual, as paths below the checkout: the pages with what they name beside them, such as the scripts of
 * a fleet, the dashboard and the alerts. The places stay, so that links work.
 */
function manualFiles(): readonly string[] {
  const pages = globSync('docs/**', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  return ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'config.example.yaml', ...pages].toSorted();
}

function licenseText(licenses: Parts['licenses']): string {
  const texts = licenses.map(
    ([name, path]) => `${'='.repeat(78)}\n${name}\n\n${readFileSync(path, 'utf8').trim()}\n`,
  );
  const own = 'Jetway is not licensed: all rights are reserved by its owner. It contains:\n';
  return [own, ...texts].join('\n');
}

/** Gives every file the time of the commit, and a mode that does not depend on who builds. */
export function settle(folder: string, epoch: number): void {
  for (const path of ['', ...globSync('**', { cwd: folder })]) {
    const file = join(folder, path);
    const mayRun = statSync(file).isDirectory() || /^(?:usr\/bin|DEBIAN\/p)|\.sh$/.test(path);
    chmodSync(file, mayRun ? 0o755 : 0o644);
    utimesSync(file, epoch, epoch);
  }
}
