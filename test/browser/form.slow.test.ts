// Owns what the form does for who fills it in: focus, the keyboard, passwords shown, little to load.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { Unavailable } from '../../src/oauth/failure.ts';
import { failingStore } from '../support/failing_store.ts';
import { assertAccessible } from './axe.ts';
import { browserTests, goOn, patience } from './browser.ts';
import {
  assertMessagePage,
  assertRedeems,
  fillIn,
  followLink,
  logIn,
  setScene,
  submit,
} from './scene.ts';
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

interface Places {
  /** Upper and left edge, and width. */
  readonly card: readonly number[];
  readonly heading: readonly number[];
  /** Below the form, in their order. */
  readonly links: readonly string[];
}

function placesOn(page: Page): Promise<Places> {
  return page.evaluate(`(() => {
    const edges = (selector) => {
      const { x, y, width } = document.querySelector(selector).getBoundingClientRect();
      return [x, y + scrollY, width];
    };
    const links = [...document.querySelectorAll('form ~ .links a')].map((link) => link.textContent);
    return { card: edges('main'), heading: edges('h1'), links };
  })()`);
}

/** Runs in the page: notes the type that the password's field has as the form is sent. */
const noteSentType = `document.forms[0].addEventListener('submit', ({ target }) => {
  sessionStorage.setItem('type', target.elements.password.type);
})`;

browserTests('the form', (browser) => {
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
    // Past the username, which is still there.
    for (const _ of ['username', 'password']) await keyboard.press('Tab');
    await keyboard.type(scene.member.password);
    await goOn(page, () => keyboard.press('Enter'));
    await page.waitForURL(`${scene.partner.callbackUrl}?**`);
    await assertRedeems(scene, new URL(page.url()));
  });

  test('without JavaScript the messages have focus too, and no button is there that does nothing', async (t) => {
    const scene = await setScene(t, await browser());
    const page = await scene.openLogin(await scene.newContext({ javaScriptEnabled: false }));
    assert.deepEqual(await page.getByRole('button').allInnerTexts(), ['Log in', 'Français']);
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
    const form = ['username', 'password', 'reveal', 'Log in'];
    const all = [...form, help, website, 'Français', 'Privacy', 'Terms of use', 'Imprint'];
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

  for (const javaScriptEnabled of [true, false]) {
    const scripts = javaScriptEnabled ? 'with' : 'without';
    test(`${scripts} JavaScript a member chooses another language, and it lasts to the end of the login`, async (t) => {
      const scene = await setScene(t, await browser());
      const page = await scene.openLogin(await scene.newContext({ javaScriptEnabled }));
      await fillIn(page, 'ann', 'typed before');
      await goOn(page, () => page.getByRole('button', { name: 'Français' }).click());
      assert.equal(await page.title(), 'Connexion à Executive Club');
      assert.equal(await page.getAttribute('html', 'lang'), 'fr');
      assert.equal(await page.locator('#username').inputValue(), 'ann');
      assert.equal(await page.locator('#password').inputValue(), '');
      assert.equal(await page.locator('[aria-current]').innerText(), 'Français');
      if (javaScriptEnabled) {
        await page.reload();
        assert.equal(await page.title(), 'Connexion à Executive Club');
      }
      await page.locator('#username').fill('ann');
      await page.locator('#password').fill('wrong');
      await goOn(page, () => page.locator('[type=submit]').click());
      await page.getByText('n’a pas été reconnu').waitFor();
      await goOn(page, () => page.getByRole('button', { name: 'English' }).click());
      assert.equal(await page.title(), 'Log in to Executive Club');
      await assertRedeems(scene, await logIn(page, scene));
    });
  }

  test('the card, its heading and its links stay where they are, whatever the page says', async (t) => {
    const failing = failingStore();
    const scene = await setScene(t, await browser(), { store: failing.store });
    const page = await scene.openLogin();
    for (const viewport of [
      { width: 360, height: 740 },
      { width: 1280, height: 800 },
    ]) {
      await page.setViewportSize(viewport);
      await page.goto(scene.loginRequest);
      const first = await placesOn(page);
      for (const [username, password] of [
        ['', ''],
        ['', 'x'],
        [scene.member.username, 'wrong'],
        [scene.member.username, 'unavailable'],
      ] as const) {
        if (password === 'unavailable') failing.fail('findBy member', new Unavailable('planted'));
        await fillIn(page, username, password);
        await submit(page);
        await page.getByRole('alert').waitFor();
        const { links, ...places } = await placesOn(page);
        assert.deepEqual(links, first.links);
        assert.deepEqual(places, { card: first.card, heading: first.heading });
      }
      failing.heal();
      for (const end of ['/executive-club/login', '/executive-club/nothing']) {
        await page.goto(scene.jetway.url + end);
        assert.deepEqual((await placesOn(page)).card, first.card);
      }
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

  test('a form that was left open too long says so, and how to go on', async (t) => {
    const scene = await setScene(t, await browser());
    const page = await scene.openLogin();
    await fillIn(page, scene.member.username, scene.member.password);
    scene.jetway.clock.advance(16 * 60_000);
    await submit(page);
    await assertMessagePage(page, 'This login has expired');
    await page.getByText('go back to the site you came from and start again').waitFor();
    await page.goto(scene.partner.url);
    await followLink(page);
    await assertRedeems(scene, await logIn(page, scene));
  });
});
