// Foreign dialects: each file beside this one, laid over a built-in variant, speaks as its transcript
// says, to the byte. A dialect of the usual kind needs a short file and no release.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { play } from '../support/transcript/play.ts';
import { parseTranscript } from '../support/transcript/transcript.ts';
import { assertExplained } from './explained.ts';

const folder = import.meta.dirname;

/** A shipped programme speaks as its transcript says; the third club is the second by another name. */
const shipped = (
  [
    ['executive-club', 'executive-club', String],
    ['second-club', 'second-club', String],
    ['third-club', 'second-club', third],
  ] as const
).map(([name, file, rename]) => ({
  name,
  yaml: readFileSync(`programmes/${name}.yaml`, 'utf8'),
  transcript: parseTranscript(
    rename(readFileSync(join(folder, `shipped/${file}.transcript`), 'utf8')),
  ),
}));

function third(text: string): string {
  return text.replaceAll('second-club', 'third-club').replaceAll(/Second(?= ?Club)/g, 'Third');
}

const dialects = globSync('*.yaml', { cwd: folder })
  .toSorted()
  .map((file) => {
    const name = basename(file, '.yaml');
    const yaml = readFileSync(join(folder, file), 'utf8');
    const text = readFileSync(join(folder, `${name}.transcript`), 'utf8');
    return { name, yaml, transcript: parseTranscript(text) };
  });

test('there are at least ten of them', () => {
  assert.ok(dialects.length >= 10);
  assert.equal(globSync('*.transcript', { cwd: folder }).length, dialects.length);
});

for (const { name, yaml } of dialects) {
  test(`${name} says in 10 to 40 lines what kind of API speaks so`, () => {
    const lines = yaml.trimEnd().split('\n');
    assert.ok(lines.length >= 10 && lines.length <= 40, `${lines.length} lines`);
    assert.deepEqual(
      lines.filter((line) => line.length > 130),
      [],
    );
    assert.match(yaml, /^# An? [A-Z]?/);
  });
}

for (const { name, yaml, transcript } of [...shipped, ...dialects]) {
  test(`${name} loads, and its transcript shows a success of every grant`, () => {
    const { loaded, faults } = loadProgramme(`${name}.yaml`, yaml);
    const errors = faults.filter(({ severity }) => severity === 'error');
    assert.deepEqual(errors.map(formatFault), []);
    const shown = new Set(
      transcript.exchanges
        .filter(({ asked }) =>
          asked.some(
            ({ answer: { start, body, headers } }) =>
              /^20[01]$/.test(start) &&
              [body, ...Object.values(headers)].some((text) => text.includes('{access_token')),
          ),
        )
        .map(({ title }) => title.split(':')[0]),
    );
    const grants = Object.keys(loaded?.definition.grants ?? {});
    assert.deepEqual(
      grants.filter((grant) => !shown.has(grant)),
      [],
    );
  });

  test(`${name} speaks as its transcript says, and why can explain its refusals`, async (t) => {
    const played = await play(t, name, yaml, transcript);
    assertExplained(name, yaml, played);
  });
}

test('a transcript that is wrong anywhere in an answer does not pass', async (t) => {
  const [{ name, yaml, transcript }] = dialects as [(typeof dialects)[number]];
  const { exchanges } = transcript;
  const [first] = exchanges as [(typeof exchanges)[number]];
  const [asked] = first.asked as [(typeof first.asked)[number]];
  const { answer } = asked;
  const wrong = [
    { ...answer, start: '201' },
    { ...answer, headers: { ...answer.headers, 'x-other': 'here' } },
    { ...answer, body: `${answer.body} ` },
    { ...answer, body: answer.body.replace('{access_token}', '{client}') },
  ];
  for (const one of wrong) {
    const played = play(t, name, yaml, {
      ...transcript,
      exchanges: [{ ...first, asked: [{ ...asked, answer: one }] }],
    });
    await assert.rejects(played, assert.AssertionError);
  }
});
