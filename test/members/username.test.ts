// Tests of usernames: one spelling for every way of typing a name (HOSTILE 19).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { normaliseUsername } from '../../src/members/username.ts';
import { anyText, fc } from '../support/property.ts';

test('case, spaces around, invisible characters and forms of a letter make no difference', () => {
  for (const typed of [
    'john',
    'John',
    'JOHN',
    ' john ',
    '\tjohn\n',
    'john\u200b',
    '\u200djo\u200chn',
    'jo\u00adhn',
    '\ufeffjohn',
    'jo\u2060hn',
    'ｊｏｈｎ',
    '𝐣𝐨𝐡𝐧',
    '\u00a0john\u3000',
    '\u202ejohn\u202c',
    'john\u2066\u2069',
    'jo\u034fhn',
    'john\u180e',
    'john\ufe0f',
  ]) {
    assert.equal(normaliseUsername(typed), 'john', JSON.stringify(typed));
  }
  assert.equal(normaliseUsername('ZOE\u0308'), normaliseUsername('zoë'));
  assert.equal(normaliseUsername('ﬁnn'), 'finn');
});

test('other names stay other names', () => {
  assert.equal(normaliseUsername('jo hn'), 'jo hn');
  assert.notEqual(normaliseUsername('zoë'), normaliseUsername('zoe'));
  assert.notEqual(normaliseUsername('john1'), normaliseUsername('john'));
  assert.equal(normaliseUsername('ann@example.com'), 'ann@example.com');
  assert.equal(normaliseUsername(' \u200b '), '');
});

test('a normalised name stays as it is', () => {
  fc.assert(
    fc.property(anyText(12), (typed) => {
      const once = normaliseUsername(typed);
      assert.equal(normaliseUsername(once), once);
    }),
    { numRuns: 1000 },
  );
  // Letters whose small form is made of two, or comes out of another normal form.
  for (const typed of ['İ', '\u1e9e', 'ǅ', 'K', 'Å', '\u0345', '\u2126', 'ﬅ', '\u03f4']) {
    const once = normaliseUsername(typed);
    assert.equal(normaliseUsername(once), once, typed);
  }
});

test('HOSTILE 78: no username begins as the other names that are digested beside usernames do', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyText(),
        anyText().map((text) => `\n\u200b\n${text}`),
      ),
      (typed) => {
        assert.ok(!normaliseUsername(typed).startsWith('\n'));
      },
    ),
  );
});
