// Owns which version runs: the sources that an executable was built from.

import { isSea } from 'node:sea';

import { readAsset } from '../lib/asset.ts';

/** The commit of a checkout, and whether the sources have uncommitted changes. */
export interface SourceState {
  readonly commit: string;
  readonly committedAt: string;
  readonly isChanged: boolean;
  /** The tag of the commit that names a version: `v1.2.3`. */
  readonly tag?: string;
}

/** Facts that a build records in the executable; without a time, so that builds are reproducible. */
export interface BuildFacts {
  /** Digest of all inputs of the build. */
  readonly build: string;
  /** Absent for a build without git. */
  readonly source?: SourceState;
}

export const buildFactsAsset = 'build.json';

/** The version in a line, as `version` and `--version` print it. */
export function versionLine(): string {
  return versionLineOf(readAsset('package.json'), buildFacts());
}

/** @param facts undefined if the sources run without a build */
export function versionLineOf(manifest: string, facts: BuildFacts | undefined): string {
  const origin = facts === undefined ? 'run from sources' : originOf(facts);
  const named = versionOf(manifest, facts?.source);
  return `jetway ${named} (${origin}, node ${process.versions.node})`;
}

function originOf({ build, source }: BuildFacts): string {
  if (source === undefined) return `commit unknown, build ${build}`;
  const { commit, committedAt, isChanged } = source;
  return `commit ${commit.slice(0, 10)}${isChanged ? '-dirty' : ''} of ${committedAt}, build ${build}`;
}

/** Undefined if the sources run without a build. */
export function buildFacts(): BuildFacts | undefined {
  return isSea() ? (JSON.parse(readAsset(buildFactsAsset)) as BuildFacts) : undefined;
}

/** The version of what runs. */
export function version(): string {
  return versionOf(readAsset('package.json'), buildFacts()?.source);
}

/**
 * package.json tells the version that is being worked on. It is released by the tag of its name
 * and raised right after; all else is a version before it, ordered by the time of the commit.
 */
export function versionOf(manifest: string, source: SourceState | undefined): string {
  const { version: next } = JSON.parse(manifest) as { readonly version: string };
  if (source?.tag === `v${next}` && !source.isChanged) return next;
  const time = source?.committedAt.replaceAll(/\D/g, '');
  return [`${next}-dev`, time].filter(Boolean).join('.');
}

/** The day of the commit; undefined if it is not known. */
export function versionDate(): string | undefined {
  return buildFacts()?.source?.committedAt.slice(0, 10);
}
