// Owns the contract of registered things that holds for every kind (src/store/kinds.ts).

import assert from 'node:assert/strict';

import type { ClientId } from '../../../src/oauth/client.ts';
import type { Subject } from '../../../src/oauth/member.ts';
import type { Store } from '../../../src/store/contract.ts';
import type { NewLogin } from '../../../src/store/grants.ts';
import { type Item, type Kind, kindNames, kinds } from '../../../src/store/kinds.ts';
import { aLogin, at, club, inParallel, otherClub, partner, placeAt } from '../fixtures.ts';
import { Scene } from '../kind_scene.ts';
import { isRevoked } from '../login.ts';
import { isTaken } from '../taken.ts';
import type { StoreTest } from '../with_store.ts';
import { eachStore } from './stores.ts';

for (const kind of kindNames) {
  eachStore(`registered: ${kind}`, (check) => testsOf(check, new Scene(kind)));
}

function testsOf<K extends Kind>(check: StoreTest, scene: Scene<K>): void {
  const { kind } = scene;
  additionTests(check, scene);
  listTests(check, scene);
  changeTests(check, scene);
  removalTests(check, scene);

  check(
    'FAULTS 24: a list that is remembered is another after each change, and only then',
    async (o) => {
      const { store } = o;
      const other = await o.elsewhere();
      const listed = async (one: Store): Promise<unknown> => one.list(kind, club);
      const seen = [await listed(other)];
      for (const act of [
        () => store.add(kind, scene.items('a')),
        () => store.add(kind, [scene.item('a', otherClub)]),
        () => scene.change(store, 'a', (item) => scene.marked(item, 'changed')),
        () =>
          store.changeAll(kind, { programme: club }, (all) =>
            all.map((item) => scene.marked(item, 'changed')),
          ),
        () => scene.remove(store, 'a'),
      ]) {
        await act();
        seen.push(await listed(other));
      }
      assert.equal(new Set(seen).size, 6);
      assert.deepEqual(await store.add(kind, [scene.item('a', otherClub)]), ['a']);
      assert.equal(await scene.change(store, 'none', (item) => item), undefined);
      assert.equal(await scene.remove(store, 'none'), false);
      await store.changeAll(kind, { programme: otherClub }, (all) =>
        all.map((one) => ({ ...one })),
      );
      const isSame = (await listed(other)) === seen.at(-1);
      assert.equal(isSame, kinds[kind].remembersList === true);
    },
  );
}

function additionTests<K extends Kind>(check: StoreTest, scene: Scene<K>): void {
  const { kind } = scene;

  check('DESIGN: an item that was looked for in vain counts at once', async (o) => {
    const other = await o.elsewhere();
    const isFound = async (): Promise<readonly boolean[]> => [
      (await scene.find(o.store, 'a')) !== undefined,
      (await scene.find(other, 'a')) !== undefined,
    ];
    for (let round = 0; round < 2; round += 1) {
      assert.deepEqual(await isFound(), [false, false]);
      const taken = await o.store.add(kind, scene.items('a'));
      if (round > 0 && !kinds[kind].reusesIds) break;
      assert.deepEqual([taken, await isFound()], [[], [true, true]]);
      await scene.remove(o.store, 'a');
    }
  });

  check('C-2: an item comes back as it was added, in its programme alone', async (o) => {
    const items = [scene.item('a'), scene.bare('b')];
    const elsewhere = scene.marked(scene.item('a', otherClub), 'elsewhere');
    assert.deepEqual(await o.store.add(kind, items), []);
    assert.deepEqual(await o.store.add(kind, [elsewhere]), []);
    assert.deepEqual(await o.store.add(kind, []), []);
    for (const opened of [async () => o.store, o.another, o.reopen]) {
      const store = await opened?.();
      if (store === undefined) continue;
      assert.deepEqual(await scene.find(store, 'a'), items[0]);
      assert.deepEqual(await scene.find(store, 'b'), items[1]);
      assert.deepEqual(await scene.find(store, 'a', otherClub), elsewhere);
      assert.equal(await scene.find(store, 'b', otherClub), undefined);
      assert.deepEqual(await store.list(kind, otherClub), [elsewhere]);
    }
  });

  check('C-5: all are added or, when any identifier is taken, none', async (o) => {
    const { store } = o;
    await store.add(kind, scene.items('b'));
    assert.deepEqual(await store.add(kind, scene.items('a', 'b', 'c')), ['b']);
    assert.deepEqual(await store.add(kind, scene.items('d', 'e', 'd', 'd')), ['d']);
    assert.deepEqual(await scene.listed(store), ['b']);
    await scene.change(store, 'b', (item) => scene.marked(item, 'changed'));
    const later = await o.reopened();
    assert.deepEqual(await later.add(kind, scene.items('b')), ['b']);
    assert.equal(await isTaken(later, kind, club, scene.id('b')), true);
    assert.equal(await isTaken(later, kind, club, scene.id('a')), false);
    assert.equal(await isTaken(later, kind, otherClub, scene.id('b')), false);
    assert.deepEqual(await later.add(kind, scene.items('c', 'a')), []);
    assert.deepEqual(await scene.listed(later), ['b', 'c', 'a']);
  });

  check('C-5: of additions at the same time one gets an identifier', async (o) => {
    const stores = [o.store, await o.elsewhere()] as const;
    const results = await inParallel(10, (n) =>
      stores[n % 2 === 0 ? 0 : 1].add(kind, scene.items(`own ${n}`, 'shared')),
    );
    assert.equal(results.filter((taken) => taken.length === 0).length, 1);
    assert.equal((await o.store.list(kind, club)).length, 2);
  });

  check('DESIGN: nobody changes an item that was handed in or out', async ({ store }) => {
    const given = scene.item('a');
    await store.add(kind, [given]);
    spoil(given);
    spoil(await scene.find(store, 'a'));
    for (const item of await store.list(kind, club)) spoil(item);
    assert.deepEqual(await scene.find(store, 'a'), scene.item('a'));
  });
}

/** Changes every part of an item that can be changed. */
function spoil(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  Object.values(part).forEach(spoil);
  // A frozen part is one that nobody can change.
  if (!Object.isFrozen(part)) Object.assign(part, Array.isArray(part) ? ['spoilt'] : { x: 1 });
}

function listTests<K extends Kind>(check: StoreTest, scene: Scene<K>): void {
  const { kind } = scene;

  check('C-5: items are listed in order of creation, also by pages', async (o) => {
    const { store } = o;
    await store.add(kind, scene.items('9', '1'));
    await store.add(kind, [scene.item('x', otherClub)]);
    await store.add(kind, scene.items('5', '3'));
    await scene.change(store, '9', (item) => scene.marked(item, 'changed'));
    assert.deepEqual(await scene.listed(store), ['9', '1', '5', '3']);
    const page = async (limit: number, after?: string): Promise<readonly string[]> => {
      const from = after === undefined ? {} : { after: scene.id(after) };
      return (await store.list(kind, club, { ...from, limit })).map(kinds[kind].idOf);
    };
    assert.deepEqual(await page(3), ['9', '1', '5']);
    assert.deepEqual(await page(3, '5'), ['3']);
    assert.deepEqual(await page(3, '3'), []);
    assert.deepEqual(await page(0), []);
    const rest = await store.list(kind, club, { after: scene.id('1') });
    assert.deepEqual(rest.map(kinds[kind].idOf), ['5', '3']);
    await assert.rejects(page(3, 'x'), RangeError);
  });

  check('DESIGN: a list goes by the order of its kind', async ({ store }) => {
    const older = { ...scene.item('older'), createdAt: at(-1) };
    await store.add(kind, [scene.item('newer'), older]);
    const inOrder = ['newer', 'older'];
    const byAge = kinds[kind].order === 'created';
    assert.deepEqual(await scene.listed(store), byAge ? inOrder.toReversed() : inOrder);
  });
}

function changeTests<K extends Kind>(check: StoreTest, scene: Scene<K>): void {
  const { kind } = scene;

  check('DESIGN: simultaneous changes of an item are all kept', async (o) => {
    const { store } = o;
    const other = await o.elsewhere();
    await store.add(kind, scene.items('a'));
    // What each of them remembers gives way to what another has changed.
    for (const one of [store, other]) assert.deepEqual(await scene.find(one, 'a'), scene.item('a'));
    await inParallel(30, (n) =>
      scene.change(n % 2 === 0 ? store : other, 'a', (item) => scene.marked(item, `<${n}>`)),
    );
    for (const one of [store, other]) {
      const marks = scene.textOf(await scene.find(one, 'a')).match(/<\d+>/g);
      assert.equal(new Set(marks).size, 30);
    }
    const changed = await scene.change(store, 'a', () => scene.item('a'));
    assert.deepEqual(changed, scene.item('a'));
    assert.deepEqual(await scene.find(other, 'a'), scene.item('a'));
  });

  check('DESIGN: a change that fails changes nothing, nor its neighbours', async (o) => {
    const { store } = o;
    await store.add(kind, scene.items('a'));
    const results = await Promise.allSettled([
      store.add(kind, scene.items('b')),
      scene.change(store, 'a', () => {
        throw new RangeError('refused');
      }),
      scene.change(store, 'a', () => scene.item('b')),
      scene.change(store, 'a', (item) => ({ ...item, programme: otherClub })),
      scene.change(store, 'a', (item) => scene.marked(item, 'changed')),
    ]);
    const reasons = results.map((one) => (one.status === 'rejected' ? String(one.reason) : ''));
    assert.equal(reasons[1], 'RangeError: refused');
    for (const n of [2, 3])
      assert.match(reasons[n]!, / may not change its programme or identifier$/);
    assert.deepEqual([reasons[0], reasons[4]], ['', '']);
    assert.deepEqual(await scene.find(store, 'a'), scene.marked(scene.item('a'), 'changed'));
    assert.deepEqual(await scene.find(store, 'b'), scene.item('b'));
    assert.equal(await scene.find(store, 'a', otherClub), undefined);
  });

  check('FAULTS 24: all items of a programme are changed at once, or none', async (o) => {
    const { store } = o;
    const [a, b, c] = scene.items('a', 'b', 'c') as [Item<K>, Item<K>, Item<K>];
    await store.add(kind, [a, b, scene.item('a', otherClub)]);
    const changeAll = (change: (items: readonly Item<K>[]) => readonly Item<K>[]) =>
      store.changeAll(kind, { programme: club }, change);
    for (const wrong of [
      [a, a, b],
      [a, b, scene.item('z', otherClub)],
    ]) {
      await assert.rejects(
        changeAll(() => wrong),
        /a change of several .* must keep each of them/,
      );
    }
    await assert.rejects(
      changeAll(() => {
        throw new RangeError('refused');
      }),
      RangeError,
    );
    const marked = scene.marked(a, 'changed');
    assert.deepEqual(await changeAll((items) => [...items.slice(1), c, marked]), [marked, b, c]);
    assert.ok(await scene.find(store, 'b'));
    // What takes tokens or an identifier along is removed by `remove` alone.
    const { ownerOf, reusesIds } = kinds[kind];
    const withoutB = changeAll((items) => items.filter((item) => kinds[kind].idOf(item) !== 'b'));
    if (ownerOf === undefined && reusesIds) assert.deepEqual(await withoutB, [marked, c]);
    else await assert.rejects(withoutB, /must keep each of them/);
    assert.equal((await scene.find(store, 'b')) !== undefined, ownerOf !== undefined);
    await scene.remove(store, 'b');
    const again = changeAll((items) => [...items, b]);
    if (reusesIds) assert.equal((await again).length, 3);
    else await assert.rejects(again, /gives b an identifier or a key that is taken/);
    const later = await o.reopened();
    assert.equal((await scene.listed(later)).includes('b'), reusesIds);
    assert.deepEqual(await scene.listed(later, otherClub), ['a']);
  });
}

function removalTests<K extends Kind>(check: StoreTest, scene: Scene<K>): void {
  const { kind } = scene;
  const { reusesIds, ownerOf } = kinds[kind];

  check('C-5: a removed item is gone, in every process and for good', async (o) => {
    const operator = await o.elsewhere();
    await o.store.add(kind, scene.items('a', 'b'));
    await o.store.add(kind, [scene.item('a', otherClub)]);
    assert.ok(await scene.find(o.store, 'a'));
    assert.equal(await scene.remove(operator, 'b', otherClub), false);
    assert.equal(await scene.remove(operator, 'a'), true);
    for (const again of [async () => o.store, o.reopen]) {
      const store = await again?.();
      if (store === undefined) continue;
      assert.equal(await scene.find(store, 'a'), undefined);
      assert.deepEqual(await scene.listed(store), ['b']);
      assert.equal(await scene.change(store, 'a', (item) => item), undefined);
      assert.equal(await scene.remove(store, 'a'), false);
      assert.equal(await isTaken(store, kind, club, scene.id('a')), !reusesIds);
      // Another programme's item of that identifier is another item (C-2).
      assert.ok(await scene.find(store, 'a', otherClub));
      if (reusesIds) continue;
      assert.deepEqual(await store.add(kind, scene.items('c', 'a')), ['a']);
    }
  });

  check('C-5: its identifier comes back where its kind says so', async ({ store }) => {
    assert.equal(await scene.remove(store, 'a'), false);
    assert.deepEqual(await store.add(kind, scene.items('a')), []);
    await scene.remove(store, 'a');
    assert.deepEqual(await store.add(kind, scene.items('a')), reusesIds ? [] : ['a']);
  });

  check('C-5: of simultaneous removals one finds the item', async ({ store }) => {
    await store.add(kind, scene.items('a'));
    const results = await inParallel(5, () => scene.remove(store, 'a'));
    assert.deepEqual(results, [true, false, false, false, false]);
  });

  check('FAULTS 28: a removal revokes what its kind says, and no more', async (o) => {
    const { store } = o;
    await store.add(kind, scene.items('a', 'b'));
    const nth = (n: number, id: string): NewLogin => {
      const owner: { client?: ClientId; subject?: string } = ownerOf?.(scene.id(id)) ?? {};
      const { client = partner, subject = 's' } = owner;
      return aLogin({ place: placeAt(0, n), client, member: { subject: subject as Subject } });
    };
    const logins = ['a', 'b'].map((id, n) => nth(n, id));
    for (const login of logins) await store.startLogin(login);
    await scene.remove(store, 'a');
    const revoked = await Promise.all(logins.map((login) => isRevoked(store, login)));
    assert.deepEqual(revoked, [ownerOf !== undefined, false]);
  });
}
