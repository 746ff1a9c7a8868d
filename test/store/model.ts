// Owns a model of the store's grants: a history, read from its beginning for every question.

import { instant, type Instant } from '../../src/lib/clock.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import type {
  Answer,
  AuthorizationCode,
  CodeKey,
  Era,
  LoginState,
  Place,
} from '../../src/oauth/grant.ts';
import { placeAfter } from '../../src/oauth/place.ts';
import {
  type FoundCode,
  type Grants,
  type IssueOutcome,
  type NewLogin,
  PlaceTaken,
  type SpendOutcome,
  type TextVerbs,
  type StandingQuestion,
  type Revoked,
  type TokenOwner,
} from '../../src/store/grants.ts';
import { isSameAnswer } from '../../src/store/judgement.ts';
import type { Keeping } from '../../src/store/keeping.ts';

type Event =
  | { readonly kind: 'issued'; readonly code: AuthorizationCode }
  | { readonly kind: 'begun'; readonly login: NewLogin; readonly code?: AuthorizationCode }
  | { readonly kind: 'advanced'; readonly place: Place; readonly to: Answer }
  | { readonly kind: 'revoked'; readonly place: Place }
  | { readonly kind: 'revokedAll'; readonly whose: TokenOwner }
  | { readonly kind: 'revokedToken'; readonly tokenId: string }
  | { readonly kind: 'accepted'; readonly now: Instant }
  | { readonly kind: 'swept'; readonly now: Instant };

type EventOf<Kind extends Event['kind']> = Extract<Event, { readonly kind: Kind }> & {
  /** Its number in the history. */
  readonly at: number;
};

/** What a code, login or token is revoked by. */
interface Owned {
  readonly client: string;
  readonly subject?: string | undefined;
  readonly era: number;
}

/**
 * What the contract says of one programme, told as a history: nothing is ever updated or removed, and an
 * era is a position in it. It shares no code and no representation with the backends.
 */
export class Model implements Omit<Grants, keyof TextVerbs>, Pick<Keeping, 'acceptTime' | 'sweep'> {
  readonly #history: Event[] = [];

  /** How long the history is. */
  get length(): number {
    return this.#history.length;
  }

  /** Undoes all that came after a length of the history. */
  undo(length: number): void {
    this.#history.splice(length);
  }

  async issueCode(code: AuthorizationCode): Promise<IssueOutcome> {
    const { transaction } = code;
    if (this.#all('begun').some((event) => event.code?.transaction === transaction)) {
      return 'already_spent';
    }
    const last = this.#all('issued').findLast((event) => event.code.transaction === transaction);
    if (last && !this.#isRemoved(last) && last.code.issuedAt > code.issuedAt) return 'superseded';
    this.#history.push({ kind: 'issued', code });
    return 'issued';
  }

  async findCode(_: ProgrammeId, key: CodeKey, now: Instant): Promise<FoundCode | undefined> {
    const spent = this.#all('begun').find((event) => event.code?.key === key);
    if (spent?.code !== undefined) {
      const { place } = spent.login;
      return this.#login(place) && { code: spent.code, spentFor: place };
    }
    const issued = this.#all('issued');
    const last = issued.find((event) => event.code.key === key);
    if (last === undefined) return undefined;
    const { era, ...code } = last.code;
    const isLast = !issued.some(
      (event) => event.at > last.at && event.code.transaction === code.transaction,
    );
    const isDead = this.#diedAtOnce({ ...code, ...code.member, era: era ?? last.at });
    const isVisible = isLast && !isDead && !this.#isRemoved(last) && now < code.forgetAt;
    return isVisible ? { code } : undefined;
  }

  async spendCode(
    ...[programme, client, key, login, now]: Parameters<Grants['spendCode']>
  ): Promise<SpendOutcome> {
    const found = await this.findCode(programme, key, now);
    if (found === undefined || found.code.client !== client) return { outcome: 'unknown' };
    if (found.spentFor !== undefined) {
      await this.revoke(programme, { place: found.spentFor }, now);
      return { outcome: 'replayed', place: found.spentFor };
    }
    if (now >= found.code.expiresAt) return { outcome: 'unknown' };
    this.#begin(login, found.code);
    return { outcome: 'spent' };
  }

  async startLogin(login: NewLogin): Promise<void> {
    this.#begin(login);
  }

  async findLogin(_: ProgrammeId, place: Place): Promise<LoginState | undefined> {
    return this.#login(place);
  }

  async advanceLogin(_: ProgrammeId, place: Place, from: Answer, to: Answer): Promise<boolean> {
    const last = this.#kept(place);
    if (last === undefined || !isSameAnswer(last, from) || last.revoked) return false;
    this.#history.push({ kind: 'advanced', place, to });
    return true;
  }

  async revoke(_: ProgrammeId, ...[what, now]: Revoked): Promise<void> {
    if (now === undefined) this.#history.push({ kind: 'revokedAll', whose: what });
    else if ('place' in what) {
      if (this.#login(what.place)) this.#history.push({ kind: 'revoked', place: what.place });
    } else if (now < what.expiresAt) {
      this.#history.push({ kind: 'revokedToken', tokenId: what.tokenId });
    }
  }

  async era(): Promise<Era> {
    return this.#history.length as Era;
  }

  async isStanding(_: ProgrammeId, { tokenId, own }: StandingQuestion): Promise<boolean> {
    if (this.#all('revokedToken').some((event) => event.tokenId === tokenId)) return false;
    if (own === undefined) return true;
    const { era, issuedAt } = own;
    // The backends keep the last accepted time alone.
    const accepted = this.#all('accepted').at(-1);
    const isUndone = accepted && accepted.at >= era && issuedAt > accepted.now;
    return !isUndone && !this.#diedAtOnce(own);
  }

  async acceptTime(now: Instant): Promise<void> {
    this.#history.push({ kind: 'accepted', now });
  }

  /** All at once; `limit` is for the backends. */
  async sweep(now: Instant): Promise<number> {
    this.#history.push({ kind: 'swept', now });
    return 0;
  }

  #begin(login: NewLogin, code?: AuthorizationCode): void {
    if (this.#login(login.place)) throw new PlaceTaken();
    this.#history.push({ kind: 'begun', login, ...(code && { code }) });
  }

  /** The login that has the place now; `revoked` by itself alone. */
  #kept(place: Place): (LoginState & { readonly era: number }) | undefined {
    let found: (LoginState & { readonly era: number }) | undefined;
    let accepted = -1;
    for (const [at, event] of this.#history.entries()) {
      if (event.kind === 'begun' && event.login.place === place) {
        found = { ...event.login, revoked: false, era: event.login.era ?? at };
      } else if (event.kind === 'accepted') {
        if (found !== undefined && found.era > accepted) found = redated(found, event.now);
        accepted = at;
      } else if (found !== undefined) found = afterEvent(found, event);
    }
    return found;
  }

  #login(place: Place): LoginState | undefined {
    const kept = this.#kept(place);
    if (kept === undefined) return undefined;
    const { era, ...state } = kept;
    const { client, member } = state;
    const isDead = this.#diedAtOnce({ client, subject: member?.subject, era });
    return { ...state, revoked: state.revoked || isDead };
  }

  /** Whether all of its owner's was revoked since its era. */
  #diedAtOnce({ client, subject, era }: Owned): boolean {
    return this.#all('revokedAll').some(
      ({ at, whose }) =>
        at >= era && ('client' in whose ? whose.client === client : whose.subject === subject),
    );
  }

  /** Whether a code that was not spent ended with a time that was accepted, or was swept. */
  #isRemoved({ at, code }: EventOf<'issued'>): boolean {
    const isUndone = this.#all('accepted').some(
      (event) => event.at > at && code.issuedAt > event.now,
    );
    return (
      isUndone || this.#all('swept').some((event) => event.at > at && event.now >= code.forgetAt)
    );
  }

  #all<Kind extends Event['kind']>(kind: Kind): EventOf<Kind>[] {
    return this.#history
      .map((event, at) => ({ ...event, at }))
      .filter((event): event is EventOf<Kind> => event.kind === kind);
  }
}

/** A login that a clock ahead began begins at `now`. */
function redated<Login extends LoginState>(login: Login, now: Instant): Login {
  if (login.place < placeAfter(now)) return login;
  const early = Math.floor(login.place / 4096) + Date.UTC(2020, 0, 1) - now;
  const late = Math.max(0, login.answeredAt - now);
  return {
    ...login,
    endsAt: instant(login.endsAt - early),
    answeredAt: instant(login.answeredAt - late),
    forgetAt: instant(login.forgetAt - late),
  };
}

/** What an event makes of a login. */
function afterEvent<Login extends LoginState>(login: Login, event: Event): Login | undefined {
  switch (event.kind) {
    case 'advanced': {
      if (event.place !== login.place) return login;
      const { ownScope: _last, ...rest } = login;
      return { ...rest, ...event.to } as Login;
    }
    case 'revoked':
      return event.place === login.place ? { ...login, revoked: true } : login;
    case 'swept':
      return event.now < login.forgetAt + 60_000 ? login : undefined;
    default:
      return login;
  }
}
