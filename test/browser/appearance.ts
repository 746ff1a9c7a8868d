// Owns the round of the executive club's pages: each that people may meet, in each language, and how
// it looks.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import { Unavailable } from '../../src/oauth/failure.ts';
import { failingStore } from '../support/failing_store.ts';
import { goOn } from './browser.ts';
import { folder, photograph } from './photograph.ts';
import { assertMessagePage, fillIn, type Scene, setScene, submit } from './scene.ts';

type GoTo = (page: Page, scene: Scene) => Promise<unknown>;

/** Types and sends, in any language. */
async function attempt(page: Page, username: string, password: string): Promise<void> {
  await page.locator('#username').fill(username);
  await page.locator('#password').fill(password);
  await goOn(page, () => page.locator('[type=submit]').click());
}

/** Each page of the form, and the way to it from the form. */
const forms: Readonly<Record<string, GoTo>> = {
  login: () => Promise.resolve(),
  login_mistyped: (page) =>
    attempt(page, 'a.rather.long.username.of.someone@mail.example.com', 'wrong'),
  login_blank: (page) => attempt(page, '', ''),
};

/** What differs from those in little, and is looked at in one language. */
const moreForms: Readonly<Record<string, GoTo>> = {
  login_no_username: (page) => attempt(page, '', 'x'),
  login_no_password: (page) => attempt(page, 'ann', ''),
  login_shown_password: async (page) => {
    await fillIn(page, 'ann', 'correct horse');
    await page.getByRole('button', { name: 'Show password' }).click();
  },
  login_button_focused: (page) => page.getByRole('button', { name: 'Log in' }).focus(),
  login_button_hovered: (page) => page.getByRole('button', { name: 'Log in' }).hover(),
};

/** Each page in place of the form, and the way to it. */
const messages = {
  security_issue: (page, { loginRequest }) =>
    page.goto(`${loginRequest}&redirect_uri=https://attacker.example/`),
  bad_request: (page, { jetway }) =>
    page.goto(
      `${jetway.url}/executive-club/auth/login?client_id=parnterapi-12345&response_type=code`,
    ),
  expired: (page, { jetway }) => page.goto(`${jetway.url}/executive-club/login`),
  damaged: (page, { jetway }) => page.goto(`${jetway.url}/executive-club/login?transaction=x`),
  not_found: (page, { jetway }) => page.goto(`${jetway.url}/executive-club/lgoin`),
  wrong_method: (page, { jetway }) =>
    goOn(page, () =>
      page.evaluate(
        `document.body.innerHTML = '<form method=post action=${jetway.url}/executive-club/auth/login>'; document.forms[0].submit()`,
      ),
    ),
  forged: async (page) => {
    await page.evaluate(`document.querySelector('[name=csrf]').value = 'x'`);
    await attempt(page, 'ann', 'x');
  },
  other_browser: async (page) => {
    await page.context().clearCookies();
    await page.reload();
  },
  too_many_attempts: async (page, { loginRequest }) => {
    for (const time of [1, 2]) {
      await page.goto(loginRequest);
      await attempt(page, `nobody${time}`, 'wrong');
    }
  },
} as const satisfies Readonly<Record<string, GoTo>>;

/** Those that begin at the form. */
const fromForm = new Set(['forged', 'other_browser']);

const english: Readonly<Record<keyof typeof messages, string>> = {
  security_issue: 'Security Issue',
  bad_request: 'This login cannot start',
  expired: 'This login has expired',
  damaged: 'This login cannot go on',
  not_found: 'Page not found',
  wrong_method: 'This page cannot be opened directly',
  forged: 'This form cannot be accepted',
  other_browser: 'This login cannot go on here',
  too_many_attempts: 'You cannot log in at the moment',
};

const french: typeof english = {
  security_issue: 'Security Issue',
  bad_request: 'La connexion ne peut pas commencer',
  expired: 'Cette connexion a expiré',
  damaged: 'La connexion ne peut pas se poursuivre',
  not_found: 'Page introuvable',
  wrong_method: 'Cette page ne peut pas être ouverte directement',
  forged: 'Ce formulaire ne peut pas être accepté',
  other_browser: 'La connexion ne peut pas se poursuivre ici',
  too_many_attempts: 'Connexion impossible pour le moment',
};

const arabic: typeof english = {
  security_issue: 'مشكلة أمنية',
  bad_request: 'لا يمكن بدء تسجيل الدخول',
  expired: 'انتهت صلاحية تسجيل الدخول هذا',
  damaged: 'لا يمكن متابعة تسجيل الدخول',
  not_found: 'الصفحة غير موجودة',
  wrong_method: 'لا يمكن فتح هذه الصفحة مباشرة',
  forged: 'لا يمكن قبول هذا النموذج',
  other_browser: 'لا يمكن متابعة تسجيل الدخول هنا',
  too_many_attempts: 'لا يمكن تسجيل الدخول حاليًا',
};

/** Texts from right to left, laid over the programme; its last key is `login`. */
const arabicTexts = readFileSync(join(import.meta.dirname, 'arabic.yaml'), 'utf8');

/** Runs in the page: on which side of the box that `second` is in, or of itself, the first one stands. */
const sides = `[
  ['.logos img', 'main'], ['h1', 'main'], ['.alert svg', '.alert'], ['#reveal', '#password'], ['.links a', '.links'],
].map(([inner, outer]) => {
  const [one, other] = [inner, outer].map((name) => {
    const range = document.createRange();
    const element = document.querySelector(name);
    range.selectNodeContents(element);
    return (name === 'h1' ? range : element).getBoundingClientRect();
  });
  return inner + (other.right - one.right < one.left - other.left ? ' right' : ' left');
})`;

export function appearanceTests(browser: () => Promise<Browser>): void {
  for (const [locale, titles, pages] of [
    ['en', english, { ...forms, ...moreForms }],
    ['fr', french, forms],
    ['ar', arabic, forms],
  ] as const) {
    test(`G-6 G-7 HOSTILE 14: every page fits the screen and can be read, on a phone and a desk, by day and night: ${locale}`, async (t) => {
      // The page of a mistyped name takes one of the two failures, the last page another.
      const over = `${arabicTexts}  address_limit: { limit: 2, window: 1m }\n`;
      const scene = await setScene(t, await browser(), { over });
      const page = await (await scene.newContext({ locale })).newPage();
      for (const [name, goTo] of Object.entries<GoTo>(pages)) {
        await page.goto(scene.loginRequest);
        await goTo(page, scene);
        await photograph(page, `executive-club-${name}-${locale}`);
      }
      for (const [name, goTo] of Object.entries<GoTo>(messages)) {
        if (fromForm.has(name)) await page.goto(scene.loginRequest);
        await goTo(page, scene);
        await assertMessagePage(page, titles[name as keyof typeof messages]);
        await photograph(page, `executive-club-${name}-${locale}`);
      }
      if (folder !== undefined) t.diagnostic(`pictures of the pages are in ${folder}`);
    });
  }

  test('a page from right to left is the mirror of one from left to right', async (t) => {
    const scene = await setScene(t, await browser(), { over: arabicTexts });
    const seen: Record<string, readonly string[]> = {};
    for (const locale of ['en', 'ar']) {
      const page = await scene.openLogin(await scene.newContext({ locale }));
      await attempt(page, 'ann!', 'wrong');
      assert.equal(await page.evaluate('document.dir'), locale === 'ar' ? 'rtl' : 'ltr');
      // What is typed is shown in the order in which it was typed: no "!ann".
      const style = await page.evaluate(
        `getComputedStyle(document.querySelector('#username')).unicodeBidi`,
      );
      assert.equal(style, 'plaintext');
      seen[locale] = await page.evaluate<string[]>(sides);
    }
    const mirrored = seen['en']?.map((one) =>
      one.replace(/\w+$/, (side) => (side === 'left' ? 'right' : 'left')),
    );
    assert.deepEqual(seen['ar'], mirrored);
  });

  test('P-13: an outage is told on the form, and before it on a page', async (t) => {
    const failing = failingStore();
    const scene = await setScene(t, await browser(), { store: failing.store });
    const page = await scene.openLogin();
    failing.fail('findBy member', new Unavailable('planted'));
    await fillIn(page, scene.member.username, scene.member.password);
    await submit(page);
    const told = page.getByText('We are having difficulties. Please try again later.');
    await told.waitFor();
    await photograph(page, 'executive-club-login_difficulties-en');
    failing.fail('find client', new Unavailable('planted'));
    await page.goto(scene.loginRequest);
    await assertMessagePage(page, 'You cannot log in at the moment');
    await told.waitFor();
    await photograph(page, 'executive-club-difficulties-en');
  });
}
