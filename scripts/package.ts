// Owns `npm run package`: what is shipped, in dist/packages. Two runs for one commit and one state of
// Debian give the same bytes.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { type SourceState, versionOf } from '../src/server/version.ts';
import { build, currentSource } from './build.ts';
import { debVersion, makeDeb } from './package/deb.ts';
import { debianBase } from './package/debian.ts';
import { type ImagePart, makeImage } from './package/image.ts';
import { type Arch, nodePackage } from './package/node_package.ts';
import { bundledIn, type DebianPart, makeSbom } from './package/sbom.ts';
import { archive, digestOf, type Release, root, run } from './package/tools.ts';
import { fillTree } from './package/tree.ts';

/** What others call an architecture. */
const named = {
  x64: { debian: 'amd64', binutils: 'x86_64-linux-gnu', qemu: 'qemu-x86_64-static' },
  arm64: { debian: 'arm64', binutils: 'aarch64-linux-gnu', qemu: 'qemu-aarch64-static' },
} as const satisfies Readonly<Record<Arch, object>>;

/** @throws where version, tag and CHANGELOG.md do not fit together */
function releaseOf(source: SourceState | undefined): Release {
  if (source === undefined) throw new Error('packages are made of a commit: there is no git here');
  const manifest = readFileSync(join(root, 'package.json'), 'utf8');
  const { version: next } = JSON.parse(manifest) as { readonly version: string };
  const tag = `v${next}`;
  const isTagged =
    run('git', ['-c', 'safe.directory=*', 'tag', '--list', tag], { cwd: root }) !== '';
  if (isTagged !== (source.tag === tag)) {
    throw new Error(`${next} is released already: raise the version in package.json`);
  }
  const changes = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  if (!changes.includes(`\n## ${next}`)) throw new Error(`CHANGELOG.md says nothing of ${next}`);
  const epoch = Date.parse(source.committedAt) / 1000;
  return { version: versionOf(manifest, source), commit: source.commit, epoch };
}

/** The executable of an architecture, and what was used to make it. */
interface Made {
  readonly arch: Arch;
  readonly executable: string;
  readonly license: string;
  /** A folder with what the image needs of Debian. */
  readonly base: string;
  readonly debian: readonly DebianPart[];
}

async function make(arch: Arch, work: string): Promise<Made> {
  const { debian: architecture, binutils, qemu } = named[arch];
  const base = join(work, `base-${arch}`);
  mkdirSync(base);
  const debian = debianBase(base, architecture).map((one) => ({ ...one, architecture }));
  const folder = nodePackage(arch);
  const node = join(folder, 'bin/node');
  const runs = arch === process.arch ? [node] : [qemu, '-L', base, node];
  const target = { arch, node, runs, strip: `${binutils}-strip` };
  const executable = await build(join(work, `built-${arch}`), target);
  return { arch, executable, license: join(folder, 'LICENSE'), base, debian };
}

/** Makes all packages of these architectures. */
async function makePackages(out: string, archs: readonly Arch[]): Promise<void> {
  const release = releaseOf(currentSource());
  const { version, epoch } = release;
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'jetway-package-'));
  try {
    const made: Made[] = [];
    for (const arch of archs) made.push(await make(arch, work));
    const own = made.find(({ arch }) => arch === process.arch)?.executable;
    if (own === undefined) throw new Error(`${process.arch}, which this machine is, is among them`);
    const bundled = bundledIn(own);
    const sbomWith = (debian: readonly DebianPart[]): string =>
      makeSbom({ ...release, bundled, debian });
    const images: ImagePart[] = [];
    for (const { arch, executable, license, base, debian } of made) {
      const { debian: architecture, binutils } = named[arch];
      const parts = {
        executable,
        own,
        licenses: [...bundled.licenses, ['node', license] as const],
        epoch,
      };
      const [tree, inImage] = [join(work, `tree-${arch}`), join(work, `image-${arch}`)];
      fillTree(tree, { ...parts, sbom: sbomWith([]) });
      fillTree(inImage, { ...parts, sbom: sbomWith(debian) });
      images.push({ architecture, base, tree: inImage });
      const top = `jetway-${version}-linux-${arch}`;
      await archive(join(out, `${top}.tar.gz`), tree, { epoch, top });
      const deb = join(out, `jetway_${debVersion(version)}_${architecture}.deb`);
      makeDeb(deb, tree, { version, architecture, objdump: `${binutils}-objdump`, epoch });
    }
    const name = join(out, `jetway-${version}`);
    await makeImage(`${name}-oci.tar`, images, release, work);
    writeFileSync(`${name}.cdx.json`, sbomWith([]));
    writeFileSync(`${name}-oci.cdx.json`, sbomWith(made.flatMap(({ debian }) => debian)));
    const lines: string[] = [];
    for (const file of readdirSync(out).toSorted()) {
      lines.push(`${await digestOf(join(out, file))}  ${file}\n`);
    }
    writeFileSync(join(out, 'SHA256SUMS'), lines.join(''));
  } finally {
    rmSync(work, { recursive: true });
  }
}

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'dist/packages' }, own: { type: 'boolean' } },
});
const out = resolve(root, values.out);
await makePackages(
  out,
  values.own === true ? [process.arch as Arch] : (Object.keys(named) as Arch[]),
);
process.stdout.write(readFileSync(join(out, 'SHA256SUMS'), 'utf8'));
