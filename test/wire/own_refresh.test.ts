// A client's own login when the prefix of clients' subjects changes (HOSTILE 72). What its refresh token does
// otherwise is in own_refresh.transcript.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { testClock } from '../support/clock.ts';
import {
  askPartnerToken,
  type Club,
  openClub,
  programme,
  refresh,
  type Tokens,
  tokensIn,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { verify } from '../support/gateway.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';

const own = `grants:
  client_credentials: { endpoint: grant, role: partner, refresh_token: on }
  refresh_token: { endpoint: grant, role: partner }
`;

async function ownTokens(club: Club): Promise<Tokens> {
  return tokensIn(await askPartnerToken(club));
}

for (const format of ['opaque', 'jwt'] as const) {
  const over = [own, `tokens: { access: { format: ${format} } }`];

  test(`HOSTILE 72: a client’s login stays the client’s under another prefix, ${format}`, async (t) => {
    const clock = testClock();
    const { store } = failingStore();
    const before = await openClub(t, { over, store, clock });
    const changed = shippedProgramme(
      programme,
      ...over,
      'tokens: { client_subject_prefix: "partner:" }',
    );
    const programmes = { [programme]: changed };
    const after: Club = { ...before, ...(await startJetway(t, { store, clock, programmes })) };
    const tokens = await ownTokens(before);
    const kinds = ['member', 'client'] as const;
    const asked = (token: string): Promise<number[]> =>
      Promise.all(
        kinds.map(async (kind) => (await verify(after, programme, kind, { token })).status),
      );
    // A JWT says the former subject.
    const isSealed = format === 'opaque';
    assert.deepEqual(await asked(tokens.access_token), isSealed ? [403, 200] : [401, 401]);
    const next = tokensIn(await refresh(after, tokens.refresh_token));
    assert.deepEqual(await asked(next.access_token), [403, 200]);
  });
}
