// Tests of the plan of a reload where programmes share paths (C-2).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ProgrammeId } from '../../../src/oauth/client.ts';
import { compileProgramme } from '../../../src/programme/programme.ts';
import { loadProgramme } from '../../../src/rules/load.ts';
import { type Candidate, type Plan, planServing } from '../../../src/server/programmes/plan.ts';
import type { Store } from '../../../src/store/contract.ts';
import type { Kind } from '../../../src/store/kinds.ts';
import { openMemoryStore } from '../../../src/store/sqlite/store.ts';
import { DamagedItem, type OnDamage, refuseDamage } from '../../../src/store/unusable.ts';
import { publicUrl, shippedProgramme } from '../../support/jetway.ts';

const shared = 'base_path: /clubs\nselector: { input: programme, default: ';

function candidate(id: string, text: string): Candidate {
  const { loaded, faults } = loadProgramme(`${id}.yaml`, text);
  assert.ok(loaded, JSON.stringify(faults));
  return { programme: compileProgramme(loaded.id, loaded.definition, publicUrl) };
}

const second = candidate('second-club', shippedProgramme('second-club', `${shared}true }`));
const third = candidate('third-club', shippedProgramme('third-club', `${shared}false }`));

const fourth = candidate(
  'fourth-club',
  shippedProgramme('third-club', `${shared}false }`, 'programme_identifier: FourthClub'),
);

function byId(
  ...candidates: readonly Candidate[]
): ReadonlyMap<Candidate['programme']['id'], Candidate> {
  return new Map(candidates.map((one) => [one.programme.id, one]));
}

function outcomes({ outcomes: all }: Plan): unknown {
  return all.map(({ programme, outcome, isServed }) => [programme, outcome, isServed]);
}

const store = openMemoryStore();

describe('C-2: the default of a shared path', () => {
  test('is refused elsewhere while another programme needs it', async () => {
    const served = byId(second, third, fourth);
    const moved = candidate('second-club', shippedProgramme('second-club'));
    const plan = await planServing(byId(moved, third, fourth), served, store);
    assert.deepEqual(outcomes(plan), [
      ['fourth-club', 'unchanged', true],
      ['second-club', 'refused', true],
      ['third-club', 'unchanged', true],
    ]);
    assert.deepEqual(plan.mounted, served);
    assert.match(
      plan.outcomes[1]?.message ?? '',
      /^third-club and fourth-club share .*, but none of them has selector\.default: true$/,
    );
  });

  test('is not pruned while another programme needs it, and goes with it', async () => {
    const served = byId(second, third, fourth);
    const plan = await planServing(byId(third, fourth), served, store, { prune: true });
    assert.deepEqual(outcomes(plan), [
      ['fourth-club', 'unchanged', true],
      ['second-club', 'refused', true],
      ['third-club', 'unchanged', true],
    ]);
    const all = await planServing(byId(), served, store, { prune: true });
    assert.deepEqual(outcomes(all), [
      ['fourth-club', 'removed', false],
      ['second-club', 'removed', false],
      ['third-club', 'removed', false],
    ]);
  });

  test('is handed from one programme to the other in one step', async () => {
    const served = byId(second, third);
    const [former, next] = [false, true].map((isDefault, index) => {
      const id = ['second-club', 'third-club'][index] ?? '';
      return candidate(id, shippedProgramme(id, `${shared}${isDefault} }`));
    });
    assert.ok(former && next);
    const plan = await planServing(byId(former, next), served, store);
    assert.deepEqual(outcomes(plan), [
      ['second-club', 'changed', true],
      ['third-club', 'changed', true],
    ]);
  });
});

test('FAULTS 17: a programme whose file is gone stays mounted while another changes, until it is pruned', async () => {
  const served = byId(second, third);
  const changed = candidate('third-club', shippedProgramme('third-club', `${shared}false }`));
  const kept = await planServing(byId(changed), served, store);
  assert.deepEqual(outcomes(kept), [
    ['second-club', 'kept', true],
    ['third-club', 'changed', true],
  ]);
  const pruned = await planServing(byId(changed), served, store, { prune: true });
  assert.deepEqual(outcomes(pruned), [
    ['second-club', 'removed', false],
    ['third-club', 'changed', true],
  ]);
});

test('FAULTS 36: of new programmes at one path, one whose first client is damaged is still the used one', async () => {
  const copies = ['copy-of-club', 'real-club'].map((id) =>
    candidate(id, shippedProgramme('executive-club')),
  );
  const harmed = {
    ...openMemoryStore(),
    list: async (
      kind: Kind,
      programme: ProgrammeId,
      { onDamage = refuseDamage }: { onDamage?: OnDamage } = {},
    ) => {
      if (programme === 'real-club') onDamage(new DamagedItem(kind, programme, 'partnerapi-00001'));
      return [];
    },
  } as Store;
  const plan = await planServing(byId(...copies), byId(), harmed);
  assert.deepEqual(outcomes(plan), [
    ['copy-of-club', 'refused', false],
    ['real-club', 'added', true],
  ]);
});
