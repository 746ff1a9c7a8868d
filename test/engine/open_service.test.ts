// Tests of what a service takes over from the one that it replaces.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openService } from '../../src/engine/open_service.ts';
import { openPartnerClub } from '../support/partner_club.ts';

test('P-7 C-9: after a reload under load no token has the number of an earlier one', async (t) => {
  const { services, programme, clock } = await openPartnerClub(t);
  const former = services.get(programme);
  assert.ok(former);
  const draw = (ids: typeof former.tokenIds): readonly number[] =>
    Array.from({ length: 100 }, () => ids.draw(clock.now()));
  const drawn = draw(former.tokenIds);
  const next = await openService(former.programme, former, { former });
  assert.equal(new Set([...drawn, ...draw(next.tokenIds)]).size, 200);
});
