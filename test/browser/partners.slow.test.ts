// Owns the way of a member who comes from a partner of a partner-login club: from the partner's page
// through the login to the callback, in the partner's brand and the member's language (P-3).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { shippedProgramme, startJetway } from '../support/jetway.ts';
import {
  askKey,
  askLogin,
  type ClubNames,
  joinClub,
  loginTarget,
  redeem,
  secondClub,
  thirdClub,
  tokensIn,
} from '../support/partner_club.ts';
import { browserTests, complaintsOf, goOn, startPartnerSite, patience } from './browser.ts';
import { assertPicturesShown, photograph } from './photograph.ts';
import { assertMessagePage, fillIn, submit } from './scene.ts';
import { assertLight } from './weight.ts';

const brands = `login:
  brands:
    Harbour: { name: Harbour Hotels, logo: third-club.svg }`;

interface Words {
  readonly language: string;
  readonly title: string;
  readonly partner: string;
  readonly username: string;
  readonly password: string;
  readonly logIn: string;
  readonly notRecognised: string;
}

const english: Words = {
  language: 'en',
  title: 'Log in to Second Club',
  partner: 'to continue to Harbour Hotels',
  username: 'Username',
  password: 'Password',
  logIn: 'Log in',
  notRecognised:
    'Your details were not recognised. Please try again, or update your details on the programme website.',
};

const french: Words = {
  language: 'fr',
  title: 'Connexion à Third Club',
  partner: 'pour continuer vers Partner',
  username: 'Nom d’utilisateur',
  password: 'Mot de passe',
  logIn: 'Se connecter',
  notRecognised:
    'Vos informations n’ont pas été reconnues. Veuillez réessayer ou mettre à jour vos informations sur le site du programme.',
};

interface Journey {
  readonly names: ClubNames;
  /** What the browser asks for. */
  readonly locale: string;
  /** What the partner asks for: it goes before. */
  readonly ui_locales?: string;
  readonly brandName?: string;
  readonly logos: 1 | 2;
  readonly words: Words;
}

const journeys: readonly Journey[] = [
  { names: secondClub, locale: 'en-GB', brandName: 'Harbour', logos: 2, words: english },
  { names: thirdClub, locale: 'fr-FR', brandName: 'Unheard', logos: 1, words: french },
  { names: thirdClub, locale: 'en-US', ui_locales: 'de fr-CA', logos: 1, words: french },
];

browserTests('partners', (browser) => {
  for (const { names, locale, ui_locales, brandName, logos, words } of journeys) {
    const asked = ui_locales === undefined ? '' : `, asked for ${ui_locales}`;
    test(`P-2 P-3 P-13: from a partner to ${names.name} and back, in ${locale}${asked}`, async (t) => {
      const context = await (await browser()).newContext({ locale });
      context.setDefaultTimeout(patience);
      t.after(() => context.close());
      const partner = await startPartnerSite(t);
      const programmes = { [names.programme]: shippedProgramme(names.programme, brands) };
      const jetway = await startJetway(t, { programmes, publicUrl: 'listening' });
      const club = await joinClub(jetway, names, { redirectUris: [partner.callbackUrl] });
      const target = loginTarget(club, { brandName, ui_locales });
      partner.linkTo(new URL(target, jetway.url), 'POST');
      const complaints = complaintsOf(context);

      const page = await context.newPage();
      await page.goto(partner.url);
      await goOn(page, () => page.getByRole('button').click());
      assert.equal(await page.title(), words.title);
      assert.equal(await page.getByText(words.partner).count(), 1);
      assert.equal(await page.getAttribute('html', 'lang'), words.language);
      assert.equal(await page.getByRole('img').count(), logos);
      await assertLight(page, logos);
      await assertPicturesShown(page, names.programme);
      await photograph(page, `${names.programme}-login-${locale}`);

      const attempt = async (password: string): Promise<void> => {
        await page.getByLabel(words.username).fill(club.member.username);
        await page.getByLabel(words.password, { exact: true }).fill(password);
        const button = page.getByRole('button', { name: words.logIn, exact: true });
        await goOn(page, () => button.click());
      };
      await attempt('wrong');
      await page.getByText(words.notRecognised).waitFor();
      await photograph(page, `${names.programme}-not_recognised-${locale}`);
      await attempt(club.member.password);
      await page.waitForURL(`${partner.callbackUrl}?**`);

      const [callback] = partner.callbacks;
      assert.equal(callback?.searchParams.get('state'), 'visit1');
      const code = callback?.searchParams.get('code') ?? '';
      const redeemed = await askKey(club, { grant_type: 'authorization_code', code });
      assert.equal(redeemed.status, 200, redeemed.body);
      assert.deepEqual(complaints, []);
    });
  }

  test('P-3 HOSTILE 14: the partner’s server sends the request, and the first browser has the login', async (t) => {
    const partner = await startPartnerSite(t);
    const programmes = { 'second-club': shippedProgramme('second-club') };
    const jetway = await startJetway(t, { programmes, publicUrl: 'listening' });
    const club = await joinClub(jetway, secondClub, { redirectUris: [partner.callbackUrl] });
    const { location = '' } = (await askLogin(club, { state: 'handed' })).headers;
    const open = async (): Promise<Page> => {
      const context = await (await browser()).newContext();
      context.setDefaultTimeout(patience);
      t.after(() => context.close());
      const page = await context.newPage();
      await page.goto(location);
      return page;
    };
    const first = await open();
    const second = await open();
    await assertMessagePage(second, 'You cannot log in at the moment');
    await second.goto(first.url());
    await assertMessagePage(second, 'You cannot log in at the moment');
    // The first may come back by the partner's address, and go on in a tab that it had open.
    const tab = await first.context().newPage();
    await tab.goto(location);
    assert.equal(await tab.title(), 'Log in to Second Club');
    await fillIn(first, club.member.username, club.member.password);
    await submit(first);
    await first.waitForURL(`${partner.callbackUrl}?**`);
    assert.equal(partner.callbacks[0]?.searchParams.get('state'), 'handed');
    const code = partner.callbacks[0].searchParams.get('code') ?? '';
    tokensIn(await redeem(club, code));
  });
});
