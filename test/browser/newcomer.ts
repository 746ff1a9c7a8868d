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
    const { page, complaints, address } = await visit(t, await browser(), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await assertStartPage(page);
    for (const club of Object.keys(clubs) as Club[]) {
      await page.goto(address);
      await toTokens(page, club);
      await assertCopies(page);
      await throughAllSteps(page, club);
    }
    // One of each dialect, in a visit whose tokens are live.
    for (const club of ['executive-club', 'second-club'] as const) {
      await page.goto(address);
      await toTokens(page, club);
      await assertErrors(page, club);
    }
    assert.deepEqual(complaints, []);
  });

  test('Use 8: the pages of the demo fit every screen and can be read by day and by night', async (t) => {
    const { page } = await visit(t, await browser());
    await photograph(page, 'dev-start');
    await clickIn(page, 'second-club', 'Log in as this member');
    await click(page, 'Log in');
    await photograph(page, 'dev-callback');
    await click(page, 'Exchange the code for tokens');
    // The longest: JWTs.
    for (const summary of await page.locator('.token summary').all()) await summary.click();
    await photograph(page, 'dev-tokens');
    await page.locator('.folded summary').click();
    await photograph(page, 'dev-errors');
    await page.goto(`${new URL(page.url()).origin}/demo/executive-club`);
    await click(page, 'Get a token for the partner');
    await click(page, 'Verify');
    await photograph(page, 'dev-partner');
    await page.goto(page.url().replace(/visit=[^#]*/, 'visit=none'));
    await photograph(page, 'dev-forgotten');
  });

  test('Use 8: without JavaScript all goes on as well, and no button is there that does nothing', async (t) => {
    const { page } = await visit(t, await browser(), { javaScriptEnabled: false });
    assert.equal(await page.locator('.copy:visible').count(), 0);
    await toTokens(page, 'second-club');
    assert.match(
      (await page.locator('.clock').first().innerText()).trim(),
      /^until \d\d:\d\d:\d\d UTC$/,
    );
    await click(page, 'Refresh');
    assert.equal(await page.locator('[open] .status').innerText(), '200 OK');
    assert.equal(await page.locator('.copy:visible').count(), 0);
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
  const told = region.replaceAll(/\s*\nCopy(?=\n)/g, '');
  assert.match(
    told,
    /^Second Club\n+Partner-login variant\n+Log in as this member\n+Member\n+Username\n+demo\n+Password\n+\S{16}\n+Partner\n+Client\n+\w{16}\n+Secret\n+\S{43}\n+API key\n+jw_staging_\S{43}\n+Paths\n/,
  );
  for (const path of ['POST /second-club/secure/code', 'GET /second-club/verify/member']) {
    assert.ok(told.replaceAll(/\s+/g, ' ').includes(path), told);
  }
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
  assert.match(await page.getByRole('main').innerText(), /code\n\w+\n(?:Copy\n)?state\ndemo\n/);
  await click(page, 'Exchange the code for tokens');
  assert.equal(await page.title(), `Tokens – ${name}`);
  assert.deepEqual(await lastExchange(page), [
    'The partner exchanges the code for tokens',
    '200 OK',
  ]);
}

/** What the last request was, and the status of its answer. */
async function lastExchange(page: Page): Promise<readonly string[]> {
  const last = page.locator('.exchanges > li').last();
  assert.equal(await last.locator('details[open]').count(), 1);
  return [await last.locator('h2').innerText(), await last.locator('.status').innerText()];
}

/** What stands under a heading of the last exchange. */
function lastLines(page: Page, name: 'Request' | 'Answer'): Promise<string> {
  return page
    .locator('.exchanges > li')
    .last()
    .getByRole('group', { name, exact: true })
    .innerText();
}

async function assertCopies(page: Page): Promise<void> {
  const last = page.locator('.exchanges > li').last();
  await last.getByRole('button', { name: 'Copy Answer' }).click();
  await last.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  assert.equal(copied, await lastLines(page, 'Answer'));
  assert.match(copied, /"access_token": "/);
  assert.match(await lastLines(page, 'Request'), /^curl -i \\\n/);
}

async function throughAllSteps(page: Page, club: Club): Promise<void> {
  const isJwt = club !== 'executive-club';
  const token = page.getByRole('region', { name: 'Access token' });
  assert.match(await token.locator('.clock').innerText(), /^\d\d:\d\d left$/);
  assert.equal(await token.getByText('What is inside').count(), isJwt ? 1 : 0);
  if (isJwt) {
    await token.getByText('What is inside').click();
    const claims = JSON.parse(await token.getByRole('group', { name: 'Claims' }).innerText()) as {
      exp: number;
      iss: string;
    };
    assert.ok(claims.iss.endsWith(`/${club}`));
    await token.getByText(`expires: ${new Date(claims.exp * 1000).toUTCString()}`).waitFor();
  }
  const said = (text: string): Promise<void> =>
    page.locator('.exchanges > li').last().getByText(text).waitFor();

  await click(page, 'Verify');
  assert.deepEqual(await lastExchange(page), [
    'A gateway asks: may a request with this token pass?',
    '200 OK',
  ]);
  assert.match(await lastLines(page, 'Answer'), /^x-auth-kind: member$/m);
  await click(page, 'Refresh');
  assert.deepEqual(await lastExchange(page), ['Refresh', '200 OK']);
  // ES256 signs the same claims differently each time, and each answer has an id of its own.
  const unsigned = async (): Promise<string> =>
    (await lastLines(page, 'Answer')).replaceAll(/\.[\w-]{86}"|^x-request-id: .*$/gm, '');
  const refreshed = await unsigned();
  await click(page, 'The same refresh again');
  await said('The same tokens');
  assert.equal(await unsigned(), refreshed);
  // A reload does nothing twice.
  const before = await page.locator('.exchanges > li').count();
  await page.reload();
  assert.equal(await page.locator('.exchanges > li').count(), before);
  await click(page, 'The old refresh token');
  assert.deepEqual(await lastExchange(page), [
    'Then the old refresh token comes once more',
    '400 Bad Request',
  ]);
  await said('all of its tokens have ended');
  assert.deepEqual(await page.locator('.token .clock').allInnerTexts(), ['ended', 'ended']);
  assert.equal(await page.getByRole('button', { name: 'Refresh', exact: true }).count(), 0);
  await click(page, 'Verify');
  await said('It may not');
  assert.match(await lastLines(page, 'Answer'), /error="invalid_token"/);
}

/**
 * Each error by its button, answered with the status that the dialect gives its reason. The first is a
 * click; what the other buttons would send is sent without the browser.
 */
async function assertErrors(page: Page, club: Club): Promise<void> {
  const { loaded } = loadProgramme(`${club}.yaml`, programmeOf(club));
  assert.ok(loaded);
  const { renderFailure, login } = compileProgramme(loaded.id, loaded.definition, 'http://here');
  const errors = page.getByRole('region', { name: 'Errors in this dialect' });
  await errors.locator('summary').click();
  const keys = await page.evaluate<string[]>(
    `[...document.querySelectorAll('[name=fault]')].map(({ value }) => value)`,
  );
  assert.ok(keys.length > 20, keys.join());
  for (const [index, key] of keys.entries()) {
    const clickFirst = () => goOn(page, () => errors.locator(`button[value="${key}"]`).click());
    const [title = '', status = ''] =
      index === 0
        ? await clickFirst().then(() => lastExchange(page))
        : await sendFault(page.url(), key);
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

/** Posts a fault to the page of a visit; title and status of the last exchange that it then shows. */
async function sendFault(url: string, key: string): Promise<readonly string[]> {
  const { origin } = new URL(url);
  const body = new URLSearchParams({ fault: key });
  const answer = await fetch(url, { method: 'POST', headers: { origin }, body });
  const shown = /<h2>([^<]*)<\/h2>\s*<span class="status bad">(\d+)/g;
  return [...(await answer.text()).matchAll(shown)].at(-1)?.slice(1) ?? [];
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
