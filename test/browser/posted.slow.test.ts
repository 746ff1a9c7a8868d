// Owns the browser tests of answers that come back in a form (OAuth 2.0 Form Post Response Mode).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { browserTests, complaintsOf, goOn, patience } from './browser.ts';
import { fillIn, setScene } from './scene.ts';

const over = `authorize:
  answer: { mode: form_post, more: { submit: { constant: 'a"<b&' } } }`;

const form = /^code=[0-9a-f]{64}&state=visit1&submit=a%22%3Cb%26$/;

browserTests('posted forms', (browser) => {
  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'at once' : 'by its button where no scripts run';
    test(`form_post: the code is posted to the partner ${how}`, async (t) => {
      const scene = await setScene(t, await browser(), { over });
      const context = await scene.newContext({ javaScriptEnabled });
      context.setDefaultTimeout(patience);
      const complaints = complaintsOf(context);
      const page = await scene.openFromPartner(context);
      await fillIn(page, scene.member.username, scene.member.password);
      const logIn = page.getByRole('button', { name: 'Log in', exact: true });
      if (javaScriptEnabled) await logIn.click();
      else {
        await goOn(page, () => logIn.click());
        assert.equal(await page.title(), 'Log in to Executive Club');
        await page.getByRole('button', { name: 'Partner', exact: true }).click();
      }
      await page.waitForURL(scene.partner.callbackUrl);
      assert.equal(scene.partner.posts.length, 1);
      const [origin, sent = ''] = scene.partner.posts[0] ?? [];
      assert.equal(origin, new URL(scene.loginRequest).origin);
      assert.match(sent, form);
      assert.deepEqual(complaints, []);
    });
  }
});
