// Owns reading pages as their users do, and the headers that every page must have.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';

import { readVariant } from '../../src/language/variants.ts';
import { nodeAt, toPlain } from '../../src/lib/document.ts';
import type { Answer } from './wire.ts';

/** What a page says. */
export interface ReadPage {
  readonly status: number;
  readonly title: string;
  readonly heading: string;
  /** Paragraphs, unescaped. */
  readonly text: readonly string[];
}

/** Reads a page and holds its headers to HOSTILE 10: all of them, and no other. */
export function readPage(answer: Answer, language = 'en', more: Answer['headers'] = {}): ReadPage {
  const { body } = answer;
  // The style and the script named are those in the page, or browsers would drop them.
  const source = (tag: string): string =>
    `'sha256-${hash('sha256', new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(body)?.[1] ?? '', 'base64')}'`;
  assert.deepEqual(answer.headers, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    pragma: 'no-cache',
    'content-security-policy': `default-src 'none'; style-src ${source('style')}; script-src ${source('script')}; ${body.includes('<img ') ? "img-src 'self'; " : ''}base-uri 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'x-robots-tag': 'none',
    vary: 'Accept-Language',
    'content-language': language,
    ...more,
  });
  assert.match(body, new RegExp(`^<!doctype html>\\s*<html lang="${language}" dir="ltr">`));
  return {
    status: answer.status,
    title: firstOf(/<title>([^]*?)<\/title>/, body),
    heading: firstOf(/<h1>([^]*?)<\/h1>/, body),
    text: [...body.matchAll(/<p(?: id="\w+")?>([^]*?)<\/p>/g)].map(([, text = '']) =>
      unescape(text.replaceAll(/<[^>]*>/g, '')),
    ),
  };
}

function firstOf(pattern: RegExp, text: string): string {
  return unescape(pattern.exec(text)?.[1] ?? '');
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&apos;': "'",
};

/** The text that escaped text stands for. */
export function unescape(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|apos|#39);/g, (entity) => entities[entity] ?? entity);
}

/** All that a language brings, each text made anew of the one that the grant variant has in French. */
export function everyText(change: (text: string, key: string) => string): {
  readonly pages: { readonly failed?: unknown };
  readonly failures?: unknown;
} {
  const french = nodeAt(readVariant('grant'), ['login', 'languages', 'fr']);
  const changed: unknown = JSON.parse(
    JSON.stringify(french && toPlain(french), (key, value: unknown) =>
      typeof value === 'string' ? change(value, key) : value,
    ),
  );
  return changed as ReturnType<typeof everyText>;
}
