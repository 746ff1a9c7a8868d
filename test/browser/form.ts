// Owns what the form does for who fills it in: focus, the keyboard, passwords shown, little to load.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import { goOn, patience } from '../support/browser.ts';
import { assertAccessible } from './axe.ts';
import { assertMessagePage, assertRedeems, fillIn, logIn, setScene, submit } from './scene.ts';
import { assertKept, assertLight } from './weight.ts';

/** The identifier of what has focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.id || document.activeElement.textContent.trim()');
}

/** Waits for focus to be there: autofocus follows the load of a page. */
async function assertFocused(page: Page, name: string): Promise<void> {
  const end = Date.now() + patience;
  let found = await focused(page);
  while (found !== name && Date.now() < end) found = await focused(page);
  assert.equal(found, name);
}

/** Runs in the page: notes the type that the password's field has as the form is sent. */
const noteSentType = `document.forms[0].addEventListener('submit', ({ target }) => {
  sessionStorage.setItem('type', target.elements.password.type);
})`;

export function formTests(browser: () => Promise<Browser>): void {
  test('the keyboard alone shows a password, hides it and logs in; focus goes where one looks', async (t) => {
    const scene = await setScene(t, await browser());
    const page = await scene.openLogin();
    const { keyboard } = page;
    const password = page.locator('#password');
    const reveal = page.getByRole('button', { name: 'Show password' });
    await assertFocused(page, 'username');
    await keyboard.type(scene.member.username);
    await keyboard.press('Tab');
    await keyboard.type('wrong');
    await keyboard.press('Tab');
    await assertFocused(page, 'reveal');
    for (const [pressed, type] of [
      ['true', 'text'],
      ['false', 'password'],
      ['true', 'text'],
    ] as const) {
      await keyboard.press('Space');
      assert.equal(await reveal.getAttribute('aria-pressed'), pressed);
      assert.equal(await password.getAttribute('type'), type);
      assert.equal(await password.inputValue(), 'wrong');
    }
    await keyboard.press('Tab');
    await assertFocused(page, 'Log in');
    await page.evaluate(noteSentType);
    await goOn(page, () => keyboard.press('Enter'));
    await page.getByRole('alert').waitFor();
    // What is sent as text is kept by browsers, to be offered in other forms.
    assert.equal(await page.evaluate(`sessionStorage.getItem('type')`), 'password');
    await assertFocused(page, 'alert');
    for (const name of ['username', 'password']) {
      const field = page.locator(`#${name}`);
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
      assert.equal(await field.getAttribute('aria-describedby'), 'not_recognised');
    }
    // Past the link in the message and the username, which is still there.
    for (const _ of ['link', 'username', 'password']) await keyboard.press('Tab');
    await keyboard.type(scene.member.password);
    await goOn(page, () => keyboard.press('Enter'));
    await page.waitForURL(`${scene.partner.callbackUrl}?**`);
    await assertRedeems(scene, new URL(page.url()));
  });

  test('without JavaScript the messages have focus too, and no button is there that does nothing', async (t) => {
    const scene = await setScene(t, await browser());
    const page = await scene.openLogin(await scene.newContext({ javaScriptEnabled: false }));
    assert.equal(await page.getByRole('button').count(), 1);
    await page.locator('#username:focus').waitFor();
    await submit(page);
    await page.locator('#alert:focus').waitFor();
  });

  test('password managers find their fields, and what is pasted arrives whole', async (t) => {
    const scene = await setScene(t, await browser());
    const context = await scene.newContext({
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await scene.openLogin(context);
    await assertFocused(page, 'username');
    await page.evaluate(`navigator.clipboard.writeText(' pasted \u00e9 ')`);
    for (const [name, purpose] of [
      ['username', 'username'],
      ['password', 'current-password'],
    ] as const) {
      const field = page.locator(`#${name}`);
      assert.equal(await field.getAttribute('autocomplete'), purpose);
      await field.press('ControlOrMeta+V');
      assert.equal(await field.inputValue(), ' pasted \u00e9 ');
    }
  });

  test('a form that was left open too long says so, and how to go on', async (t) => {
    const scene = await setScene(t, await browser());
    const page = await scene.openLogin();
    await fillIn(page, scene.member.username, scene.member.password);
    scene.jetway.clock.advance(16 * 60_000);
    await submit(page);
    await assertMessagePage(page, 'This login has expired');
    await page.getByText('go back to the site you came from and start again').waitFor();
    await page.goto(scene.partner.url);
    await goOn(page, () => page.getByRole('link').click());
    await assertRedeems(scene, await logIn(page, scene));
  });

  test('a page weighs under 20 KB, asks for its logo alone, and for that once', async (t) => {
    const scene = await setScene(t, await browser());
    const page = await scene.openLogin();
    const addresses = await assertLight(page, 1);
    await fillIn(page, scene.member.username, 'wrong');
    await submit(page);
    await page.getByRole('alert').waitFor();
    await assertKept(page, addresses);
    await page.goto(scene.loginRequest);
    await assertKept(page, addresses);
  });

  test('the keyboard passes everything once and leaves the page at its end', async (t) => {
    const scene = await setScene(t, await browser());
    const page = await scene.openLogin();
    const help = 'Forgotten your username or password?';
    const website = 'Go to the Executive Club website';
    const all = ['username', 'password', 'reveal', 'Log in', help, website];
    for (const name of all) {
      await assertFocused(page, name);
      await page.keyboard.press('Tab');
    }
    await page.locator('body:not(:has(:focus))').waitFor();
    for (const name of all.toReversed()) {
      await page.keyboard.press('Shift+Tab');
      await assertFocused(page, name);
    }
  });

  test('forced colours leave edges and focus to be seen, and nothing ever moves', async (t) => {
    const scene = await setScene(t, await browser());
    const page = await scene.openLogin();
    await submit(page);
    await assertFocused(page, 'alert');
    await page.emulateMedia({ forcedColors: 'active' });
    await page.getByRole('button', { name: 'Log in' }).focus();
    for (const selector of ['#username', '#password', '#alert', '[type=submit]']) {
      const style = await page.evaluate<string>(
        `getComputedStyle(document.querySelector('${selector}')).border`,
      );
      assert.match(style, /^[1-9]\S* solid/, selector);
    }
    const outline = await page.evaluate<string>(
      `getComputedStyle(document.activeElement).outlineStyle`,
    );
    assert.equal(outline, 'solid');
    assert.equal(await page.evaluate('document.getAnimations().length'), 0);
    const still = `[...document.querySelectorAll('*')].every((element) =>
      getComputedStyle(element).transitionDuration === '0s')`;
    assert.equal(await page.evaluate(still), true);
    await assertAccessible(page, 'forced colours');
  });
}
