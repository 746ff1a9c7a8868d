// Owns the verb `version`.

import { buildFacts, version, versionLine } from '../server/version.ts';
import { type OutputOptions, printResult } from './output.ts';

export async function printVersion(options: OutputOptions): Promise<void> {
  const { build = null, source } = buildFacts() ?? {};
  const facts = {
    version: version(),
    commit: source?.commit ?? null,
    committed_at: source?.committedAt ?? null,
    changed: source?.isChanged ?? null,
    build,
    node: process.versions.node,
  };
  return printResult(options, facts, versionLine());
}
