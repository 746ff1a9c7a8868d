// Owns random histories of a clock that goes wrong and is set right: what was revoked stays dead, what is
// issued since is good, on every backend, at two processes and after restarts (FAULTS 29, 30, 33).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { instant, type Instant } from '../../src/lib/clock.ts';
import type { Digest } from '../../src/lib/digest.ts';
import type { Store } from '../../src/store/contract.ts';
import type { NewLogin, StandingQuestion } from '../../src/store/grants.ts';
import { fc } from '../support/property.ts';
import { stores } from './contract/stores.ts';
import { aClient, aLogin, at, club, partner, placeAt, sweepAll } from './fixtures.ts';
import type { OpenStore } from './with_store.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const secret = 'digest-of-secret' as Digest;

type Step =
  | { readonly verb: 'pass'; readonly span: number }
  | { readonly verb: 'ahead'; readonly span: number }
  | { readonly verb: 'login'; readonly life: number }
  | { readonly verb: 'issue'; readonly isOwn: boolean; readonly life: number }
  | { readonly verb: 'revoke'; readonly which: number }
  /** All that is over, or what a few steps come to. */
  | { readonly verb: 'sweep'; readonly isWhole: boolean }
  | { readonly verb: 'use' | 'restart' }
  /** The other process sweeps before it follows. */
  | { readonly verb: 'accept'; readonly isLate: boolean };

const spans = fc.constantFrom(minute, minute, 10 * minute, hour, 2 * day);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('pass'), span: spans }) },
  {
    weight: 3,
    arbitrary: fc.record({
      verb: fc.constant('ahead'),
      span: fc.constantFrom(5 * minute, 2 * hour, 20 * day, 3650 * day),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ verb: fc.constant('login'), life: fc.constantFrom(2 * hour, 30 * day) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      verb: fc.constant('issue'),
      isOwn: fc.boolean(),
      life: fc.constantFrom(30 * minute, 4 * hour),
    }),
  },
  { weight: 5, arbitrary: fc.record({ verb: fc.constant('revoke'), which: fc.nat({ max: 3 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({ verb: fc.constant('sweep'), isWhole: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constant({ verb: 'use' }) },
  { weight: 1, arbitrary: fc.constant({ verb: 'restart' }) },
  { weight: 4, arbitrary: fc.record({ verb: fc.constant('accept'), isLate: fc.boolean() }) },
);

interface Issued {
  readonly question: StandingQuestion;
  readonly issuedAt: Instant;
  readonly login: NewLogin | undefined;
  /** How often a time had been accepted when it was issued. */
  readonly life: number;
  readonly isByRightClock: boolean;
  isRevoked: boolean;
}

/** One history in a store of its own. */
class History {
  readonly #programme = club;
  readonly #scene: OpenStore;
  #stores: readonly [Store, Store];
  readonly #tokens: Issued[] = [];
  readonly #logins: { readonly login: NewLogin; readonly life: number }[] = [];
  #true: number = at(0);
  #ahead = 0;
  #accepted = 0;
  /** The latest time of a sweep since a time was accepted, and ever. */
  #swept = 0;
  #mostSwept = 0;
  #count = 0;
  readonly seen: Record<string, number>;

  constructor(scene: OpenStore, two: readonly [Store, Store], seen: Record<string, number>) {
    this.#scene = scene;
    this.#stores = two;
    this.seen = seen;
  }

  async begin(): Promise<void> {
    await this.#stores[0].time(this.#now);
    await this.#stores[0].add('client', [aClient()]);
  }

  get #now(): Instant {
    return instant(this.#true + this.#ahead);
  }

  async run(given: Step): Promise<void> {
    const [store, other] = this.#stores;
    const now = this.#now;
    switch (given.verb) {
      case 'pass':
        this.#true += given.span;
        return;
      case 'ahead':
        this.#ahead = Math.max(this.#ahead, given.span);
        return;
      case 'login': {
        const place = placeAt((now - at(0)) / 1000, (this.#count += 1) % 4000);
        const endsAt = instant(now + given.life);
        const login = aLogin({
          programme: this.#programme,
          place,
          answeredAt: now,
          endsAt,
          forgetAt: endsAt,
        });
        await store.startLogin(login);
        this.#logins.push({ login, life: this.#accepted });
        return;
      }
      case 'issue':
        return this.#issue(given);
      case 'revoke': {
        const token = this.#tokens.at(-1 - given.which);
        if (token === undefined) return;
        token.isRevoked = true;
        // The clock of this process may take it for ended by now.
        await other.revoke(this.#programme, token.question, now);
        return;
      }
      case 'sweep':
        this.#swept = Math.max(this.#swept, now);
        this.#mostSwept = Math.max(this.#mostSwept, now);
        if (given.isWhole) await sweepAll(store, now);
        else for (let calls = 0; calls < 2; calls += 1) await store.sweep(now, 2);
        return;
      case 'use':
        other.recordSecretUse(this.#programme, partner, secret, now);
        return;
      case 'restart':
        if (this.#scene.reopen === undefined || this.#scene.another === undefined) return;
        await store.time(now);
        this.#stores = [await this.#scene.reopen(), await this.#scene.another()];
        return;
      default:
        await this.#accept(given.isLate);
    }
  }

  async #issue({ isOwn, life }: Extract<Step, { readonly verb: 'issue' }>): Promise<void> {
    const now = this.#now;
    const [store] = this.#stores;
    const tokenId = `token ${(this.#count += 1)}`;
    const facts = {
      issuedAt: now,
      life: this.#accepted,
      isByRightClock: this.#ahead === 0,
      isRevoked: false,
    };
    const expiresAt = instant(now + life);
    if (isOwn) {
      const own = { client: partner, era: await store.era(), issuedAt: now };
      this.#tokens.push({ ...facts, login: undefined, question: { tokenId, expiresAt, own } });
      return;
    }
    for (const { login } of this.#logins.toReversed()) {
      const found = await store.findLogin(this.#programme, login.place);
      if (found === undefined || now >= found.endsAt) continue;
      const { endsAt } = found;
      const question = {
        tokenId,
        expiresAt: instant(Math.min(expiresAt, endsAt)),
        loginEndsAt: endsAt,
      };
      this.#tokens.push({ ...facts, login, question });
      return;
    }
  }

  async #accept(isLate: boolean): Promise<void> {
    const [store, other] = this.#stores;
    const before = this.#now;
    await store.time(before);
    this.#ahead = 0;
    this.#accepted += 1;
    await store.acceptTime(this.#now);
    // The sweep of a process that has not followed yet takes nothing.
    if (isLate && other !== store) await sweepAll(other, before);
    await this.#follow(this.#now);
    this.#swept = 0;
    const { recorded } = await store.time();
    assert.ok(recorded !== undefined && recorded <= this.#now, 'the recorded time is set back');
    await sweepAll(store, 0 as Instant);
    for (const one of this.#stores) {
      for (const [, usedAt] of await one.secretUses(this.#programme, partner)) {
        assert.ok(usedAt <= this.#now, 'a use of a secret in the future');
      }
    }
  }

  async #follow(now: Instant): Promise<void> {
    const [store, other] = this.#stores;
    if (other !== store) await other.acceptTime(now, 'another_process');
  }

  /** Holds each token, as a server would judge it now, against what has become of it. */
  async check(): Promise<void> {
    const now = this.#now;
    for (const token of this.#tokens) {
      const { question, login, issuedAt } = token;
      const isLive = now < question.expiresAt && issuedAt <= now + minute;
      if (!isLive) continue;
      for (const store of this.#stores) {
        const found = login && (await store.findLogin(this.#programme, login.place));
        const stands =
          (login === undefined || found !== undefined) &&
          (await store.isStanding(this.#programme, question));
        const name = `${JSON.stringify(token)} at ${now}`;
        if (token.isRevoked) {
          assert.equal(stands, false, `came back: ${name}`);
          this.#see(this.#accepted > token.life ? 'revoked before' : 'revoked');
        } else if (this.#mustStand(token)) {
          assert.equal(stands, true, `refused: ${name}`);
          this.#see(this.#accepted > token.life ? 'good again' : 'good');
        }
      }
    }
  }

  /**
   * What was issued since the last accepted time stands. So does what the right clock issued, if no
   * revocation was forgotten; its login may have been swept by the clock ahead.
   */
  #mustStand({ life, login, isByRightClock }: Issued): boolean {
    const isOfThisLife = life === this.#accepted;
    const swept = isOfThisLife ? this.#swept : this.#mostSwept;
    const begun = this.#logins.find((one) => one.login === login);
    if (login !== undefined && swept >= login.endsAt + minute) return false;
    if (isOfThisLife && (begun === undefined || begun.life === this.#accepted)) return true;
    const isUntouched = !this.#tokens.some((token) => token.isRevoked);
    return isByRightClock && isUntouched && (login === undefined || this.#accepted < 2);
  }

  #see(what: string): void {
    this.seen[what] = (this.seen[what] ?? 0) + 1;
  }
}

describe('FAULTS 29, 30, 33: nothing of a clock that was ahead outlasts it', () => {
  for (const [name, numRuns] of [
    ['memory', 1000],
    ['file', 60],
    ['postgres', 12],
  ] as const) {
    test(name, async (t) => {
      const seen: Record<string, number> = {};
      const property = fc.asyncProperty(
        fc.array(step, { minLength: 8, maxLength: 30, size: 'max' }),
        async (steps) => {
          const scene = await stores[name]();
          try {
            const other = (await scene.another?.()) ?? scene.store;
            const history = new History(scene, [scene.store, other], seen);
            await history.begin();
            for (const one of steps) {
              await history.run(one);
              await history.check();
            }
            await history.run({ verb: 'accept', isLate: false });
            // Their time comes, again and again.
            for (let hours = 0; hours < 6; hours += 1) {
              await history.run({ verb: 'pass', span: hour });
              await history.check();
            }
          } finally {
            await scene.close();
          }
        },
      );
      await fc.assert(property, { numRuns, endOnFailure: name === 'postgres' });
      t.diagnostic(JSON.stringify(seen));
      for (const what of ['revoked', 'revoked before', 'good', 'good again']) {
        assert.ok((seen[what] ?? 0) > 5, `${what} hardly came up`);
      }
    });
  }
});
