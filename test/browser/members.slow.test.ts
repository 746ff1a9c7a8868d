// Owns what members do with a login: finish it, mistype, leave blank, go back, click twice, open tabs.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import type { Store } from '../../src/store/contract.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { until } from '../support/until.ts';
import { ask } from '../support/wire.ts';
import { browserTests, complaintsOf, goOn, requestsOf } from './browser.ts';
import {
  assertMessagePage,
  assertRedeems,
  fillIn,
  followLink,
  logIn,
  setScene,
  submit,
} from './scene.ts';

const mistyped = 'The username or password was not recognised. Please try again.';

browserTests('members', (browser) => {
  for (const javaScriptEnabled of [true, false]) {
    const scripts = javaScriptEnabled ? 'with' : 'without';
    test(`G-3 G-4 G-8: ${scripts} JavaScript, by way of a wrong password`, async (t) => {
      const scene = await setScene(t, await browser());
      const context = await scene.newContext({ javaScriptEnabled });
      const complaints = complaintsOf(context);
      const requests = requestsOf(context);
      const page = await scene.openFromPartner(context);
      assert.equal(await page.title(), 'Log in to Executive Club');

      await fillIn(page, scene.member.username, 'wrong');
      await submit(page);
      assert.equal((await page.getByRole('alert').innerText()).trim(), mistyped);
      assert.equal(await page.getByLabel('Username').inputValue(), scene.member.username);
      assert.equal(await page.getByLabel('Password', { exact: true }).inputValue(), '');
      assert.equal(scene.partner.callbacks.length, 0);

      const callback = await logIn(page, scene);
      assert.deepEqual([...callback.searchParams.keys()], ['code', 'state']);
      assert.match(callback.searchParams.get('code') ?? '', /^[0-9a-f]{64}$/);
      assert.equal(callback.searchParams.get('state'), 'visit1');
      assert.deepEqual(scene.partner.callbacks, [callback]);
      assert.deepEqual(complaints, []);
      const { jetway, partner } = scene;
      assert.deepEqual(requests, [
        `GET ${partner.url}/`,
        `GET ${jetway.url}/executive-club/auth/login`,
        `GET ${jetway.url}/executive-club/login`,
        `POST ${jetway.url}/executive-club/login`,
        `POST ${jetway.url}/executive-club/login`,
        `GET ${partner.callbackUrl}`,
      ]);
      await assertRedeems(scene, callback);
    });
  }

  test('P-13: what is left blank is named, and the keyboard alone is enough', async (t) => {
    const scene = await setScene(t, await browser());
    const page = await scene.openLogin();
    await submit(page);
    assert.equal(
      (await page.getByRole('alert').innerText()).trim().replaceAll(/\n+/g, ' '),
      'Please enter your username. Please enter your password.',
    );
    for (const [field, message] of [
      ['Username', 'username_blank'],
      ['Password', 'password_blank'],
    ] as const) {
      const input = page.getByLabel(field, { exact: true });
      assert.equal(await input.getAttribute('aria-invalid'), 'true');
      assert.equal(await input.getAttribute('aria-describedby'), message);
    }
    // The messages have focus, and each leads to its field.
    await page.locator('#alert:focus').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#username:focus').waitFor();
    await page.keyboard.type(scene.member.username);
    await page.keyboard.press('Tab');
    await page.keyboard.type(scene.member.password);
    await goOn(page, () => page.keyboard.press('Enter'));
    await page.waitForURL(`${scene.partner.callbackUrl}?**`);
    await assertRedeems(scene, new URL(page.url()));
  });

  for (const when of ['before', 'after'] as const) {
    test(`HOSTILE 93: Back ${when} the code is spent: the page tells that the login is finished, and leads to the partner`, async (t) => {
      const scene = await setScene(t, await browser());
      const page = await scene.openFromPartner();
      const first = await logIn(page, scene);
      if (when === 'after') await assertRedeems(scene, first);
      await page.goBack();
      await assertMessagePage(page, 'You have logged in');
      assert.equal(await page.locator('form').count(), 0);
      assert.equal(scene.partner.callbacks.length, 1);
      if (when === 'before') await assertRedeems(scene, first);
      // From the partner's site it can begin anew.
      await page.getByRole('link', { name: 'Partner' }).click();
      await followLink(page);
      await assertRedeems(scene, await logIn(page, scene));
    });
  }

  test('HOSTILE 92: of twenty begun logins the newest eight can be finished', async (t) => {
    const scene = await setScene(t, await browser());
    const context = await scene.newContext();
    const pages: Awaited<ReturnType<typeof scene.openLogin>>[] = [];
    for (let tab = 0; tab < 20; tab += 1) pages.push(await scene.openLogin(context));
    const cookies = (await context.cookies()).filter(({ name }) => name.includes('jetway_login_'));
    assert.equal(cookies.length, 8);
    for (const page of pages.slice(12)) await assertRedeems(scene, await logIn(page, scene));
    const [oldest] = pages;
    assert.ok(oldest !== undefined);
    await fillIn(oldest, scene.member.username, scene.member.password);
    await submit(oldest);
    await assertMessagePage(oldest, 'This login cannot go on here');
  });

  test('Back after a mistyped password leads to the form', async (t) => {
    const scene = await setScene(t, await browser());
    const page = await scene.openLogin();
    await fillIn(page, scene.member.username, 'wrong');
    await submit(page);
    await page.getByRole('alert').waitFor();
    // Without the script Chromium would ask whether to send the form again, and show no page Back.
    await page.reload();
    assert.equal(await page.getByRole('alert').count(), 0);
    await fillIn(page, scene.member.username, 'wrong again');
    await submit(page);
    await page.getByRole('alert').waitFor();
    await page.goBack();
    await assertRedeems(scene, await logIn(page, scene));
  });

  test('a double click is one attempt', async (t) => {
    const store = openMemoryStore();
    const scene = await setScene(t, await browser(), { store });
    const lookups = holdLookups(t, store);
    const context = await scene.newContext();
    const requests = requestsOf(context);
    const page = await scene.openLogin(context);
    await fillIn(page, scene.member.username, scene.member.password);
    const kept: string[] = [];
    page.on('console', (message) => kept.push(message.text()));
    // However long the machine takes from one click to the next, the form is not freed between them.
    await page.evaluate(
      `window.setTimeout = () => 0;
      document.addEventListener('submit', (event) => console.log(event.defaultPrevented))`,
    );
    const box = await page.getByRole('button', { name: 'Log in' }).boundingBox();
    assert.ok(box !== null);
    await page.mouse.dblclick(box.x + 5, box.y + 5);
    await until(() => lookups.length > 0 && kept.length === 2);
    // Where the second click comes later the browser by itself would send the form again.
    assert.deepEqual(kept, ['false', 'true']);
    lookups[0]?.resolve(undefined);
    await page.waitForURL(`${scene.partner.callbackUrl}?**`);
    assert.equal(requests.filter((request) => request.startsWith('POST')).length, 1);
    await assertRedeems(scene, new URL(page.url()));
  });

  for (const [name, order] of [
    ['the first ending first', [0, 1]],
    ['the first ending last', [1, 0]],
  ] as const) {
    test(`HOSTILE 15: a double submit without JavaScript ends in a code that redeems, ${name}`, async (t) => {
      const store = openMemoryStore();
      const scene = await setScene(t, await browser(), { store });
      const lookups = holdLookups(t, store);
      // Also where the browser has given up: whose password waits to be hashed is dropped then.
      const over = t.mock.method(store, 'settleAttempt').mock;
      const page = await scene.openLogin(await scene.newContext({ javaScriptEnabled: false }));
      await fillIn(page, scene.member.username, scene.member.password);
      const box = await page.getByRole('button', { name: 'Log in' }).boundingBox();
      assert.ok(box !== null);
      for (const clicks of [1, 2]) {
        // A locator would wait for the navigation that the first click began.
        await page.mouse.click(box.x + 5, box.y + 5);
        await until(() => lookups.length === clicks);
        scene.jetway.clock.advance(1);
      }
      for (const [done, index] of order.entries()) {
        lookups[index]?.resolve(undefined);
        await until(() => over.callCount() > done);
      }
      await page.waitForURL(`${scene.partner.callbackUrl}?**`);
      assert.equal(scene.partner.callbacks.length, 1);
      await assertRedeems(scene, new URL(page.url()));
    });
  }

  test('two tabs: both logins finish, in any order', async (t) => {
    const scene = await setScene(t, await browser());
    const context = await scene.newContext();
    const first = await scene.openFromPartner(context);
    const second = await scene.openFromPartner(context);
    const later = await logIn(second, scene);
    const earlier = await logIn(first, scene);
    assert.equal(earlier.searchParams.get('state'), 'visit1');
    assert.equal(later.searchParams.get('state'), 'visit2');
    await assertRedeems(scene, earlier);
    await assertRedeems(scene, later);
  });

  test('a browser without cookies is told so on one page, and goes in no circle', async (t) => {
    const scene = await setScene(t, await browser());
    const context = await scene.newContext();
    const requests = requestsOf(context);
    await context.route('**/auth/login?*', async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const { status, headers } = await ask(scene.jetway.url, pathname + search);
      const { 'set-cookie': _, ...others } = headers;
      await route.fulfill({ status, headers: others });
    });
    const page = await scene.openFromPartner(context);
    await assertMessagePage(page, 'This login cannot go on here');
    assert.match(await page.locator('main').innerText(), /allow cookies for this site/);
    assert.deepEqual(await context.cookies(), []);
    assert.deepEqual(requests, [
      `GET ${scene.partner.url}/`,
      `GET ${scene.jetway.url}/executive-club/auth/login`,
      `GET ${scene.jetway.url}/executive-club/login`,
    ]);
  });
});

/** Holds back what the member directory finds until each look-up is let go. */
function holdLookups(t: TestContext, store: Store): readonly PromiseWithResolvers<undefined>[] {
  const lookups: PromiseWithResolvers<undefined>[] = [];
  const findBy = store.findBy.bind(store);
  t.mock.method(store, 'findBy', async (...given: Parameters<Store['findBy']>) => {
    const lookup = Promise.withResolvers<undefined>();
    lookups.push(lookup);
    await lookup.promise;
    return findBy(...given);
  });
  return lookups;
}
