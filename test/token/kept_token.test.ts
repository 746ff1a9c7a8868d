// Tests of how tokens of a form are kept: by nothing that the store holds can a token be found or opened.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ProgrammeId } from '../../src/oauth/client.ts';
import { keptTokens } from '../../src/token/kept_token.ts';

const club = keptTokens('club' as ProgrammeId, 'access_token');
const others = [
  keptTokens('club' as ProgrammeId, 'refresh_token'),
  keptTokens('other' as ProgrammeId, 'access_token'),
];

test('whoever has the token opens what is kept for it, and nobody else', () => {
  const kept = club.seal('ghu_token', 'ordinary');
  assert.equal(club.open('ghu_token', kept), 'ordinary');
  assert.equal(club.open('ghu_tokem', kept), undefined);
  assert.equal(club.open('ghu_token', `${kept.slice(0, -2)}AA`), undefined);
  for (const other of others) assert.equal(other.open('ghu_token', kept), undefined);
});

test('names and seeds belong to one programme and use', () => {
  const texts = [club, ...others].flatMap((one) => [one.nameOf('a'), one.seedOf('a')]);
  assert.equal(new Set(texts).size, texts.length);
  assert.equal(club.nameOf('a'), club.nameOf('a'));
  assert.match(club.nameOf('a'), /^[\w-]{43}$/);
});
