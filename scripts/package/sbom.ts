// Owns the bill of materials, in CycloneDX: the packages in the bundle, node and its parts, and what an
// image has of Debian.

import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { DebianPackage } from './debian.ts';
import { type Release, run, root } from './tools.ts';

interface Component {
  readonly name: string;
  readonly [key: string]: unknown;
}

export interface DebianPart extends DebianPackage {
  readonly architecture: string;
}

/** The npm packages that an executable has code of. */
export interface Bundled {
  /** As npm describes them. */
  readonly components: readonly Component[];
  /** The files of their licenses, by name. */
  readonly licenses: readonly (readonly [name: string, path: string])[];
}

interface SbomFacts extends Release {
  readonly bundled: Bundled;
  readonly debian: readonly DebianPart[];
}

/** What is in an executable, by package.json and the source map beside it. */
export function bundledIn(executable: string): Bundled {
  const map = readFileSync(`${executable}.cjs.map`, 'utf8');
  const { sources } = JSON.parse(map) as { readonly sources: readonly string[] };
  const found = sources.flatMap(
    (source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? [],
  );
  // Threads have bundles of their own, without a map.
  const manifest = readFileSync(join(root, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(manifest) as { readonly dependencies: object };
  const names = [...new Set([...found, ...Object.keys(dependencies)])].toSorted();
  // Without --omit dev, which leaves out what a package for development needs, too.
  const told = run('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
    cwd: root,
  });
  const known = (JSON.parse(told) as { readonly components: readonly Component[] }).components;
  const components = names.map((name) => {
    const own = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8');
    const { version } = JSON.parse(own) as { readonly version: string };
    const component = known.find((one) => one.name === name && one['version'] === version);
    if (component === undefined) throw new Error(`npm knows nothing of ${name} ${version}`);
    return component;
  });
  const licenses = names.map((name) => {
    const [license] = globSync(`node_modules/${name}/{LICEN[CS]E,licen[cs]e}*`, { cwd: root });
    if (license === undefined && isInReadme(name)) {
      return [name, join(root, 'node_modules', name, 'README.md')] as const;
    }
    if (license === undefined) throw new Error(`${name} has no license`);
    return [name, join(root, license)] as const;
  });
  return { components, licenses };
}

/** Some packages have their license at the end of their README alone. */
function isInReadme(name: string): boolean {
  const readme = readFileSync(join(root, 'node_modules', name, 'README.md'), 'utf8');
  return readme.includes('Permission is hereby granted');
}

/** Two bills of the same parts and version are the same to the byte. */
export function makeSbom({ version, epoch, bundled, debian }: SbomFacts): string {
  const jetway = component('application', 'jetway', version);
  const components = [...bundled.components, nodeComponent(), ...debian.map(debianComponent)];
  const refs = components.map((one) => one['bom-ref']);
  const parts = {
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      lifecycles: [{ phase: 'build' }],
      component: jetway,
    },
    components,
    dependencies: [{ ref: jetway['bom-ref'], dependsOn: refs }],
  };
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  const uuid = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(hex)?.slice(1).join('-') ?? '';
  const head = { bomFormat: 'CycloneDX', specVersion: '1.5', serialNumber: `urn:uuid:${uuid}` };
  return `${JSON.stringify({ ...head, version: 1, ...parts }, undefined, 2)}\n`;
}

function component(type: string, name: string, version: string, more: object = {}): Component {
  const purl = `pkg:generic/${encodeURIComponent(name)}@${encodeURIComponent(version)}`;
  return { type, 'bom-ref': purl, name, version, purl, ...more };
}

function nodeComponent(): Component {
  const { node, ...parts } = process.versions;
  // Numbers of interfaces, which are no software.
  const interfaces = new Set(['modules', 'napi']);
  const within = Object.entries(parts).flatMap(([name, version = '']) =>
    version === '' || interfaces.has(name) ? [] : [component('library', name, version)],
  );
  return component('platform', 'node', node, {
    cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
    licenses: [{ license: { id: 'MIT' } }],
    components: within,
  });
}

function debianComponent({ name, version, architecture }: DebianPart): Component {
  const of = `${encodeURIComponent(name)}@${encodeURIComponent(version)}`;
  const purl = `pkg:deb/debian/${of}?arch=${architecture}`;
  return component('library', name, version, { purl, 'bom-ref': purl });
}
