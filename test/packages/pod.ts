// Owns what a cluster makes of the manifests of docs/cluster/kubernetes: the objects that kubectl builds of
// them, and a pod's volumes and container as a kubelet sets them up.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { parseAllDocuments } from 'yaml';

import type { ContainerOptions, Mount } from './container.ts';
import { root } from './made.ts';

export const manifests: string = join(root, 'docs/cluster/kubernetes');

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

/** The objects of a folder with a kustomization, as a cluster is sent them. */
export function built(folder: string): readonly Manifest[] {
  const text = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  return parseAllDocuments(text).map((one) => one.toJS() as Manifest);
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly timeoutSeconds?: number;
}

interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly secretName: string; readonly defaultMode: number };
  readonly emptyDir?: object;
  readonly persistentVolumeClaim?: { readonly claimName: string };
}

export interface PodSpec {
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: {
    readonly runAsUser: number;
    readonly runAsGroup: number;
    readonly fsGroup: number;
  };
  readonly containers: readonly {
    readonly args: readonly string[];
    readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
    readonly securityContext: {
      readonly allowPrivilegeEscalation: boolean;
      readonly readOnlyRootFilesystem: boolean;
      readonly capabilities: { readonly drop: readonly string[] };
    };
    readonly resources: { readonly limits: { readonly memory: string } };
    readonly startupProbe?: Probe;
    readonly livenessProbe?: Probe;
    readonly readinessProbe?: Probe;
    readonly volumeMounts: readonly {
      readonly name: string;
      readonly mountPath: string;
      readonly readOnly?: boolean;
    }[];
  }[];
  readonly volumes: readonly Volume[];
}

/** What objects of a namespace hold that a pod mounts, by their names: files by theirs. */
export interface Held {
  readonly configMaps: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * Writes files as a kubelet does: a folder of that moment, a link `..data` to it, and a link for each
 * file. A later call replaces them at once.
 * @param group owns them beside root: the pod's `fsGroup`
 */
export function writeVolume(
  folder: string,
  files: Readonly<Record<string, string>>,
  { mode, group }: { readonly mode: number; readonly group: number },
): void {
  mkdirSync(folder, { recursive: true });
  const moment = mkdtempSync(join(folder, '..moment-'));
  chmodSync(moment, 0o2755);
  chownSync(moment, 0, group);
  for (const [name, text] of Object.entries(files)) {
    const path = join(moment, name);
    writeFileSync(path, text);
    chownSync(path, 0, group);
    chmodSync(path, mode);
  }
  const draft = join(folder, '..data_tmp');
  symlinkSync(moment.slice(folder.length + 1), draft);
  renameSync(draft, join(folder, '..data'));
  for (const name of Object.keys(files)) {
    rmSync(join(folder, name), { force: true });
    symlinkSync(join('..data', name), join(folder, name));
  }
  chownSync(folder, 0, group);
  chmodSync(folder, 0o3777);
}

/** A volume that the pod writes to, root's: `fsGroup` adds the group's rights and marks the folder. */
function writableVolume(folder: string, { emptyDir }: Volume, group: number): void {
  mkdirSync(folder);
  chownSync(folder, 0, group);
  // Before that an emptyDir is open to all, and a disk that was just made is 0755.
  chmodSync(folder, emptyDir ? 0o2777 : 0o2775);
}

/** The container of a pod; its volumes are made below the folder. */
export function podContainer(
  spec: PodSpec,
  folder: string,
  held: Held,
): Omit<ContainerOptions, 'hostname' | 'network'> {
  const [container] = spec.containers;
  if (container === undefined) throw new Error('the pod has no container');
  const { runAsUser: uid, runAsGroup: gid, fsGroup: group } = spec.securityContext;
  mkdirSync(folder);
  for (const volume of spec.volumes) {
    const { name, configMap, secret } = volume;
    const place = join(folder, name);
    if (configMap) {
      writeVolume(place, filesOf(held.configMaps, configMap.name), { mode: 0o644, group });
    } else if (secret) {
      const files = filesOf(held.secrets, secret.secretName);
      writeVolume(place, files, { mode: secret.defaultMode, group });
    } else writableVolume(place, volume, group);
  }
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } =
    container.securityContext;
  if (!capabilities.drop.includes('ALL')) throw new Error('the container keeps capabilities');
  const mounts = container.volumeMounts.map(({ name, mountPath, readOnly = false }): Mount => ({
    source: join(folder, name),
    destination: mountPath,
    readOnly,
  }));
  return {
    args: container.args,
    user: { uid, gid, groups: [group] },
    mounts,
    capabilities: [],
    noNewPrivileges: !allowPrivilegeEscalation,
    readOnly: readOnlyRootFilesystem,
    memory: bytesOf(container.resources.limits.memory),
  };
}

function filesOf(
  all: Readonly<Record<string, Readonly<Record<string, string>>>>,
  name: string,
): Readonly<Record<string, string>> {
  const found = all[name];
  if (found === undefined) throw new Error(`nothing is named ${name}`);
  return found;
}

function bytesOf(text: string): number {
  const [, number] = /^(\d+)Mi$/.exec(text) ?? [];
  if (number === undefined) throw new Error(`${text} of memory`);
  return Number(number) * 1024 * 1024;
}
