// Owns a reporter for node:test that names each file in which a test failed, one a line (.ci/run).

import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

export default async function* failedFiles(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  const named = new Set<string>();
  for await (const event of events) {
    if (event.type !== 'test:fail' || event.data.file === undefined) continue;
    const file = relative(process.cwd(), event.data.file);
    if (!named.has(file)) yield `${file}\n`;
    named.add(file);
  }
}
