// Owns random sequences of store verbs: the commands, and the calls they stand for.

import * as fc from 'fast-check';

import { instant, type Instant } from '../../src/lib/clock.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import type { AccessToken } from '../../src/oauth/grant.ts';
import type { Store } from '../../src/store/contract.ts';
import type { StandingQuestion } from '../../src/store/grants.ts';
import {
  aCode,
  aFamily,
  anAccessToken,
  aRefreshToken,
  aRotation,
  familyId,
  key,
  otherPartner,
  partner,
} from './fixtures.ts';
import { Model } from './model.ts';

/** `which` picks among what the sequence has made so far, by its place. */
export type Command =
  | { readonly verb: 'issue'; readonly login: number; readonly life: number }
  | { readonly verb: 'spend'; readonly which: number; readonly own: boolean; readonly life: number }
  | {
      readonly verb: 'rotate';
      readonly which: number;
      readonly own: boolean;
      readonly grace: number;
    }
  | { readonly verb: 'revoke'; readonly which: number }
  | { readonly verb: 'revokeAll'; readonly whose: 'client' | 'subject' }
  | { readonly verb: 'save'; readonly which: number; readonly life: number }
  | { readonly verb: 'sweep' };

/** Verbs of one turn of the event loop, and how many milliseconds pass before them. */
export interface Turn {
  readonly pause: number;
  readonly file: 0 | 1;
  readonly commands: readonly Command[];
}

const which = fc.nat({ max: 3 });
const life = fc.integer({ min: 1, max: 200 });
const own = fc.integer({ min: 0, max: 9 }).map((n) => n > 0);
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ verb: fc.constant('issue'), login: fc.nat({ max: 9 }), life }),
  },
  { weight: 8, arbitrary: fc.record({ verb: fc.constant('spend'), which, own, life }) },
  {
    weight: 16,
    arbitrary: fc.record({ verb: fc.constant('rotate'), which, own, grace: fc.nat({ max: 9 }) }),
  },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('revoke'), which }) },
  {
    weight: 1,
    arbitrary: fc.record({
      verb: fc.constant('revokeAll'),
      whose: fc.constantFrom('client', 'subject'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ verb: fc.constant('save'), which, life }) },
  { weight: 4, arbitrary: fc.record({ verb: fc.constant('sweep') }) },
);
/** Any turn. */
export const turn: fc.Arbitrary<Turn> = fc.record({
  pause: fc.nat({ max: 8 }),
  file: fc.constantFrom(0, 1),
  commands: fc.array(command, { minLength: 1, maxLength: 6 }),
});

/** Later than any sequence gets: rows that decide on later verbs are not forgotten within one. */
const horizon = 10_000;

export type Call = (target: Store | Model) => unknown;

/** One sequence in a programme of its own, with the names of all it has made. */
export class Sequence {
  readonly programme: ProgrammeId;
  readonly made = { codes: [] as string[], refresh: [] as string[], access: [] as string[] };
  /** What later verbs pick from: all that may still come to something. */
  readonly live = { codes: [] as string[], refresh: [] as string[], families: [] as string[] };
  now: Instant = instant(0);
  #count = 0;

  constructor(programme: string) {
    this.programme = programme as ProgrammeId;
  }

  /** The call a command stands for, to be put to model and stores alike. */
  callOf(given: Command): Call {
    const { programme, now } = this;
    switch (given.verb) {
      case 'issue':
        return this.#issue(given.login, given.life);
      case 'spend':
        return this.#spend(given.which, given.own, given.life);
      case 'rotate':
        return this.#rotate(given.which, given.own, given.grace);
      case 'save':
        return this.#save(given.which, given.life);
      case 'revoke': {
        const family = familyId(pick(this.live.families, given.which));
        return (target) => target.revokeFamily(programme, family, now);
      }
      case 'revokeAll': {
        const whose = given.whose === 'client' ? { client: partner } : { subject: 'subject-1' };
        return (target) => target.revokeAll(programme, whose);
      }
      default:
        return (target) => (target instanceof Model ? undefined : sweepAll(target, now));
    }
  }

  /** Drops from the picking what was never made or is over, so that sequences get somewhere. */
  forgetDead(model: Model): void {
    const { programme, live, now } = this;
    live.codes = live.codes.filter((name) => model.findCode(programme, key(name), now));
    live.refresh = live.refresh.filter((name) => model.familyOf(programme, key(name), now));
    live.families = live.families.filter((name) => model.exists(programme, familyId(name)));
  }

  /** JWTs that could be out there: of each family that may live, and of none, of several ages. */
  unremembered(): readonly StandingQuestion[] {
    const of = [undefined, ...this.live.families.slice(-4)];
    return of.flatMap((name) =>
      [0, 1, 5, 20].map((age) => ({
        client: partner,
        subject: 'subject-1',
        ...(name === undefined ? {} : { family: familyId(name) }),
        issuedAt: instant(this.now - age),
      })),
    );
  }

  #name(kind: string, ...lists: readonly string[][]): string {
    this.#count += 1;
    const name = `${kind}${this.#count}`;
    for (const list of lists) list.push(name);
    return name;
  }

  #issue(login: number, span: number): Call {
    const { programme, now } = this;
    const code = aCode({
      programme,
      key: key(this.#name('code', this.made.codes, this.live.codes)),
      transaction: `login ${login}`,
      issuedAt: now,
      expiresAt: instant(now + span),
      forgetAt: instant(now + span + 5),
    });
    return (target) => target.issueCode(code);
  }

  #spend(chosen: number, isOwn: boolean, span: number): Call {
    const { programme, now } = this;
    const code = key(pick(this.live.codes, chosen));
    const id = familyId(this.#name('family', this.live.families));
    // A family that ends beyond the horizon keeps its spent code from being forgotten within it.
    const family = aFamily({ id, programme, createdAt: now, endsAt: instant(horizon) });
    const access = this.#access(id, span);
    const refresh = aRefreshToken(this.#name('refresh', this.made.refresh, this.live.refresh), {
      expiresAt: instant(now + span),
    });
    const client = isOwn ? partner : otherPartner;
    return (target) => target.spendCode(programme, client, code, { family, access, refresh }, now);
  }

  #rotate(chosen: number, isOwn: boolean, grace: number): Call {
    const { programme, now } = this;
    const presented = pick(this.live.refresh, chosen);
    const successor = this.#name('refresh', this.made.refresh, this.live.refresh);
    const { access: _access, ...rotation } = aRotation(presented, successor, {
      programme,
      client: isOwn ? partner : otherPartner,
      successor: aRefreshToken(successor, { expiresAt: instant(now + 40) }),
      retryUntil: instant(now + grace),
      now,
    });
    return (target) => target.rotateRefreshToken(rotation);
  }

  #save(chosen: number, span: number): Call {
    const token = this.#access(familyId(pick(this.live.families, chosen)), span);
    return (target) => target.saveAccessToken(token);
  }

  #access(family: ReturnType<typeof familyId>, span: number): AccessToken {
    return anAccessToken(this.#name('access', this.made.access), {
      programme: this.programme,
      family,
      issuedAt: this.now,
      expiresAt: instant(this.now + span),
    });
  }
}

/** One of the latest, so that sequences hang together. */
function pick(names: readonly string[], chosen: number): string {
  return names.at(-1 - chosen) ?? names[0] ?? 'none';
}

async function sweepAll(store: Store, now: Instant): Promise<undefined> {
  for (let idle = 0; idle < 8;) idle = (await store.sweep(now, 50)) === 0 ? idle + 1 : 0;
}
