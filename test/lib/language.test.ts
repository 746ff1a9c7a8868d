// What browsers and login requests ask for, and the language they get.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  acceptedLanguages,
  chooseLanguage,
  directionOf,
  spacedLanguages,
} from '../../src/lib/language.ts';

test('Accept-Language is read best first (RFC 9110 12.5.4)', () => {
  const headers: Readonly<Record<string, readonly string[]>> = {
    '': [],
    '*': [],
    fr: ['fr'],
    'en;q=0.5, fr;q=0.9,de': ['de', 'fr', 'en'],
    'fr-CH, fr;q=0.9, en;q=0.8, *;q=0.5': ['fr-CH', 'fr', 'en'],
    'en;q=0, fr; Q=0.1': ['fr'],
    'en;q=x, fr': ['fr'],
    ';;;,,,': [],
  };
  for (const [header, languages] of Object.entries(headers)) {
    assert.deepEqual(acceptedLanguages(header), languages, header);
  }
});

test('a language is written in a direction; what is no language has none', () => {
  const tags = ['en', 'pt-BR', 'zh-Hant', 'ar', 'he-IL', 'az-Arab', 'xx', 'en-12', 'en-GB-GB', ''];
  assert.deepEqual(
    tags.map((tag) => directionOf(tag)),
    ['ltr', 'ltr', 'ltr', 'rtl', 'rtl', 'rtl', 'ltr', undefined, undefined, undefined],
  );
});

test('what asks for very much is cut off', () => {
  assert.ok(acceptedLanguages('en,'.repeat(100_000)).length <= 20);
  assert.ok(spacedLanguages('en '.repeat(100_000)).length <= 20);
});

test('the first language that any at hand serves is chosen (RFC 4647 3.4)', () => {
  const cases: readonly (readonly [asked: string, atHand: string, chosen: string | undefined])[] = [
    ['fr', 'en fr', 'fr'],
    ['FR-ca', 'en fr', 'fr'],
    ['de fr en', 'en fr', 'fr'],
    ['pt-PT en', 'en pt-BR', 'pt-BR'],
    ['pt-BR', 'pt pt-BR', 'pt-BR'],
    ['zh-Hant-TW', 'zh-Hant zh', 'zh-Hant'],
    ['de', 'en fr', undefined],
    ['', 'en', undefined],
    ['constructor __proto__', 'en', undefined],
  ];
  for (const [asked, atHand, chosen] of cases) {
    assert.equal(chooseLanguage(spacedLanguages(asked), atHand.split(' ')), chosen, asked);
  }
});
