// Owns looking at a page as people with different screens do: measured, held against axe, and kept as
// a picture for people.

import assert from 'node:assert/strict';
import { join } from 'node:path';

import type { Page } from 'playwright-core';

import { assertAccessible } from './axe.ts';

/** Where pictures are left, if they are wanted: `npm run screenshots`. */
export const folder: string | undefined = process.env['SCREENSHOTS'];

const phone = { width: 360, height: 740 };
const desk = { width: 1280, height: 800 };

/** 1280 at a zoom of 400%; at 200% it is between this and the phone. */
const narrowest = { width: 320, height: 256 };

interface Measures {
  /** Whether anything is wider than the window. */
  readonly overflows: boolean;
  /** Text that is hard to read: its element, and how its colour stands out from what is behind. */
  readonly faint: readonly string[];
  /** Controls too low for a finger, or text so small that iOS zooms in on it. */
  readonly small: readonly string[];
}

/** Runs in the page. WCAG 2.2: contrast 1.4.3, target size 2.5.5 (44px), reflow 1.4.10. */
const measure = `(() => {
  const light = (color) => {
    const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const { backgroundColor } = getComputedStyle(element);
    if (backgroundColor !== 'rgba(0, 0, 0, 0)') return backgroundColor;
    return element.parentElement === null ? 'rgb(255, 255, 255)' : behind(element.parentElement);
  };
  const contrast = (element) => {
    const [low, high] = [light(getComputedStyle(element).color), light(behind(element))].sort();
    return (high + 0.05) / (low + 0.05);
  };
  // What is folded away is seen by nobody.
  const all = (selector) =>
    [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
  const controls = all('input:not([type=hidden]), button');
  return {
    overflows: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    faint: all('h1, p, label, input:not([type=hidden]), button, a')
      .filter((element) => contrast(element) < 4.5)
      .map((element) => element.tagName + ' ' + contrast(element).toFixed(2)),
    small: controls
      .filter((element) => element.getBoundingClientRect().height < 44 ||
        (element.matches('input') && parseFloat(getComputedStyle(element).fontSize) < 16))
      .map((element) => element.tagName + ' ' + element.getBoundingClientRect().height),
  };
})()`;

/** WCAG 2.2 1.4.4 and 1.4.12: what a reader may set, and nothing may be lost by. */
const spacing = `html { font-size: 200% } * { line-height: 1.5 !important; letter-spacing: 0.12em !important;
  word-spacing: 0.16em !important } p { margin-bottom: 2em !important }`;

/** Runs in the page: the addresses of pictures that are broken or take no room, once each has come. */
const missing = `Promise.all([...document.images].map(async (image) => {
  const decoded = await image.decode().then(() => true, () => false);
  return decoded && image.naturalWidth > 0 && image.clientWidth > 0 ? [] : [image.src];
})).then((all) => all.flat())`;

/** Fails with each picture of a page that nobody sees. */
export async function assertPicturesShown(page: Page, what: string): Promise<void> {
  assert.deepEqual(await page.evaluate(missing), [], `${what}: pictures that are not shown`);
}

/** Looks at a page that is open, on a phone and a desk, by day and night. */
export async function photograph(page: Page, name: string): Promise<void> {
  await assertPicturesShown(page, name);
  // How a page is laid out does not hang on its colours.
  for (const viewport of [narrowest, desk, phone]) {
    await page.setViewportSize(viewport);
    await assertReadable(page, `${name}-${viewport.width}`);
    if (viewport === narrowest) await assertStretches(page, name);
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await assertReadable(page, `${name}-${colorScheme}`);
    await assertAccessible(
      page,
      `${name}-${colorScheme}`,
      colorScheme === 'light' ? 'all' : 'colours',
    );
    if (folder !== undefined) await keepPictures(page, join(folder, name), colorScheme);
  }
}

async function assertReadable(page: Page, what: string): Promise<void> {
  const found: Measures = await page.evaluate(measure);
  assert.deepEqual(found, { overflows: false, faint: [], small: [] }, what);
}

async function keepPictures(page: Page, path: string, colorScheme: string): Promise<void> {
  for (const viewport of [desk, phone]) {
    await page.setViewportSize(viewport);
    const file = `${path}-${viewport.width}-${colorScheme}.png`;
    await page.screenshot({ path: file, fullPage: true });
  }
}

/** Text spaced out and twice as large neither overflows nor is cut off. The policy binds no reader. */
async function assertStretches(page: Page, what: string): Promise<void> {
  const cut = await page.evaluate<readonly string[]>(`(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(${JSON.stringify(spacing)});
    document.adoptedStyleSheets = [sheet];
    const root = document.documentElement;
    const cut = [root, ...document.querySelectorAll('h1, p, label, button, a')]
      .filter((element) => element.scrollWidth > element.clientWidth && element.clientWidth > 0)
      .map((element) => element.tagName);
    document.adoptedStyleSheets = [];
    return cut;
  })()`);
  assert.deepEqual(cut, [], `${what}, spaced out and twice as large`);
}
