// Owns what the pages look like in a real browser: measured here, and photographed for people.

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import { assertAccessible } from './axe.ts';
import { fillIn, type Scene, setScene, submit } from './scene.ts';

/** Where the last run's pictures are; outside the repository. */
const folder = join(tmpdir(), 'jetway-pages');

const screens = [
  { width: 375, height: 800 },
  { width: 1280, height: 800 },
];

/** 1280 at a zoom of 400%. */
const narrowest = { width: 320, height: 256 };

/** Each page that people may meet, and the way to it from the login form. */
const pages: Readonly<Record<string, (page: Page, scene: Scene) => Promise<unknown>>> = {
  login: () => Promise.resolve(),
  login_mistyped: async (page) => {
    await fillIn(page, 'a.rather.long.username.of.someone@mail.example.com', 'wrong');
    await submit(page);
  },
  login_blank: async (page) => {
    await fillIn(page, '', '');
    await submit(page);
  },
  login_button_focused: (page) => page.getByRole('button', { name: 'Log in' }).focus(),
  security_issue: (page, { jetway, client }) =>
    page.goto(
      `${jetway.url}/executive-club/auth/login?client_id=${client.id}&response_type=code&redirect_uri=https://attacker.example/`,
    ),
  bad_request: (page, { jetway }) =>
    page.goto(
      `${jetway.url}/executive-club/auth/login?client_id=parnterapi-12345&response_type=code`,
    ),
  expired: (page, { jetway }) => page.goto(`${jetway.url}/executive-club/login`),
  other_browser: async (page) => {
    await page.context().clearCookies();
    await page.reload();
  },
};

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
  const all = (selector) => [...document.querySelectorAll(selector)];
  const controls = all('input:not([type=hidden]), button');
  return {
    overflows: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    faint: all('h1, p, label, input:not([type=hidden]), button, a')
      .filter((element) => contrast(element) < 4.5)
      .map((element) => element.tagName + ' ' + contrast(element).toFixed(2)),
    small: controls
      .filter((element) => element.getBoundingClientRect().height < 44 ||
        parseFloat(getComputedStyle(element).fontSize) < 16)
      .map((element) => element.tagName + ' ' + element.getBoundingClientRect().height),
  };
})()`;

export function appearanceTests(browser: () => Promise<Browser>): void {
  test('every page fits the screen and can be read, on a phone and a desk, by day and night', async (t) => {
    await mkdir(folder, { recursive: true });
    const scene = await setScene(t, await browser());
    const context = await scene.newContext();
    const page = await context.newPage();
    for (const [name, goTo] of Object.entries(pages)) {
      await page.goto(scene.loginRequest);
      await goTo(page, scene);
      for (const viewport of [narrowest, ...screens]) {
        await page.setViewportSize(viewport);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const what = `${name}-${viewport.width}-${colorScheme}`;
          const found: Measures = await page.evaluate(measure);
          assert.deepEqual(found, { overflows: false, faint: [], small: [] }, what);
          if (viewport === narrowest) continue;
          await assertAccessible(page, what);
          await page.screenshot({ path: join(folder, `${what}.png`) });
        }
      }
    }
    t.diagnostic(`pictures of the pages are in ${folder}`);
  });
}
