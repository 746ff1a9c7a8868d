// Owns what the form does for who fills it in: focus, the keyboard, passwords shown, little to load.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import { assertMessagePage, assertRedeems, fillIn, logIn, setScene, submit } from './scene.ts';

/** The identifier of what has focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.id || document.activeElement.textContent.trim()');
}

/** Runs in the page: bytes that came over the wire, by address; none where the browser had it. */
const sizes = `Object.fromEntries(Object.entries(Object.groupBy(
  performance.getEntriesByType('resource'), ({ name }) => name,
)).map(([name, loads]) => [name, loads.reduce((sum, load) => sum + load.transferSize, 0)]))`;

/** What the open page loaded besides itself. */
async function transfers(page: Page): Promise<Readonly<Record<string, number>>> {
  await page.waitForLoadState('load');
  return page.evaluate(sizes);
}

export function formTests(browser: () => Promise<Browser>): void {
  test('the keyboard alone shows a password, hides it and logs in; focus goes where one looks', async (t) => {
    const scene = await setScene(t, await browser());
    const page = await scene.openLogin();
    const { keyboard } = page;
    const password = page.locator('#password');
    const reveal = page.getByRole('button', { name: 'Show password' });
    assert.equal(await focused(page), 'username');
    await keyboard.type(scene.member.username);
    await keyboard.press('Tab');
    await keyboard.type('wrong');
    await keyboard.press('Tab');
    assert.equal(await focused(page), 'reveal');
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
    assert.equal(await focused(page), 'Log in');
    await keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    assert.equal(await focused(page), 'alert');
    for (const name of ['username', 'password']) {
      const field = page.locator(`#${name}`);
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
      assert.equal(await field.getAttribute('aria-describedby'), 'not_recognised');
    }
    // Past the link in the message and the username, which is still there.
    for (const _ of ['link', 'username', 'password']) await keyboard.press('Tab');
    await keyboard.type(scene.member.password);
    await keyboard.press('Enter');
    await page.waitForURL(`${scene.partner.callbackUrl}?**`);
    await assertRedeems(scene, new URL(page.url()));
  });

  test('without JavaScript the messages have focus too, and no button is there that does nothing', async (t) => {
    const scene = await setScene(t, await browser());
    const page = await scene.openLogin(await scene.newContext({ javaScriptEnabled: false }));
    assert.equal(await page.getByRole('button').count(), 1);
    assert.equal(await page.locator('#username:focus').count(), 1);
    await submit(page);
    await page.locator('#alert:focus').waitFor();
  });

  test('password managers find their fields, and what is pasted arrives whole', async (t) => {
    const scene = await setScene(t, await browser());
    const context = await scene.newContext({
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await scene.openLogin(context);
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
    await page.getByRole('link').click();
    await assertRedeems(scene, await logIn(page, scene));
  });

  test('a page asks for its logo alone, and for that once', async (t) => {
    const scene = await setScene(t, await browser());
    const context = await scene.newContext();
    const page = await scene.openLogin(context);
    const first = await transfers(page);
    const [logo = '', ...others] = Object.keys(first);
    assert.match(logo, /\/executive-club\/login\/assets\/[\w-]{22}\.svg$/);
    assert.deepEqual(others, []);
    assert.ok((first[logo] ?? 0) > 0);
    await fillIn(page, scene.member.username, 'wrong');
    await submit(page);
    await page.getByRole('alert').waitFor();
    assert.deepEqual(await transfers(page), { [logo]: 0 });
  });
}
