// Owns random sequences of the store's verbs: the commands, and the calls they stand for.

import * as fc from 'fast-check';

import { instant, type Instant, milliseconds } from '../../src/lib/clock.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import type { Era, LoginState, Place } from '../../src/oauth/grant.ts';
import {
  type Grants,
  type NewLogin,
  PlaceTaken,
  type StandingQuestion,
  type TextVerbs,
} from '../../src/store/grants.ts';
import { answerIn } from '../../src/store/judgement.ts';
import type { Keeping } from '../../src/store/keeping.ts';
import {
  aCode,
  aLogin,
  anAnswer,
  at,
  aTokenOfItsOwn,
  key,
  otherPartner,
  partner,
  placeAt,
} from './fixtures.ts';

/** A store, or the model of it. */
export type Target = Omit<Grants, keyof TextVerbs> & Pick<Keeping, 'acceptTime' | 'sweep'>;

/** `which` picks among what the sequence has made so far, by its place; `low` ends a login's place. */
type Command =
  | {
      readonly verb: 'issue';
      readonly login: number;
      readonly life: number;
      readonly isLate: boolean;
    }
  | {
      readonly verb: 'spend';
      readonly which: number;
      readonly own: boolean;
      readonly low: number;
      readonly isLate: boolean;
    }
  | { readonly verb: 'start'; readonly low: number; readonly isLate: boolean }
  | {
      readonly verb: 'advance';
      readonly which: number;
      readonly isStale: boolean;
      readonly ownScope: string | undefined;
      /** The same answer with later times. */
      readonly isSame: boolean;
    }
  | { readonly verb: 'revoke'; readonly which: number }
  | { readonly verb: 'revokeAll'; readonly whose: 'client' | 'subject' }
  | { readonly verb: 'revokeToken'; readonly which: number; readonly life: number };

/** Verbs of one turn of the event loop, or one that stands alone; and the milliseconds before it. */
export interface Turn {
  readonly pause: number;
  readonly file: 0 | 1;
  readonly commands: readonly Command[] | 'sweep' | 'accept';
}

const which = fc.nat({ max: 3 });
const low = fc.nat({ max: 2 });
const life = fc.integer({ min: 1, max: 200 });
const seldom = fc.integer({ min: 0, max: 9 }).map((n) => n === 0);
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      verb: fc.constant('issue'),
      login: fc.nat({ max: 9 }),
      life,
      isLate: seldom,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      verb: fc.constant('spend'),
      which,
      own: seldom.map((is) => !is),
      low,
      isLate: seldom,
    }),
  },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('start'), low, isLate: seldom }) },
  {
    weight: 14,
    arbitrary: fc.record({
      verb: fc.constant('advance'),
      which,
      isStale: seldom,
      ownScope: fc.constantFrom(undefined, '', 'narrow'),
      isSame: seldom,
    }),
  },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('revoke'), which }) },
  {
    weight: 1,
    arbitrary: fc.record({
      verb: fc.constant('revokeAll'),
      whose: fc.constantFrom('client', 'subject'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('revokeToken'), which, life }) },
);

/** Any turn. A minute passes now and then: so long a login is kept after its last token. */
export const turn: fc.Arbitrary<Turn> = fc.record({
  pause: fc.oneof(
    { weight: 12, arbitrary: fc.nat({ max: 8 }) },
    { weight: 1, arbitrary: fc.constant(60_000) },
  ),
  file: fc.constantFrom(0, 1),
  commands: fc.oneof(
    { weight: 10, arbitrary: fc.array(command, { minLength: 1, maxLength: 6 }) },
    { weight: 2, arbitrary: fc.constant('sweep') },
    { weight: 1, arbitrary: fc.constant('accept') },
  ),
});

/** Milliseconds between two sequences: their programmes share stores, and so the times that are swept. */
const apart = 10_000_000;
const never = instant(at(0) + 1000 * apart);
/** Milliseconds in which a login has its code, and after which its tokens may end. */
const codeSpan = 300;

/** A call that a target answers with a value, or with a place that is taken. */
type Call = (target: Target) => Promise<unknown>;

/** One sequence in a programme and a time of its own. */
export class Sequence {
  readonly programme: ProgrammeId;
  readonly codes: string[] = [];
  readonly places = new Set<Place>();
  now: Instant;
  #count = 0;
  /** Names of codes that are good, and logins as they are and as they were a turn before. */
  #goodCodes: readonly string[] = [];
  #logins: readonly LoginState[] = [];
  #former: readonly LoginState[] = [];
  /** The name of each login's transaction, and when its code is over. */
  readonly #transactions = new Map<number, { readonly name: string; readonly until: Instant }>();
  readonly #eras = new Map<Target, Era[]>();
  readonly #issued: Instant[] = [];
  readonly #ends = new Map<string, Instant>();

  constructor(run: number) {
    this.programme = `programme ${run}` as ProgrammeId;
    this.now = instant(at(0) + run * apart);
  }

  /** The call a command stands for, to be put to model and stores alike. */
  callOf(given: Command): Call {
    const { programme, now } = this;
    switch (given.verb) {
      case 'issue':
        return this.#issue(given);
      case 'spend':
        return this.#spend(given);
      case 'start': {
        const login = this.#login(given.low);
        return (target) => target.startLogin(this.#begunBefore(given, target, login));
      }
      case 'advance':
        return this.#advance(given);
      case 'revoke': {
        const place = pick(this.#logins, given.which)?.place ?? placeAt(0);
        return (target) => target.revoke(programme, { place }, now);
      }
      case 'revokeAll': {
        const whose = given.whose === 'client' ? { client: partner } : { subject: 'subject-1' };
        return (target) => target.revoke(programme, whose);
      }
      default: {
        const tokenId = `token ${given.which}`;
        const expiresAt = instant(now + given.life);
        this.#ends.set(tokenId, instant(Math.max(expiresAt, this.#ends.get(tokenId) ?? 0)));
        const token = { tokenId, expiresAt, loginEndsAt: never };
        return (target) => target.revoke(programme, token, now);
      }
    }
  }

  /**
   * Takes note of what later commands pick from, and issues the client a token of its own by each target:
   * by the first of those that share their records.
   */
  async settle(model: Target, targets: readonly (readonly Target[])[]): Promise<void> {
    const found = await Promise.all(
      [...this.places].map(async (place) => model.findLogin(this.programme, place)),
    );
    this.#former = this.#logins;
    this.#logins = found.filter((state) => state !== undefined);
    const codes = this.codes.map(async (name) => {
      const code = await model.findCode(this.programme, key(name), this.now);
      return code === undefined ? [] : [name];
    });
    this.#goodCodes = (await Promise.all(codes)).flat();
    for (const sharing of targets) {
      const era = await sharing[0]!.era();
      for (const target of sharing) {
        this.#eras.set(target, [...(this.#eras.get(target) ?? []), era]);
      }
    }
    this.#issued.push(this.now);
  }

  /** Tokens that a target may be asked about: its client's own, and named ones. */
  tokensOf(target: Target): StandingQuestion[] {
    const own = (this.#eras.get(target) ?? []).map((era, n) => ({
      ...aTokenOfItsOwn(era, { issuedAt: this.#issued[n]! }),
      expiresAt: never,
    }));
    const named = [0, 1, 2, 3].map((n) => ({
      tokenId: `token ${n}`,
      expiresAt: this.#ends.get(`token ${n}`) ?? never,
    }));
    return [...own, ...named];
  }

  #issue({ login, life: span, isLate }: Extract<Command, { readonly verb: 'issue' }>): Call {
    const { programme, now } = this;
    let transaction = this.#transactions.get(login);
    if (transaction === undefined || now >= transaction.until) {
      transaction = { name: this.#name('login'), until: instant(now + codeSpan) };
      this.#transactions.set(login, transaction);
    }
    const name = this.#name('code');
    this.codes.push(name);
    const code = aCode({
      programme,
      key: key(name),
      transaction: transaction.name,
      issuedAt: now,
      expiresAt: instant(Math.min(now + span, transaction.until)),
      forgetAt: transaction.until,
    });
    return (target) => target.issueCode(this.#begunBefore({ isLate }, target, code));
  }

  #spend(given: Extract<Command, { readonly verb: 'spend' }>): Call {
    const { programme, now } = this;
    const code = key(pick(this.#goodCodes, given.which) ?? 'none');
    const login = this.#login(given.low);
    const client = given.own ? partner : otherPartner;
    return (target) =>
      target.spendCode(programme, client, code, this.#begunBefore(given, target, login), now);
  }

  #advance({
    which: chosen,
    isStale,
    ownScope,
    isSame,
  }: Extract<Command, { readonly verb: 'advance' }>): Call {
    const { programme, now } = this;
    const from = pick(isStale ? this.#former : this.#logins, chosen) ?? aLogin();
    const times = {
      answeredAt: now,
      forgetAt: instant(Math.max(from.forgetAt, now + codeSpan)),
    };
    const next = isSame
      ? { ...answerIn(from), ...times }
      : anAnswer(from, this.#name('answer'), times);
    const { ownScope: _none, ...answer } = next;
    const to = ownScope === undefined ? answer : { ...answer, ownScope };
    return (target) => target.advanceLogin(programme, from.place, from, to);
  }

  /** A login that begins now, in one of the first places of this millisecond. */
  #login(end: number): NewLogin {
    const place = placeAt((this.now - at(0)) / 1000, end);
    this.places.add(place);
    return aLogin({
      programme: this.programme,
      place,
      nonce: anAnswer(aLogin(), this.#name('first')).nonce,
      answeredAt: this.now,
      retrySpan: milliseconds(20),
      forgetAt: instant(this.now + codeSpan),
      endsAt: instant(this.now + apart),
    });
  }

  /** The same, late: begun in the era of the last turn, as the target counts eras. */
  #begunBefore<Begun extends object>(
    { isLate }: { readonly isLate: boolean },
    target: Target,
    begun: Begun,
  ): Begun {
    const era = this.#eras.get(target)?.at(-1);
    return isLate && era !== undefined ? { ...begun, era } : begun;
  }

  #name(kind: string): string {
    this.#count += 1;
    return `${kind} ${this.programme} ${this.#count}`;
  }
}

/** One of the latest, so that sequences hang together. */
function pick<Made>(made: readonly Made[], chosen: number): Made | undefined {
  return made.at(-1 - chosen) ?? made[0];
}

/** The result of a call, or that its place is taken. */
export async function resultOf(call: Call, target: Target): Promise<unknown> {
  try {
    return await call(target);
  } catch (error) {
    if (error instanceof PlaceTaken) return 'taken';
    throw error;
  }
}
