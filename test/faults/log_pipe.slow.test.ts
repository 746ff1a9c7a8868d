// FAULTS 27: whoever reads the log may go away; the server goes on.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { askPartnerToken, refresh, refused, tokensIn, tokensOfLogin } from '../support/club.ts';
import { lookInto, openSite } from './site.ts';

test('FAULTS 27: writing to a log that nobody reads is not fatal', async (t) => {
  const site = await openSite(t);
  const [heard, unheard] = await Promise.all([site.start(), site.start()]);
  unheard.server.child.stdout?.destroy();
  unheard.server.child.stderr?.destroy();
  const { refresh_token: token } = await tokensOfLogin(heard);
  // G-22: what cannot write tells its operators so, each time.
  const busy = lookInto(site.path);
  busy.exec('BEGIN IMMEDIATE');
  const away = refused(503, { error: 'temporarily_unavailable' }, { 'retry-after': '5' });
  const asked = [heard, unheard, unheard, unheard].map((club) => refresh(club, token));
  for (const answer of await Promise.all(asked)) assert.deepEqual(answer, away);
  // A partner's own token is written nowhere.
  for (const club of [heard, unheard]) tokensIn(await askPartnerToken(club));
  busy.exec('ROLLBACK');
  busy.close();

  for (const club of [heard, unheard]) {
    await tokensOfLogin(club);
    assert.equal(await club.server.end('SIGTERM'), 0);
  }
  const lines = heard.server.printed().stderr.trimEnd().split('\n');
  const events = lines.map((line) => (JSON.parse(line) as { readonly event: string }).event);
  assert.ok(events.includes('unavailable'), events.join(', '));
});
