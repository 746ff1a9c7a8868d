// Owns the first steps of a newcomer: `jetway dev`, the address it prints, and clicks from there to
// everything that a token can come to, at each shipped programme.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import type { LoginFailureReason } from '../../src/oauth/login_reasons.ts';
import type { FailureReason } from '../../src/oauth/reasons.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { configText, environment, workFolder } from '../cli/command.ts';
import { shippedLogos, shippedProgramme } from '../support/jetway.ts';
import { program } from '../support/program.ts';
import { complaintsOf, goOn, patience } from './browser.ts';
import { photograph } from './photograph.ts';

const clubs = {
  'executive-club': 'Executive Club',
  'second-club': 'Second Club',
  'third-club': 'Third Club',
} as const;
type Club = keyof typeof clubs;

/** Retries may come for minutes: a slow machine must not end the family by being slow. */
const patientGrace = 'tokens: { refresh: { grace: 5m } }';
const programmeOf = (club: Club): string => shippedProgramme(club, patientGrace);

export function newcomerTests(browser: () => Promise<Browser>): void {
  test('Use 8: from the start page of dev by clicks alone through all of each club, and every error', async (t) => {
    const { page, complaints, address } = await visit(t, await browser());
    await assertStartPage(page);
    await assertCopies(page);
    await assertPartnerPage(page);
    for (const club of Object.keys(clubs) as Club[]) {
      await page.goto(address);
      await toTokens(page, club);
      // One of each dialect, while the tokens are live.
      if (club !== 'third-club') await assertErrors(page, club);
      await throughAllSteps(page);
    }
    assert.deepEqual(complaints, []);
  });

  test('Use 8: the pages of the demo fit every screen and can be read by day and by night', async (t) => {
    const { page, address } = await visit(t, await browser());
    await photograph(page, 'dev-start');
    await clickIn(page, 'second-club', 'Log in as this member');
    await click(page, 'Log in');
    await photograph(page, 'dev-callback');
    // The longest: JWTs.
    await click(page, 'Exchange the code for tokens');
    await photograph(page, 'dev-tokens');
    await page.locator('summary').click();
    await photograph(page, 'dev-errors');
    await page.goto(address);
    await clickIn(page, 'executive-club', 'Get a token for the partner');
    await click(page, 'Verify');
    await photograph(page, 'dev-partner');
  });

  test('Use 8: without JavaScript all goes on as well', async (t) => {
    const { page } = await visit(t, await browser(), { javaScriptEnabled: false });
    await toTokens(page, 'second-club');
    await click(page, 'Refresh');
    assert.deepEqual(await shownExchange(page), ['Refresh', '200 OK']);
  });
}

/** A page of a new browser at the address that dev prints; it ends with the test. */
async function visit(
  t: TestContext,
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ page: Page; complaints: readonly string[]; address: string }> {
  const context = await browser.newContext(options);
  // Registered first, runs first: a server waits for the connections that browsers hold.
  t.after(() => context.close());
  const address = await startDev(t);
  context.setDefaultTimeout(patience);
  const complaints = complaintsOf(context);
  const page = await context.newPage();
  await page.goto(address);
  return { page, complaints, address };
}

function click(page: Page, name: string): Promise<void> {
  return goOn(page, () => page.getByRole('button', { name, exact: true }).click());
}

function clickIn(page: Page, club: Club, name: string): Promise<void> {
  const card = page.getByRole('region', { name: clubs[club] });
  return goOn(page, () => card.getByRole('button', { name, exact: true }).click());
}

async function assertStartPage(page: Page): Promise<void> {
  assert.deepEqual(
    await page.getByRole('heading', { level: 2 }).allInnerTexts(),
    Object.values(clubs),
  );
  const region = await page.getByRole('region', { name: 'Second Club' }).innerText();
  assert.match(
    region,
    /^Second Club\s+partner-login variant\s+Log in as this member\s+How it differs\s+(?:\w.*\s+)+Member\s+Username\s+demo\s+Password\s+\S{16}\s+Copy\s+Partner\s+Client\s+\w{16}\s+Copy\s+Secret\s+\S{43}\s+Copy\s+API key\s+jw_staging_\S{43}\s+Copy\s+Page for partners\s+Commands for bash$/,
  );
  assert.match(region, /Access tokens JWTs \(ES256\)/);
  const first = await page.getByRole('region', { name: 'Executive Club' }).innerText();
  assert.match(first, /Access tokens random texts/);
  // The secret stands on one line, whatever it leaves out of sight.
  const secret = page
    .locator('dd code')
    .filter({ hasText: /^jw_staging_/ })
    .first();
  assert.ok(((await secret.boundingBox())?.height ?? 99) < 40);
}

/** Copies the whole of a value of which a part is out of sight. */
async function assertCopies(page: Page): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const card = page.getByRole('region', { name: 'Second Club' });
  await card.getByRole('button', { name: 'Copy: API key' }).click();
  await card.getByRole('button', { name: 'Copied: API key' }).waitFor();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  assert.match(copied, /^jw_staging_\S{43}$/);
}

async function assertPartnerPage(page: Page): Promise<void> {
  const card = page.getByRole('region', { name: 'Second Club' });
  await goOn(page, () => card.getByRole('link', { name: 'Page for partners' }).click());
  assert.equal(await page.title(), 'Second Club: guide for partners (staging)');
  await page.getByRole('cell', { name: 'DemoPartner', exact: true }).first().waitFor();
}

/** The form is filled: there is nothing to type. */
async function toTokens(page: Page, club: Club): Promise<void> {
  const name = clubs[club];
  await clickIn(page, club, 'Log in as this member');
  assert.equal(await page.title(), `Log in to ${name}`);
  assert.equal(await page.getByLabel('Username').inputValue(), 'demo');
  assert.match(await page.getByLabel('Password', { exact: true }).inputValue(), /^\S{16}$/);
  await click(page, 'Log in');
  assert.equal(await page.title(), `Back at the partner – ${name}`);
  assert.match(await page.getByRole('main').innerText(), /code\s+\w+\s+(?:Copy\s+)?state\s+demo\s/);
  await click(page, 'Exchange the code for tokens');
  assert.equal(await page.title(), `Tokens – ${name}`);
  assert.deepEqual(await shownExchange(page), ['Exchange the code for tokens', '200 OK']);
  assert.match(await shownLines(page, 'Request'), /^curl -i \\\n/);
}

/** What the request was, and the status of its answer. */
async function shownExchange(page: Page): Promise<readonly string[]> {
  const status = page.locator('h2 > .status').first();
  const heading = await page.locator('h2').first().innerText();
  const text = await status.innerText();
  return [heading.slice(0, -text.length).trim(), text];
}

function shownLines(page: Page, name: 'Request' | 'Answer'): Promise<string> {
  return page.getByRole('group', { name, exact: true }).innerText();
}

/** Verified, refreshed, the answer lost, and the refresh token stolen. */
async function throughAllSteps(page: Page): Promise<void> {
  const said = (text: string): Promise<void> => page.getByText(text).first().waitFor();
  await click(page, 'Verify');
  assert.deepEqual(await shownExchange(page), ['Verify', '200 OK']);
  assert.match(await shownLines(page, 'Answer'), /^x-auth-kind: member$/m);
  await click(page, 'Refresh');
  assert.deepEqual(await shownExchange(page), ['Refresh', '200 OK']);
  // ES256 signs the same claims differently each time.
  const unsigned = async (): Promise<string> =>
    (await shownLines(page, 'Answer')).replaceAll(/\.[\w-]{86}"/g, '');
  const refreshed = await unsigned();
  await click(page, 'The first refresh token again');
  await said('The same tokens');
  assert.equal(await unsigned(), refreshed);
  await click(page, 'Refresh');
  await click(page, 'The first refresh token again');
  assert.deepEqual(await shownExchange(page), ['The first refresh token again', '400 Bad Request']);
  await said('all of its tokens have ended');
  assert.equal(await page.getByRole('button', { name: 'Refresh', exact: true }).count(), 0);
  await click(page, 'Verify');
  await said('It may not');
  assert.match(await shownLines(page, 'Answer'), /error="invalid_token"/);
}

/**
 * Each error by its button, answered with the status that the dialect gives its reason. The first is a
 * click; what the other buttons would send is sent without the browser.
 */
async function assertErrors(page: Page, club: Club): Promise<void> {
  const { loaded } = loadProgramme(`${club}.yaml`, programmeOf(club));
  assert.ok(loaded);
  const { renderFailure, login } = compileProgramme(loaded.id, loaded.definition, 'http://here');
  const buttons = await page.evaluate<string[][]>(
    `[...document.querySelectorAll('details [name=click]')].map((button) =>
      [button.value, new URLSearchParams(new FormData(button.form, button)).toString()])`,
  );
  assert.ok(buttons.length > 20, buttons.join());
  for (const [index, [key = '', fields = '']] of buttons.entries()) {
    const clickFirst = async (): Promise<readonly string[]> => {
      await page.locator('summary').click();
      await goOn(page, () => page.locator(`button[value="${key}"]`).click());
      return shownExchange(page);
    };
    const [title = '', status = ''] =
      index === 0 ? await clickFirst() : await sendFault(page.url(), fields);
    const [, reason = ''] = / (\w+)$/.exec(key) ?? [];
    assert.ok(title.startsWith(`${reason}: `), title);
    const failure = login.failure(reason as LoginFailureReason);
    const atLogin = 'page' in (failure ?? {}) ? 400 : 302;
    const expected = key.startsWith('At the login')
      ? atLogin
      : renderFailure(reason as FailureReason).status;
    assert.equal(Number.parseInt(status, 10), expected, key);
  }
}

/** Posts the fields of an error's button; title and status of the exchange that the page then shows. */
async function sendFault(url: string, fields: string): Promise<readonly string[]> {
  const { origin } = new URL(url);
  const body = new URLSearchParams(fields);
  const answer = await fetch(url, { method: 'POST', headers: { origin }, body });
  const shown = /<h2>\s*([^<]*?)\s*<span class="status bad">(\d+)/;
  return shown.exec(await answer.text())?.slice(1) ?? [];
}

/** Starts `jetway dev`; the address to begin at. It ends with the test. */
async function startDev(t: TestContext): Promise<string> {
  const files = (Object.keys(clubs) as Club[]).map((club) => [
    `programmes/${club}.yaml`,
    programmeOf(club),
  ]);
  const folder = workFolder(t, {
    'config.yaml': configText,
    ...(Object.fromEntries(files) as Record<string, string>),
    ...shippedLogos(),
  });
  rmSync(`${folder}/programmes/club.yaml`);
  const args = [program, 'dev', '--config', `${folder}/config.yaml`, '--listen', '127.0.0.1:0'];
  const child = spawn(process.execPath, args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(async () => {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  });
  return addressPrinted(child);
}

async function addressPrinted({ stdout }: ChildProcess): Promise<string> {
  assert.ok(stdout);
  for await (const line of createInterface({ input: stdout })) {
    const [, address] = /^Ready\. .*in a browser: (http:\S+)$/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('jetway dev ended before it was ready');
}
