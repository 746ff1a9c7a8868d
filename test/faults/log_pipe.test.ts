// FAULTS 27: whoever reads the log may go away; the server goes on.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { askPartnerToken, refused, tokensIn } from '../support/club.ts';
import { lookInto, openSite } from './site.ts';

test('FAULTS 27: writing to a log that nobody reads is not fatal', async (t) => {
  const site = await openSite(t);
  const [heard, unheard] = await Promise.all([site.start(), site.start()]);
  unheard.server.child.stdout?.destroy();
  unheard.server.child.stderr?.destroy();
  // G-22: what cannot write tells its operators so, each time.
  const busy = lookInto(site.path);
  busy.exec('BEGIN IMMEDIATE');
  const away = refused(503, { error: 'temporarily_unavailable' }, { 'retry-after': '5' });
  const asked = [heard, unheard, unheard, unheard].map((club) => askPartnerToken(club));
  for (const answer of await Promise.all(asked)) assert.deepEqual(answer, away);
  busy.exec('ROLLBACK');
  busy.close();

  for (const club of [heard, unheard]) {
    tokensIn(await askPartnerToken(club));
    assert.equal(await club.server.end('SIGTERM'), 0);
  }
  const lines = heard.server.printed().stderr.trimEnd().split('\n');
  const events = lines.map((line) => (JSON.parse(line) as { readonly event: string }).event);
  assert.ok(events.includes('unavailable'), events.join(', '));
});
