// Owns what becomes of a write whose answer never came: it was done once, or it was not done at all, and
// its caller is told which (FLEET 2.4, FAULTS 15).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { milliseconds } from '../../../src/lib/clock.ts';
import { digest } from '../../../src/lib/digest.ts';
import { Unavailable } from '../../../src/oauth/failure.ts';
import type { Store } from '../../../src/store/contract.ts';
import { firstEra } from '../../../src/store/judgement.ts';
import type { KeptText } from '../../../src/store/kept_texts.ts';
import type { LiveToken } from '../../../src/store/live_tokens.ts';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { aClient, aCode, aLogin, anAnswer, at, club, key, partner, placeAt } from '../fixtures.ts';
import { findCode, findLogin, isRevoked } from '../login.ts';
import { afterAccepted, beforeAccepted, setBack } from './accepted_time.ts';
import { type LossyProxy, lossyProxy } from './lossy_proxy.ts';
import { openScratchPostgres } from './scratch.ts';

interface Scene {
  /** Its way to the database loses what `proxy` is told to. */
  readonly store: Store;
  /** Another node, with a way of its own. */
  readonly other: Store;
  readonly proxy: LossyProxy;
}

async function withLossyWay(body: (scene: Scene) => Promise<void>): Promise<void> {
  const scratch = await openScratchPostgres();
  const [host] = scratch.location.hosts;
  assert.ok(host);
  const proxy = await lossyProxy(host.port);
  const hosts = [{ ...host, port: proxy.port }];
  const location = { ...scratch.location, hosts, connections: 2 };
  const store = await openPostgresStore({ location, environment: 'staging' });
  try {
    await body({ store, other: scratch.store, proxy });
  } finally {
    await store.close();
    proxy.close();
    await scratch.close();
  }
}

const spend = (store: Store, login = aLogin()) =>
  store.spendCode(club, partner, key('code'), login, at(0));

interface Case {
  readonly statement: string;
  readonly before?: (store: Store) => Promise<unknown>;
  readonly verb: (store: Store) => Promise<unknown>;
  readonly answer: unknown;
  /** What another node finds afterwards. */
  readonly found: (other: Store) => Promise<void>;
}

const anAssertion: KeptText = {
  programme: club,
  use: 'assertion',
  key: digest('assertion'),
  text: '',
  until: at(300),
};

const aToken = (tokenId: string): LiveToken => ({
  programme: club,
  use: 'live_token',
  key: digest('owner'),
  tokenId,
  issuedAt: at(0),
  expiresAt: at(60),
  isRetry: false,
  longestToken: milliseconds(60_000),
});

const next = anAnswer(aLogin(), 'next');

const cases: Readonly<Record<string, Case>> = {
  'a code is issued': {
    statement: 'issue_code',
    verb: (store) => store.issueCode(aCode()),
    answer: 'issued',
    found: async (other) => assert.deepEqual(await findCode(other, 'code', 0), { code: aCode() }),
  },
  'a code is spent': {
    statement: 'spend_code_elsewheres',
    before: (store) => store.issueCode(aCode()),
    verb: (store) => spend(store),
    answer: { outcome: 'spent' },
    found: async (other) => {
      assert.equal(await isRevoked(other), false);
      assert.deepEqual(await spend(other), { outcome: 'replayed', place: aLogin().place });
    },
  },
  'a code is spent at its place': {
    statement: 'spend_codes',
    before: (store) => store.issueCode(aCode()),
    verb: async (store) => {
      const found = await store.findCode(club, key('code'), at(0));
      assert.ok(found?.spentFor === undefined && found?.place);
      const { place } = found;
      return store.spendCode(club, partner, key('code'), aLogin({ place }), at(0));
    },
    answer: { outcome: 'spent' },
    found: async (other) => assert.equal((await spend(other)).outcome, 'replayed'),
  },
  'a login is started': {
    statement: 'start_login',
    verb: (store) => store.startLogin(aLogin()),
    answer: undefined,
    found: async (other) => assert.equal(await isRevoked(other), false),
  },
  'a login is advanced': {
    statement: 'advance_login',
    before: (store) => store.startLogin(aLogin()),
    verb: (store) => store.advanceLogin(club, aLogin().place, aLogin(), next),
    answer: true,
    found: async (other) => assert.equal((await findLogin(other))?.nonce, next.nonce),
  },
  'a login is revoked': {
    statement: 'revoke_login',
    before: (store) => store.startLogin(aLogin()),
    verb: (store) => store.revoke(club, { place: aLogin().place }, at(1)),
    answer: undefined,
    found: async (other) => assert.equal(await isRevoked(other), true),
  },
  'all of a client is revoked': {
    statement: 'write_registered',
    before: (store) => store.startLogin(aLogin()),
    verb: (store) => store.revoke(club, { client: partner }),
    answer: undefined,
    found: async (other) => assert.equal(await isRevoked(other), true),
  },
  'a token is revoked': {
    statement: 'revoke_token',
    verb: (store) => store.revoke(club, { tokenId: 'jti', expiresAt: at(60) }, at(0)),
    answer: undefined,
    found: async (other) => {
      const question = { tokenId: 'jti', expiresAt: at(60) };
      assert.equal(await other.isStanding(club, question), false);
    },
  },
  'a token becomes the live one': {
    statement: 'replace_live_endings',
    before: (store) => store.keepText(aToken('before'), at(0)),
    verb: (store) => store.keepText(aToken('jti'), at(0)),
    answer: true,
    found: async (other) => {
      const standing = ['before', 'jti'].map(async (tokenId) =>
        other.isStanding(club, { tokenId, expiresAt: at(60) }),
      );
      assert.deepEqual(await Promise.all(standing), [false, true]);
      const { use, key: owner } = aToken('jti');
      assert.equal((await other.findKept(club, use, owner, at(0)))?.text, 'jti');
    },
  },
  'a first token becomes the live one': {
    statement: 'add_live',
    verb: (store) => store.keepText(aToken('jti'), at(0)),
    answer: true,
    found: async (other) => {
      const { use, key: owner } = aToken('jti');
      assert.equal((await other.findKept(club, use, owner, at(0)))?.text, 'jti');
    },
  },
  'an assertion is used': {
    statement: 'keep_once',
    verb: (store) => store.keepText(anAssertion, at(0)),
    answer: true,
    found: async (other) => assert.equal(await other.keepText(anAssertion, at(0)), false),
  },
  'a time is accepted': {
    statement: 'accept_time',
    before: async (store) => {
      await beforeAccepted(store);
    },
    verb: (store) => store.acceptTime(at(60)),
    answer: undefined,
    found: async (other) => {
      assert.equal(await other.era(), firstEra + 1);
      assert.deepEqual(await afterAccepted(other), setBack);
    },
  },
  'a client is added': {
    statement: 'write_registered',
    verb: (store) => store.add('client', [aClient()]),
    answer: [],
    found: async (other) => assert.deepEqual(await other.find('client', club, partner), aClient()),
  },
};

describe('FLEET 2.4: a write whose answer is lost was done once', () => {
  for (const [name, { statement, before, verb, answer, found }] of Object.entries(cases)) {
    test(`${name}, and its answer is lost`, () =>
      withLossyWay(async ({ store, other, proxy }) => {
        await before?.(store);
        proxy.loseAnswerOf(statement);
        assert.deepEqual(await verb(store), answer);
        assert.equal(proxy.lost(), 1);
        await found(other);
      }));

    test(`${name}, and the statement is lost on its way`, () =>
      withLossyWay(async ({ store, other, proxy }) => {
        await before?.(store);
        proxy.lose(statement);
        if (name === 'a client is added') {
          // Whether to try again is for the operator to say.
          await assert.rejects(() => verb(store), Unavailable);
          return;
        }
        assert.deepEqual(await verb(store), answer);
        assert.equal(proxy.lost(), 1);
        await found(other);
      }));
  }
});

const beside = aLogin({ place: placeAt(7) });

/** Beside each verb another of its kind, so that both are in one statement. */
const besides: Readonly<
  Record<string, readonly [statement: string, (store: Store) => Promise<unknown>]>
> = {
  'a code is issued': [
    'issue_codes',
    (store) => store.issueCode(aCode({ key: key('beside'), transaction: 'beside' })),
  ],
  'a login is started': ['start_logins', (store) => store.startLogin(beside)],
  'a login is advanced': [
    'advance_logins',
    (store) => store.advanceLogin(club, beside.place, beside, anAnswer(beside, 'beside')),
  ],
  'a login is revoked': [
    'revoke_logins',
    (store) => store.revoke(club, { place: beside.place }, at(1)),
  ],
};
describe('FLEET 2.4: a write of several at once whose answer is lost was done once', () => {
  for (const [name, [statement, other]] of Object.entries(besides)) {
    const { before, verb, answer, found } = cases[name]!;
    for (const way of ['loseAnswerOf', 'lose'] as const) {
      test(`${name} (${way})`, () =>
        withLossyWay(async (scene) => {
          const { store, proxy } = scene;
          await before?.(store);
          if (before !== undefined) await store.startLogin(beside);
          // Each is remembered with its row: what is changed is not read before.
          await Promise.all([findLogin(store), findLogin(store, beside)]);
          proxy[way](statement);
          const [own] = await Promise.all([verb(store), other(store)]);
          assert.deepEqual(own, answer);
          assert.equal(proxy.lost(), 1);
          await found(scene.other);
        }));
    }
  }
});

describe('FLEET 2.4: what somebody else has done since is not taken for reuse', () => {
  test('a lost answer that another node has told in a retry, and a client has used', () =>
    withLossyWay(async ({ store, other, proxy }) => {
      const { place } = aLogin();
      await store.startLogin(aLogin());
      await store.findLogin(club, place);
      const isLost = Promise.withResolvers<void>();
      proxy.loseAnswerOf('advance_login', () => {
        proxy.freeze();
        isLost.resolve();
      });
      const lost = store.advanceLogin(club, place, aLogin(), next);
      const outcome = assert.rejects(lost, Unavailable);
      await isLost.promise;
      assert.equal(await other.advanceLogin(club, place, next, anAnswer(next, 'third')), true);
      proxy.thaw();
      await outcome;
      assert.equal(await isRevoked(other), false);
    }));

  test('another answer that was faster', () =>
    withLossyWay(async ({ store, other, proxy }) => {
      const { place } = aLogin();
      await store.startLogin(aLogin());
      await store.findLogin(club, place);
      proxy.freeze();
      const late = store.advanceLogin(club, place, aLogin(), next);
      await other.advanceLogin(club, place, aLogin(), anAnswer(aLogin(), 'other'));
      proxy.thaw();
      assert.equal(await late, false);
    }));
});

test('HOSTILE 18: an attempt whose return was lost is given back once, however others go on', () =>
  withLossyWay(async ({ store, other, proxy }) => {
    const policy = { attempts: 5, window: milliseconds(60_000), lock: milliseconds(60_000) };
    const account = digest('account');
    const reserve = (by: Store, seconds = 1) =>
      by.reserveAttempt(club, account, policy, at(seconds));
    const giveBack = () => store.settleAttempt(club, account, 'undecided', at(1));
    const counted = async () => (await other.findAttempts(club, account, at(1))).failures;
    await reserve(store);
    proxy.loseAnswerOf('remove_attempt');
    assert.equal(await giveBack(), true);
    assert.equal(await counted(), 0);
    await reserve(store);
    let others: Promise<unknown> = Promise.resolve();
    proxy.loseAnswerOf('remove_attempt', () => {
      others = reserve(other, 2);
    });
    await assert.rejects(giveBack, /it is not known whether a login attempt was counted/);
    await others;
    assert.equal(await counted(), 1);
    await reserve(store);
    proxy.loseAnswerOf('change_attempt');
    await assert.rejects(giveBack, Unavailable);
    assert.equal(await counted(), 1);
    assert.equal(proxy.lost(), 3);
  }));

test('FAULTS 15: a lost spend whose login was revoked meanwhile is done once, and damages no row', () =>
  withLossyWay(async ({ store, other, proxy }) => {
    await store.issueCode(aCode());
    const isLost = Promise.withResolvers<void>();
    proxy.loseAnswerOf('spend_code_elsewheres', () => {
      proxy.freeze();
      isLost.resolve();
    });
    const spent = spend(store);
    await isLost.promise;
    const replayed = { outcome: 'replayed', place: aLogin().place };
    assert.deepEqual(await spend(other, aLogin({ place: placeAt(3) })), replayed);
    proxy.thaw();
    assert.deepEqual(await spent, { outcome: 'spent' });
    assert.equal(await isRevoked(other), true);
    assert.deepEqual(await spend(other, aLogin({ place: placeAt(3) })), replayed);
  }));

describe('FAULTS 13: a database that does not answer', () => {
  test('is told as an outage by every verb, and waited for no longer than two seconds', () =>
    withLossyWay(async ({ store, proxy }) => {
      await store.startLogin(aLogin());
      proxy.freeze();
      const begun = performance.now();
      const outcomes = await Promise.allSettled([
        store.findLogin(club, aLogin().place),
        store.advanceLogin(club, aLogin().place, aLogin(), next),
        store.find('client', club, partner),
        store.isStanding(club, { tokenId: 'jti', expiresAt: at(60) }),
      ]);
      const span = performance.now() - begun;
      for (const outcome of outcomes) {
        assert.equal(outcome.status, 'rejected');
        assert.ok(outcome.reason instanceof Unavailable, String(outcome.reason));
      }
      // FAULTS 13 is a limit of time, ten times what a busy machine adds.
      assert.ok(span < 20_000, `${span} ms`);
      proxy.thaw();
      // Each of its ways to the database has to find out that it was cut off.
      assert.equal(await answered(() => isRevoked(store)), false);
    }));

  test('does not hold up the end of a server that has a use of a secret to write', () =>
    withLossyWay(async ({ store, proxy }) => {
      store.recordSecretUse(club, partner, digest('secret'), at(0));
      proxy.freeze();
      const begun = performance.now();
      await store.close();
      const span = performance.now() - begun;
      // As above; it was a minute.
      assert.ok(span < 20_000, `${span} ms`);
    }));
});

async function answered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      assert.ok(error instanceof Unavailable);
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    }
  }
}
