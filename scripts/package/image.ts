// Owns making an OCI image layout (image-spec 1.1) without a daemon: layers, configurations, manifests
// and one index for all architectures, in a tar.

import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import { archive, type Archived, digestOf, type Release } from './tools.ts';
import { settle } from './tree.ts';

/** Of the user in the image; no other has it. */
const user = '65532';
/** The folder for the store, which the service's user owns; those around it are others'. */
const stateFolder = 'var/lib/jetway';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

interface Layer {
  readonly descriptor: Descriptor;
  /** Digest of what is packed. */
  readonly diff: string;
}

export interface ImagePart {
  /** As Go calls it, and Debian. */
  readonly architecture: string;
  /** Folder of what the image has of Debian. */
  readonly base: string;
  /** Folder of what a package installs. */
  readonly tree: string;
}

/** @param work an empty folder */
export async function makeImage(
  path: string,
  parts: readonly ImagePart[],
  release: Release,
  work: string,
): Promise<void> {
  const { version, epoch } = release;
  const layout = join(work, 'layout');
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
  mkdirSync(join(work, stateFolder), { recursive: true, mode: 0o700 });
  const manifests: object[] = [];
  for (const { architecture, base, tree } of parts) {
    fitTree(tree, epoch);
    const layers: Layer[] = [];
    for (const folder of [base, tree]) layers.push(await putLayer(layout, folder, { epoch }));
    layers.push(await putLayer(layout, work, { epoch, owner: user, names: [stateFolder] }));
    const config = putJson(layout, 'config', configOf(architecture, layers, release));
    const descriptors = layers.map(({ descriptor }) => descriptor);
    const manifest = putJson(layout, 'manifest', {
      ...head('manifest'),
      config,
      layers: descriptors,
    });
    manifests.push({ ...manifest, platform: { architecture, os: 'linux' } });
  }
  const index = putJson(layout, 'index', { ...head('index'), manifests });
  const annotations = {
    'org.opencontainers.image.ref.name': version,
    'io.containerd.image.name': `jetway:${version}`,
  };
  const top = { ...head('index'), manifests: [{ ...index, annotations }] };
  writeFileSync(join(layout, 'index.json'), JSON.stringify(top));
  writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  await archive(path, layout, { epoch });
}

function head(kind: 'manifest' | 'index'): object {
  return { schemaVersion: 2, mediaType: typeOf(kind) };
}

function typeOf(kind: string): string {
  return `application/vnd.oci.image.${kind}.v1+json`;
}

/** Users, names of hosts, and a configuration whose listeners the outside of the container reaches. */
function fitTree(tree: string, epoch: number): void {
  const put = (path: string, content: string): void => writeFileSync(join(tree, path), content);
  const people = [
    ['root', '0', '/root'],
    ['jetway', user, `/${stateFolder}`],
  ] as const;
  const lines = people.map(
    ([name, id, home]) => `${name}:x:${id}:${id}::${home}:/usr/sbin/nologin\n`,
  );
  put('etc/passwd', lines.join(''));
  put('etc/group', people.map(([name, id]) => `${name}:x:${id}:\n`).join(''));
  put('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n');
  const config = 'etc/jetway/config.yaml';
  const text = readFileSync(join(tree, config), 'utf8');
  put(config, text.replaceAll(/^(listen|gateway): 127\.0\.0\.1:/gm, '$1: 0.0.0.0:'));
  settle(tree, epoch);
}

function configOf(architecture: string, layers: readonly Layer[], release: Release): object {
  const { version, commit, epoch } = release;
  const created = new Date(epoch * 1000).toISOString();
  return {
    architecture,
    os: 'linux',
    created,
    config: {
      User: `${user}:${user}`,
      // With a read-only root there is no /tmp to try a restore in (store verify).
      Env: ['PATH=/usr/bin', 'JETWAY_CONFIG=/etc/jetway/config.yaml', `TMPDIR=/${stateFolder}`],
      Entrypoint: ['/usr/bin/jetway'],
      Cmd: ['serve'],
      WorkingDir: '/etc/jetway',
      ExposedPorts: { '8080/tcp': {}, '8090/tcp': {} },
      Volumes: { [`/${stateFolder}`]: {} },
      StopSignal: 'SIGTERM',
      // Of Docker, which reads it here too; there is no shell to write it on a command line for.
      Healthcheck: { Test: ['CMD', '/usr/bin/jetway', 'healthcheck'], Interval: 10_000_000_000 },
      Labels: {
        'org.opencontainers.image.title': 'jetway',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.revision': commit,
        'org.opencontainers.image.created': created,
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diff }) => diff) },
    history: layers.map(() => ({ created, created_by: 'npm run package' })),
  };
}

async function putLayer(layout: string, folder: string, how: Archived): Promise<Layer> {
  const tar = join(layout, '../layer.tar');
  await archive(tar, folder, how);
  const packed = `${tar}.gz`;
  await pipeline(createReadStream(tar), createGzip(), createWriteStream(packed));
  const digest = await digestOf(packed);
  const { size } = statSync(packed);
  renameSync(packed, join(layout, 'blobs/sha256', digest));
  const mediaType = 'application/vnd.oci.image.layer.v1.tar+gzip';
  return {
    descriptor: { mediaType, digest: `sha256:${digest}`, size },
    diff: `sha256:${await digestOf(tar)}`,
  };
}

function putJson(layout: string, kind: string, value: object): Descriptor {
  const text = JSON.stringify(value);
  const digest = createHash('sha256').update(text).digest('hex');
  writeFileSync(join(layout, 'blobs/sha256', digest), text);
  return { mediaType: typeOf(kind), digest: `sha256:${digest}`, size: Buffer.byteLength(text) };
}
