// Owns the first steps of a newcomer: `jetway dev`, the address it prints, and clicks from there to
// tokens, at each shipped programme.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import { environment } from '../cli/command.ts';
import { complaintsOf, goOn, patience } from '../support/browser.ts';
import { program } from '../support/program.ts';
import { photograph } from './photograph.ts';

const programmes = ['Executive Club', 'Second Club', 'Third Club'];

export function newcomerTests(browser: () => Promise<Browser>): void {
  test('a newcomer clicks from the address that dev prints to the tokens of each programme', async (t) => {
    const context = await (await browser()).newContext();
    // Registered first, runs first: a server waits for the connections that browsers hold.
    t.after(() => context.close());
    const address = await startDev(t);
    context.setDefaultTimeout(patience);
    const complaints = complaintsOf(context);
    const page = await context.newPage();
    for (const [index, name] of programmes.entries()) {
      await page.goto(address);
      assert.deepEqual(await page.getByRole('heading', { level: 2 }).allInnerTexts(), programmes);
      if (index === 0) await photograph(page, 'dev-start');
      const [username = '', password = ''] = await typed(page, name);
      const member = page.getByRole('button', { name: 'Log in as this member' }).nth(index);
      await goOn(page, () => member.click());
      assert.equal(await page.title(), `Log in to ${name}`);
      await page.getByLabel('Username').fill(username);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await goOn(page, () => page.getByRole('button', { name: 'Log in' }).click());
      await page.getByRole('heading', { name: `${name}: back at the partner` }).waitFor();
      assert.match(await page.getByRole('main').innerText(), /code\n\w+\n+state\ndemo\n/);
      if (index === 0) await photograph(page, 'dev-callback');
      const exchange = page.getByRole('button', { name: 'Exchange the code for tokens' });
      await goOn(page, () => exchange.click());
      await page.getByRole('heading', { name: `${name}: tokens` }).waitFor();
      await page.getByText('and was answered, with status 200:').waitFor();
      const answer = JSON.parse(await page.locator('pre').last().innerText()) as object;
      assert.ok('access_token' in answer);
      // The longest: JWTs.
      if (index === 1) await photograph(page, 'dev-tokens');
      await page.reload();
      await page.getByRole('heading', { name: 'Jetway demo' }).waitFor();
    }
    assert.deepEqual(complaints, []);
  });
}

/** What the start page says that a programme's member types. */
function typed(page: Page, name: string): Promise<readonly string[]> {
  return page.locator('h2', { hasText: name }).locator('+ p > code').allInnerTexts();
}

/** Starts `jetway dev`; the address to begin at. It ends with the test. */
async function startDev(t: TestContext): Promise<string> {
  const args = [program, 'dev', '--listen', '127.0.0.1:0'];
  const child = spawn(process.execPath, args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
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
  let address: string | undefined;
  for await (const line of createInterface({ input: stdout })) {
    address ??= /in a browser: (http:\S+)/.exec(line)?.[1];
    if (line.startsWith('Ready.') && address !== undefined) return address;
  }
  throw new Error('jetway dev ended before it was ready');
}
