// Owns the tests of the wire that are transcripts: each file beside this one holds several.

import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { play } from '../support/transcript/play.ts';
import { readTranscripts } from '../support/transcript/transcript_file.ts';

for (const file of globSync('*.transcript', { cwd: import.meta.dirname }).toSorted()) {
  for (const transcript of readTranscripts(join(import.meta.dirname, file))) {
    test(`${transcript.name} (${file})`, async (t) => {
      await play(t, transcript.programme, transcript.yaml, transcript);
    });
  }
}
