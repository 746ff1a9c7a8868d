// Owns the run of the browser tests: one browser for all of them.

import { after, describe } from 'node:test';

import type { Browser } from 'playwright-core';

import { without } from '../support/tools.ts';
import { appearanceTests } from './appearance.ts';
import { launchBrowser } from './browser.ts';
import { formTests } from './form.ts';
import { memberTests } from './members.ts';
import { newcomerTests } from './newcomer.ts';
import { partnerGuideTests } from './partner_guide.ts';
import { partnerTests } from './partners.ts';
import { pictureTests } from './pictures.ts';
import { postedTests } from './posted.ts';
import { strangerTests } from './strangers.ts';

describe('a login with a real browser', { skip: without('chromium') }, () => {
  let launching: Promise<Browser> | undefined;
  // Started by the first test that wants it: where it does not start, each test says why.
  const browser = (): Promise<Browser> => (launching ??= launchBrowser());

  after(async () => {
    await launching?.then(
      (running) => running.close(),
      () => undefined,
    );
  });

  memberTests(browser);
  formTests(browser);
  strangerTests(browser);
  partnerTests(browser);
  partnerGuideTests(browser);
  appearanceTests(browser);
  pictureTests(browser);
  postedTests(browser);
  newcomerTests(browser);
});
