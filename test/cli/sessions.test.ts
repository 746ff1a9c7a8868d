// Owns the tests of the command line that are sessions. With `--update` it writes what is printed now.

import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { formatSessions, parseSessions, playSession, type Step } from './session.ts';

const isUpdate = process.argv.includes('--update');

for (const file of globSync('**/*.session', { cwd: import.meta.dirname }).toSorted()) {
  const path = join(import.meta.dirname, file);
  const { head, defined, sessions } = parseSessions(readFileSync(path, 'utf8'));
  const now = new Map<string, readonly Step[]>(sessions.map(({ name, steps }) => [name, steps]));
  describe(file, { concurrency: 2 }, () => {
    for (const session of sessions) {
      test(session.name, async (t) => {
        const played = await playSession(t, session, defined);
        if (isUpdate) {
          now.set(
            session.name,
            played.map((step) => step.now),
          );
          writeFileSync(path, formatSessions(head, [...now]));
          return;
        }
        for (const { said, expected, actual } of played) assert.equal(actual, expected, said);
      });
    }
  });
}
