// Owns axe, which knows the rules of WCAG 2.2 A and AA that a program can check, and runs in a page.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Page } from 'playwright-core';

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const run = (options: string): string => `axe.run(${options}).then(({ violations, passes }) => ({
  passed: passes.length,
  found: violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)),
}))`;

/** The rules whose outcome depends on colours. */
const colourRules = "{ runOnly: ['color-contrast', 'link-in-text-block'] }";

/**
 * Runs in the page: style, markup without the words, and what the reader's settings and pointer change.
 * No rule of axe hangs on what words say, and many pages differ in nothing else.
 */
const look = `JSON.stringify([
  document.documentElement.lang,
  document.querySelector('style')?.textContent,
  document.body.outerHTML.replaceAll(/>[^<]*[^<\\s][^<]*/g, '>x'),
  ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) => matchMedia(query).matches),
  [...document.querySelectorAll(':hover, :focus')].map((element) => element.outerHTML),
])`;

/** Looks that were judged before, with the rules. */
const judged = new Set<string>();

interface Finding {
  readonly passed: number;
  readonly found: readonly string[];
}

/**
 * Fails with each element that breaks a rule, best practices among them.
 * @param rules `colours` on a page that was looked at before, in other colours
 */
export async function assertAccessible(
  page: Page,
  what: string,
  rules: 'all' | 'colours' = 'all',
): Promise<void> {
  const looks = `${rules} ${await page.evaluate<string>(look)}`;
  if (judged.has(looks)) return;
  // Evaluated by the browser's own tools, which a page's policy does not bind; once for each page.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(source);
  const [options, least] = rules === 'all' ? ['', 10] : [colourRules, 0];
  const { passed, found } = await page.evaluate<Finding>(run(options));
  assert.deepEqual(found, [], what);
  assert.ok(passed > least, `${what}: axe looked at ${passed} rules only`);
  judged.add(looks);
}
