// Owns the verb `version`: the sources that an executable was built from.

import { isSea } from 'node:sea';

import { readAsset } from '../lib/asset.ts';
import { type OutputOptions, printResult } from './output.ts';

/** The commit of a checkout, and whether the sources have uncommitted changes. */
export interface SourceState {
  readonly commit: string;
  readonly committedAt: string;
  readonly isChanged: boolean;
}

/** Facts that a build records in the executable; without a time, so that builds are reproducible. */
export interface BuildFacts {
  /** Digest of all inputs of the build. */
  readonly build: string;
  /** Absent for a build without git. */
  readonly source?: SourceState;
}

export const buildFactsAsset = 'build.json';

export async function version(options: OutputOptions): Promise<void> {
  const { build = null, source } = buildFacts() ?? {};
  const facts = {
    version: packageVersion(),
    commit: source?.commit ?? null,
    committed_at: source?.committedAt ?? null,
    changed: source?.isChanged ?? null,
    build,
    node: process.versions.node,
  };
  return printResult(options, facts, versionLine());
}

/** The version in a line, as `version` and `--version` print it. */
export function versionLine(): string {
  const facts = buildFacts();
  const origin = facts === undefined ? 'run from sources' : originOf(facts);
  return `jetway ${packageVersion()} (${origin}, node ${process.versions.node})`;
}

function originOf({ build, source }: BuildFacts): string {
  if (source === undefined) return `commit unknown, build ${build}`;
  const { commit, committedAt, isChanged } = source;
  return `commit ${commit.slice(0, 10)}${isChanged ? '-dirty' : ''} of ${committedAt}, build ${build}`;
}

/** Undefined if the sources run without a build. */
function buildFacts(): BuildFacts | undefined {
  return isSea() ? (JSON.parse(readAsset(buildFactsAsset)) as BuildFacts) : undefined;
}

function packageVersion(): string {
  const manifest = JSON.parse(readAsset('package.json')) as { readonly version: string };
  return manifest.version;
}
