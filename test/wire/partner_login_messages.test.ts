// P-13 by scenario: what a member of a partner-login club is told, in each language of the file.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Unavailable } from '../../src/oauth/failure.ts';
import { type FailingStore, failingStore } from '../support/failing_store.ts';
import { follow, openLogin, type OpenLogin, submitLogin } from '../support/login.ts';
import { readPage } from '../support/page.ts';
import {
  loginTarget,
  openPartnerClub,
  type PartnerClub,
  secondClub,
  thirdClub,
} from '../support/partner_club.ts';
import { type Answer, ask } from '../support/wire.ts';

/** A club with a login page open, at which anything may be typed. */
interface Door extends PartnerClub {
  readonly failing: FailingStore;
  readonly target: string;
  readonly login: OpenLogin;
  /** A browser that asks for the page's language. */
  readonly headers: Readonly<Record<string, string>>;
  readonly attempt: (username: string, password: string) => Promise<Answer>;
}

/** What a member is told: one or more messages above the form, or a page in place of it. */
interface Told {
  readonly status?: number;
  readonly page?: true;
  readonly texts: readonly ('not_recognised' | 'difficulties' | 'username' | 'password')[];
}

const notRecognised: Told = { texts: ['not_recognised'] };

const failedTest: Told = { status: 400, page: true, texts: ['difficulties'] };

const scenarios: Readonly<Record<string, readonly [(door: Door) => Promise<Answer>, Told]>> = {
  'wrong password': [({ attempt, member }) => attempt(member.username, 'wrong'), notRecognised],
  'password of spaces': [({ attempt, member }) => attempt(member.username, '  '), notRecognised],
  'unknown username': [({ attempt, member }) => attempt('nobody', member.password), notRecognised],
  'malformed username': [
    ({ attempt, member }) => attempt('ann\u0000', member.password),
    notRecognised,
  ],
  'username too long': [
    ({ attempt, member }) => attempt('a'.repeat(201), member.password),
    notRecognised,
  ],
  'password too long': [
    ({ attempt, member }) => attempt(member.username, 'x'.repeat(1025)),
    notRecognised,
  ],
  'repeated attempts': [
    async ({ attempt, addMember, programme }) => {
      const { username, password } = await addMember({ programme, username: 'bob' });
      for (let time = 0; time < 5; time += 1) await attempt(username, 'wrong');
      return attempt(username, password);
    },
    notRecognised,
  ],
  'system unavailable': [
    async ({ attempt, failing, member }) => {
      failing.fail('findBy member', new Unavailable('planted'));
      const { headers, ...answer } = await attempt(member.username, member.password);
      failing.heal();
      const { 'retry-after': seconds, ...others } = headers;
      assert.equal(seconds, '5');
      return { ...answer, headers: others };
    },
    { status: 503, texts: ['difficulties'] },
  ],
  'failed security test: form key': [
    ({ url, login, member }) =>
      submitLogin(url, { ...login, hidden: { ...login.hidden, csrf: 'x' } }, member),
    { status: 403, page: true, texts: ['difficulties'] },
  ],
  'failed security test: no cookie': [
    ({ url, login, member }) => submitLogin(url, { ...login, cookie: '' }, member),
    failedTest,
  ],
  'failed security test: no cookie at the page': [
    ({ url, login }) => follow(url, login.bound),
    failedTest,
  ],
  'failed security test: foreign cookie': [
    async ({ url, target, login, member }) => {
      const { cookie } = await openLogin(url, target, 'POST');
      return submitLogin(url, { ...login, cookie }, member);
    },
    failedTest,
  ],
  'failed security test: damaged transaction': [
    ({ url, paths, headers }) => ask(url, `${paths.page}?transaction=x`, { headers }),
    failedTest,
  ],
  'format of the IP address': [
    ({ url, target }) =>
      ask(url, target, { method: 'POST', headers: { 'x-forwarded-for': '1.2.3.4,x' } }),
    failedTest,
  ],
  'format of the IP address at the form': [
    ({ url, login, member }) =>
      submitLogin(url, login, member, { 'x-forwarded-for': '1.2.3.4,fe80::1%eth0' }),
    failedTest,
  ],
  'username blank': [({ attempt }) => attempt('', 'x'), { texts: ['username'] }],
  'password blank': [({ attempt }) => attempt('ann', ''), { texts: ['password'] }],
  'both blank': [({ attempt }) => attempt('', ''), { texts: ['username', 'password'] }],
};

const english = {
  language: 'en',
  title: 'Log in to ',
  error: 'Error: ',
  unavailable: 'You cannot log in at the moment',
  not_recognised:
    'Your details were not recognised. Please try again, or update your details on the programme website.',
  difficulties: 'We are having difficulties. Please try again later.',
  username: 'Please enter your username.',
  password: 'Please enter your password.',
};

const french = {
  language: 'fr',
  title: 'Connexion à ',
  error: 'Erreur : ',
  unavailable: 'Connexion impossible pour le moment',
  not_recognised:
    'Vos informations n’ont pas été reconnues. Veuillez réessayer ou mettre à jour vos informations sur le site du programme.',
  difficulties: 'Nous rencontrons des difficultés. Veuillez réessayer plus tard.',
  username: 'Veuillez saisir votre nom d’utilisateur.',
  password: 'Veuillez saisir votre mot de passe.',
};

for (const [names, words] of [
  [secondClub, english],
  [thirdClub, french],
] as const) {
  test(`P-13: each scenario has its message at ${names.name}, in ${words.language}`, async (t) => {
    const failing = failingStore();
    const club = await openPartnerClub(t, { names, store: failing.store });
    const target = loginTarget(club, { ui_locales: words.language });
    const login = await openLogin(club.url, target, 'POST');
    const headers = { 'accept-language': words.language };
    const attempt: Door['attempt'] = (username, password) =>
      submitLogin(club.url, login, { username, password });
    const heading = words.title + names.name;
    for (const [name, [go, { status = 200, page = false, texts }]] of Object.entries(scenarios)) {
      const answer = await go({ ...club, failing, target, login, headers, attempt });
      const title = page ? words.unavailable : words.error + heading;
      const text = texts.map((one) => words[one]);
      assert.deepEqual(
        readPage(answer, words.language),
        { status, title, heading: page ? title : heading, text },
        name,
      );
      assert.equal(answer.body.includes('<form'), !page, name);
    }
  });
}

test('P-6 P-13: a well-formed chain of addresses passes at the form, and a bad one counts no attempt', async (t) => {
  const club = await openPartnerClub(t, { over: 'login: { lockout: { attempts: 1 } }' });
  const login = await openLogin(club.url, loginTarget(club), 'POST');
  const from = (address: string): Readonly<Record<string, string>> => ({
    'x-forwarded-for': address,
  });
  const wrong = { ...club.member, password: 'wrong' };
  for (const address of ['unknown', '', '1.2.3', '10.0.0.1:80']) {
    assert.equal((await submitLogin(club.url, login, wrong, from(address))).status, 400, address);
  }
  const answer = await submitLogin(club.url, login, club.member, from('203.0.113.9, 2001:db8::1'));
  assert.equal(answer.status, 302);
});
