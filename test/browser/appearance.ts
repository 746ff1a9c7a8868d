// Owns the round of the executive club's pages: each that people may meet, and how it looks.

import { test } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import { Unavailable } from '../../src/oauth/failure.ts';
import { failingStore } from '../support/failing_store.ts';
import { folder, photograph } from './photograph.ts';
import { assertMessagePage, fillIn, type Scene, setScene, submit } from './scene.ts';

type GoTo = (page: Page, scene: Scene) => Promise<unknown>;

/** Each page of the form, and the way to it from the form. */
const forms: Readonly<Record<string, GoTo>> = {
  login: () => Promise.resolve(),
  login_mistyped: async (page) => {
    await fillIn(page, 'a.rather.long.username.of.someone@mail.example.com', 'wrong');
    await submit(page);
  },
  login_blank: async (page) => {
    await fillIn(page, '', '');
    await submit(page);
  },
  login_no_username: async (page) => {
    await fillIn(page, '', 'x');
    await submit(page);
  },
  login_no_password: async (page) => {
    await fillIn(page, 'ann', '');
    await submit(page);
  },
  login_shown_password: async (page) => {
    await fillIn(page, 'ann', 'correct horse');
    await page.getByRole('button', { name: 'Show password' }).click();
  },
  login_button_focused: (page) => page.getByRole('button', { name: 'Log in' }).focus(),
};

/** Each page in place of the form, and its title. */
const messages: Readonly<Record<string, readonly [title: string, goTo: GoTo]>> = {
  security_issue: [
    'Security Issue',
    (page, { jetway, client }) =>
      page.goto(
        `${jetway.url}/executive-club/auth/login?client_id=${client.id}&response_type=code&redirect_uri=https://attacker.example/`,
      ),
  ],
  bad_request: [
    'This login cannot start',
    (page, { jetway }) =>
      page.goto(
        `${jetway.url}/executive-club/auth/login?client_id=parnterapi-12345&response_type=code`,
      ),
  ],
  expired: [
    'This login has expired',
    (page, { jetway }) => page.goto(`${jetway.url}/executive-club/login`),
  ],
  forged: [
    'This form cannot be accepted',
    async (page) => {
      await page.evaluate(`document.querySelector('[name=csrf]').value = 'x'`);
      await submit(page);
    },
  ],
  other_browser: [
    'This login cannot go on here',
    async (page) => {
      await page.context().clearCookies();
      await page.reload();
    },
  ],
};

export function appearanceTests(browser: () => Promise<Browser>): void {
  test('every page fits the screen and can be read, on a phone and a desk, by day and night', async (t) => {
    const scene = await setScene(t, await browser());
    const context = await scene.newContext();
    const page = await context.newPage();
    for (const [name, goTo] of Object.entries(forms)) {
      await page.goto(scene.loginRequest);
      await goTo(page, scene);
      await photograph(page, name);
    }
    for (const [name, [title, goTo]] of Object.entries(messages)) {
      await page.goto(scene.loginRequest);
      await goTo(page, scene);
      await assertMessagePage(page, title);
      await photograph(page, name);
    }
    if (folder !== undefined) t.diagnostic(`pictures of the pages are in ${folder}`);
  });

  test('P-13: an outage is told on the form, and before it on a page', async (t) => {
    const failing = failingStore();
    const scene = await setScene(t, await browser(), failing.store);
    const page = await scene.openLogin();
    failing.fail('findMember', new Unavailable('planted'));
    await fillIn(page, scene.member.username, scene.member.password);
    await submit(page);
    const told = page.getByText('We are having difficulties. Please try again later.');
    await told.waitFor();
    await photograph(page, 'login_difficulties');
    failing.fail('findClient', new Unavailable('planted'));
    await page.goto(scene.loginRequest);
    await assertMessagePage(page, 'Log in to Executive Club');
    await told.waitFor();
    await photograph(page, 'difficulties');
  });
}
