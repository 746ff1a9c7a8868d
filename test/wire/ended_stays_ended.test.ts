// HOSTILE 74 where a transcript (ended_stays_ended.transcript) says too little: of many tokens one is live, and what a
// store is told when a file is read.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { after, milliseconds } from '../../src/lib/clock.ts';
import { Unavailable } from '../../src/oauth/failure.ts';
import {
  codeFor,
  isLive,
  programme,
  redeem,
  refresh,
  tokensIn,
  type Tokens,
  tokensOfLogin,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import { openNodes } from '../support/nodes.ts';

test('HOSTILE 74: of simultaneous refreshes and logins at several nodes one token is live', async (t) => {
  const { club, another } = await openNodes(t, 'tokens: { access: { live: one } }');
  const nodes = [club, await another(), await another()];
  // One after another: parallel passwords of one member count as guesses.
  const logins: Tokens[] = [];
  for (let n = 0; n < 6; n += 1) logins.push(await tokensOfLogin(nodes[n % 3] ?? club));
  const codes = [await codeFor(club), await codeFor(club), await codeFor(club)];
  club.clock.advance(1);
  const told = await Promise.all([
    ...logins.map(async (one, n) => refresh(nodes[n % 3] ?? club, one.refresh_token)),
    ...codes.map(async (code, n) => redeem(nodes[n] ?? club, code)),
  ]);
  const tokens = [...logins, ...told.map(tokensIn)].map((one) => one.access_token);
  for (const node of nodes) {
    const live = await Promise.all(tokens.map((token) => isLive(node, token)));
    assert.equal(live.filter(Boolean).length, 1);
    assert.ok(live.indexOf(true) >= logins.length);
  }
});

test('FAULTS 4, 11: that it had live: one is written once, and no clock ahead forgets it', async (t) => {
  const failing = failingStore();
  // The store outlives the servers.
  const store = Object.assign(failing.store, { close: async () => Promise.resolve() });
  const over = (access: string): string =>
    shippedProgramme(programme, `tokens: { access: { ${access} } }`);
  const { clock } = await startJetway(t, { programmes: { [programme]: over('live: one') }, store });
  const tenYears = milliseconds(10 * 366 * 86_400_000);
  await store.sweep(after(clock.now(), tenYears), 100);
  failing.fail('keepText', new Unavailable('full'));
  failing.calls.length = 0;
  await startJetway(t, {
    programmes: { [programme]: over('live: one, lifetime: 5m') },
    store,
    clock,
  });
  const programmes = { [programme]: over('live: any') };
  const { services } = await startJetway(t, { programmes, store, clock });
  assert.ok(!failing.calls.includes('keepText'));
  assert.equal(services.get(programme)?.hasEndedTokens, true);
});
