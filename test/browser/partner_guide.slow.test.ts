// Owns the page for partners in a browser: it is read on every screen, by day and by night, and with the
// keyboard alone.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { readProgrammeFile } from '../../src/config/programme_files.ts';
import { makeGuide } from '../../src/contract/partner/guide.ts';
import { partnerHtml } from '../../src/contract/partner/html.ts';
import { instant } from '../../src/lib/clock.ts';
import { compileLoaded } from '../../src/rules/load.ts';
import { until } from '../support/until.ts';
import { browserTests, complaintsOf, patience } from './browser.ts';
import { photograph } from './photograph.ts';

const base = 'https://tokens.example';

/** Files by the name of their pictures: the shipped ones with logos, and one of many sections. */
const files = {
  'executive-club': 'programmes/executive-club.yaml',
  'second-club': 'programmes/second-club.yaml',
  identity: 'test/dialects/identity-login.yaml',
};

function guideHtml(file: string): string {
  const { loaded } = readProgrammeFile(file);
  assert.ok(loaded, file);
  const at = instant(Date.UTC(2026, 0, 2));
  const deployed = { at, hasGateway: false, contact: 'partners@example.com, +44 20 7946 0000' };
  const programme = compileLoaded(loaded, base);
  return partnerHtml(makeGuide(programme, base, undefined, 'staging', deployed));
}

/** Runs in the page: what scrolls by itself, and whether the keyboard gets there. */
const scrolling = `[...document.querySelectorAll('main *')]
  .filter((element) => element.scrollWidth > element.clientWidth && element.clientWidth > 0)
  .map((element) => element.tagName + ' ' + element.tabIndex)`;

async function tabTo(page: Page, tag: string): Promise<void> {
  for (let step = 0; step < 100; step++) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate('document.activeElement.tagName')) === tag) return;
  }
  assert.fail(`the keyboard reaches no ${tag}`);
}

browserTests('the page for partners', (browser) => {
  for (const [name, file] of Object.entries(files)) {
    test(`the page for partners of ${name} fits every screen and can be read by day and by night`, async (t) => {
      const context = await (await browser()).newContext();
      t.after(() => context.close());
      context.setDefaultTimeout(patience);
      const complaints = complaintsOf(context);
      const page = await context.newPage();
      await page.setContent(guideHtml(file));
      await photograph(page, `partner-${name}`);
      const logos = name === 'identity' ? 0 : 1;
      assert.equal(await page.locator('header img').count(), logos);
      assert.deepEqual(complaints, []);
    });
  }

  test('on the narrowest screen examples alone scroll, and the keyboard scrolls them', async (t) => {
    const context = await (await browser()).newContext({ viewport: { width: 320, height: 640 } });
    t.after(() => context.close());
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    await page.setContent(guideHtml(files['executive-club']));
    assert.deepEqual(new Set(await page.evaluate<string[]>(scrolling)), new Set(['PRE 0']));
    await tabTo(page, 'PRE');
    await page.keyboard.press('ArrowRight');
    await until(() => page.evaluate<boolean>('document.activeElement.scrollLeft > 0'));
    // Its rows are blocks there, and a screen reader still takes it for a table.
    await page.getByRole('cell', { name: 'Your client identifier' }).first().waitFor();
  });
});
