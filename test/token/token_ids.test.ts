// Tests of token identifiers (P-7).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { instant } from '../../src/lib/clock.ts';
import { hasRefreshAudience, tokenIds } from '../../src/token/token_ids.ts';

const now = instant(Date.parse('2026-01-02T03:04:05.678Z'));

test('a uuid, never the same', () => {
  const make = tokenIds('uuid');
  const many = Array.from({ length: 1000 }, () => make.own(now));
  assert.equal(new Set(many).size, 1000);
  for (const id of many)
    assert.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

test('P-7: a whole number that JSON readers keep, now and in sixty years', () => {
  for (const date of ['2020-01-01T00:00:01Z', '2026-01-02T03:04:05Z', '2089-01-01T00:00:00Z']) {
    const make = tokenIds('number', () => 1023);
    const text = make.own(instant(Date.parse(date)));
    assert.match(text, /^[1-9]\d*$/);
    assert.ok(Number.isSafeInteger(Number(text)), date);
    assert.equal(JSON.stringify(JSON.parse(text)), text);
  }
});

test('P-7: any number in one millisecond differ, and later ones are greater', () => {
  const make = tokenIds('number');
  const many = Array.from({ length: 5000 }, () => make.own(now));
  assert.equal(new Set(many).size, 5000);
  const later = Number(make.own(instant(now + 1)));
  for (const id of many) assert.ok(Number(id) < later);
});

test('P-7: processes with numbers of their own never make the same, whatever their clocks say', () => {
  const makers = [0, 1, 511, 1023].map((node) => tokenIds('number', () => node));
  const many = [0, 0, 1, 2, 2, 0, 1000].flatMap((later) =>
    makers.flatMap((make) => Array.from({ length: 50 }, () => make.own(instant(now + later)))),
  );
  assert.equal(new Set(many).size, many.length);
  assert.ok(many.every((id) => Number.isSafeInteger(Number(id))));
});

test('an answer that is told again has the identifiers it had, and its tokens differ in them', () => {
  for (const form of ['uuid', 'number'] as const) {
    const make = tokenIds(form, undefined, undefined, 4);
    const answers = ['a', 'b'].map((letter) => ({
      tokenNumber: make.draw(now),
      nonce: letter.repeat(12),
    }));
    const all = () =>
      answers.flatMap((answer) => [make.access(answer), make.refresh(answer), make.beside(answer)]);
    const ids = all();
    assert.deepEqual(all(), ids);
    assert.equal(new Set(ids).size, 6);
    const whole =
      form === 'number'
        ? /^\d{1,16}$/
        : /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
    for (const id of ids) assert.match(id, whole);
  }
});

test('HOSTILE 29: an answer tells the form of its refresh JWT, those of former versions by even times', () => {
  const epoch = Date.parse('2020-01-01T00:00:00Z');
  // As former versions drew them at any time, and beside UUIDs.
  const former = Array.from({ length: 100 }, (_, n) => (now - epoch) * 4 + 2 * n).flatMap((tick) =>
    [0, 1, 1023].map((node) => tick * 1024 + node),
  );
  for (const tokenNumber of [0, ...former])
    assert.equal(hasRefreshAudience({ tokenNumber }), false);
  for (const form of ['uuid', 'number'] as const) {
    for (const node of [0, 1, 1023]) {
      const make = tokenIds(form, () => node);
      const drawn = [0, 0, 0, 1, 1000, 1e12].map((later) => make.draw(instant(now + later)));
      for (const tokenNumber of drawn) assert.equal(hasRefreshAudience({ tokenNumber }), true);
    }
  }
  // The identifiers of one answer never are those of another.
  const make = tokenIds('number');
  const answers = Array.from({ length: 1000 }, () => ({ tokenNumber: make.draw(now), nonce: '' }));
  const ids = answers.flatMap((answer) => [make.access(answer), make.refresh(answer)]);
  assert.equal(new Set([...ids, make.own(now)]).size, 2001);
});

test('P-7 C-9: a service that replaces another draws no number that it drew, however many they were', () => {
  const former = tokenIds('number');
  const drawn = Array.from({ length: 100 }, () => former.draw(now));
  const between = tokenIds('uuid', undefined, former.last);
  const next = tokenIds('number', undefined, between.last);
  // Requests that began before the change still draw of the former one.
  const more = Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? next : former).draw(now));
  assert.equal(new Set([...drawn, ...more]).size, 200);
});

test('P-7 C-9: answers of a time of UUIDs that are told again as numbers have numbers of their own', () => {
  const make = tokenIds('number');
  // As the former versions and this one draw beside UUIDs.
  for (const tokenNumber of [0, tokenIds('uuid').draw(now)]) {
    const nonces = Array.from({ length: 1000 }, (_, n) => String(n).padStart(12, 'n'));
    const ids = nonces.flatMap((nonce) => [
      make.access({ tokenNumber, nonce }),
      make.refresh({ tokenNumber, nonce }),
    ]);
    assert.equal(new Set(ids).size, 2000);
    assert.ok(ids.every((id) => /^[1-9]\d*$/.test(id) && Number.isSafeInteger(Number(id))));
    const [nonce = ''] = nonces;
    assert.equal(make.access({ tokenNumber, nonce }), ids[0]);
  }
});

test('P-7 C-9: tokens beside members’ have numbers of their own, also while a service without them draws', () => {
  const former = tokenIds('number');
  const made = (make: typeof former) => {
    const answer = { tokenNumber: make.draw(now), nonce: '' };
    return [make.access(answer), make.refresh(answer)];
  };
  const before = Array.from({ length: 50 }, () => made(former)).flat();
  const next = tokenIds('number', undefined, former.last, 4);
  const beside = () => {
    const answer = { tokenNumber: next.draw(now), nonce: '' };
    assert.ok(hasRefreshAudience(answer));
    return [next.access(answer), next.refresh(answer), next.beside(answer)];
  };
  const among = Array.from({ length: 300 }, (_, n) =>
    n % 3 === 0 ? made(former) : beside(),
  ).flat();
  const ids = [...before, ...among];
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => /^[1-9]\d*$/.test(id) && Number.isSafeInteger(Number(id))));
});
