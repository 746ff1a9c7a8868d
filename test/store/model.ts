// Owns a model of the store's grants: a history, searched from its beginning for every question.

import type { Instant } from '../../src/lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../src/oauth/client.ts';
import type {
  AccessToken,
  AuthorizationCode,
  FamilyId,
  TokenFamily,
  TokenKey,
} from '../../src/oauth/grant.ts';
import type { Store } from '../../src/store/contract.ts';
import type {
  IssueOutcome,
  Rotation,
  RotateOutcome,
  SpendOutcome,
  StandingQuestion,
  TokenOwner,
} from '../../src/store/grants.ts';

type Purchase = Parameters<Store['spendCode']>[3];

type Event =
  | { readonly kind: 'issued'; readonly code: AuthorizationCode }
  | { readonly kind: 'spent'; readonly code: AuthorizationCode; readonly issue: Purchase }
  | { readonly kind: 'rotated'; readonly rotation: Rotation }
  | { readonly kind: 'revoked'; readonly programme: ProgrammeId; readonly family: FamilyId }
  | { readonly kind: 'revokedAll'; readonly programme: ProgrammeId; readonly whose: TokenOwner }
  | { readonly kind: 'saved'; readonly token: AccessToken };

type EventOf<Kind extends Event['kind']> = Extract<Event, { readonly kind: Kind }>;

/**
 * What the contract says, told as a history: nothing is ever updated or forgotten. It shares no
 * code and no representation with the backends.
 */
export class Model {
  readonly #history: Event[] = [];

  issueCode(code: AuthorizationCode): IssueOutcome {
    const ofLogin = (other: AuthorizationCode): boolean =>
      other.programme === code.programme && other.transaction === code.transaction;
    if (this.#all('spent').some((event) => ofLogin(event.code))) return 'already_spent';
    const last = this.#all('issued').findLast((event) => ofLogin(event.code));
    if (last !== undefined && last.code.issuedAt > code.issuedAt) return 'superseded';
    this.#history.push({ kind: 'issued', code });
    return 'issued';
  }

  /** The code, unless a later one of its login took its place. */
  findCode(programme: ProgrammeId, key: TokenKey, now: Instant): AuthorizationCode | undefined {
    const issued = this.#all('issued').map((event) => event.code);
    const code = issued.find((other) => other.programme === programme && other.key === key);
    if (code === undefined) return undefined;
    const last = issued.findLast(
      (other) => other.programme === programme && other.transaction === code.transaction,
    );
    const endsAt = this.#spend(code)?.issue.family.endsAt ?? code.forgetAt;
    const forgetAt = endsAt > code.forgetAt ? endsAt : code.forgetAt;
    const issue = this.#all('issued').find((event) => event.code === code);
    const isGone = !this.#spend(code) && this.#diedAtOnce(code, code.member.subject, issue);
    return last === code && now < forgetAt && !isGone ? { ...code, forgetAt } : undefined;
  }

  spendCode(...[programme, client, key, issue, now]: Parameters<Store['spendCode']>): SpendOutcome {
    const code = this.findCode(programme, key, now);
    if (code === undefined || code.client !== client) return { outcome: 'unknown' };
    const earlier = this.#spend(code);
    if (earlier) {
      const family = earlier.issue.family.id;
      this.revokeFamily(programme, family);
      return { outcome: 'replayed', family };
    }
    if (now >= code.expiresAt) return { outcome: 'unknown' };
    this.#history.push({ kind: 'spent', code, issue });
    return { outcome: 'spent' };
  }

  /** The family that a refresh token belongs to while it may be used or retried at all. */
  familyOf(programme: ProgrammeId, key: TokenKey, now: Instant): TokenFamily | undefined {
    const spent = this.#all('spent').map((event) => event.issue);
    const bought = spent.find(
      ({ family, refresh }) => family.programme === programme && refresh?.key === key,
    );
    const from = this.#all('rotated').find(
      ({ rotation }) => rotation.programme === programme && rotation.successor.key === key,
    )?.rotation;
    const token = bought?.refresh ?? from?.successor;
    const family = from ? this.familyOf(programme, from.key, from.now) : bought?.family;
    if (token === undefined || family === undefined) return undefined;
    return now < token.expiresAt && now < family.endsAt ? family : undefined;
  }

  rotationOf(programme: ProgrammeId, key: TokenKey): Rotation | undefined {
    const rotated = this.#all('rotated').map((event) => event.rotation);
    return rotated.find((other) => other.programme === programme && other.key === key);
  }

  /** The answer a retry gets: until the window ends or the successor is used. */
  retryAnswer(programme: ProgrammeId, key: TokenKey, now: Instant): string | undefined {
    const rotation = this.rotationOf(programme, key);
    if (rotation === undefined || rotation.retryUntil <= rotation.now) return undefined;
    if (this.rotationOf(programme, rotation.successor.key)) return undefined;
    return now <= rotation.retryUntil ? rotation.keptAnswer : undefined;
  }

  rotateRefreshToken(rotation: Rotation): RotateOutcome {
    const { programme, key, client, now } = rotation;
    const family = this.familyOf(programme, key, now);
    if (family === undefined || family.client !== client || this.isRevoked(family)) {
      return { outcome: 'unknown' };
    }
    const keptAnswer = this.retryAnswer(programme, key, now);
    if (keptAnswer !== undefined) return { outcome: 'retried', keptAnswer };
    if (this.rotationOf(programme, key)) {
      this.revokeFamily(programme, family.id);
      return { outcome: 'reused' };
    }
    this.#history.push({ kind: 'rotated', rotation });
    return { outcome: 'rotated' };
  }

  revokeFamily(programme: ProgrammeId, family: FamilyId): void {
    this.#history.push({ kind: 'revoked', programme, family });
  }

  revokeAll(programme: ProgrammeId, whose: TokenOwner): void {
    this.#history.push({ kind: 'revokedAll', programme, whose });
  }

  isRevoked(family: TokenFamily): boolean {
    const { programme, id, member } = family;
    const began = this.#all('spent').find(({ issue }) => issue.family === family);
    const alone = this.#all('revoked').some(
      (event) => event.programme === programme && event.family === id,
    );
    return alone || this.#diedAtOnce(family, member.subject, began);
  }

  isStanding(programme: ProgrammeId, token: StandingQuestion): boolean {
    if (token.family === undefined)
      return !this.#diedAtOnce({ programme, ...token }, token.subject);
    const family = this.#family(programme, token.family);
    return family !== undefined && !this.isRevoked(family);
  }

  exists(programme: ProgrammeId, family: FamilyId): boolean {
    return this.#family(programme, family) !== undefined;
  }

  saveAccessToken(token: AccessToken): void {
    this.#history.push({ kind: 'saved', token });
  }

  findAccessToken(programme: ProgrammeId, key: TokenKey, now: Instant): AccessToken | undefined {
    const tokenOf = (event: Event): AccessToken | undefined => {
      if (event.kind === 'saved') return event.token;
      if (event.kind === 'spent') return event.issue.access;
      return event.kind === 'rotated' ? event.rotation.access : undefined;
    };
    const issue = this.#history.find((event) => {
      const other = tokenOf(event);
      return other?.programme === programme && other.key === key;
    });
    const token = issue && tokenOf(issue);
    if (token === undefined || now >= token.expiresAt) return undefined;
    const subject = token.kind === 'member' ? token.subject : undefined;
    if (this.#diedAtOnce(token, subject, issue)) return undefined;
    if (token.family === undefined) return token;
    const family = this.#family(programme, token.family);
    return family && now < family.endsAt && !this.isRevoked(family) ? token : undefined;
  }

  /** Whether all of its owner's was revoked after the event that issued it; ever, where that is not known. */
  #diedAtOnce(
    owner: { readonly programme: ProgrammeId; readonly client: ClientId },
    subject: string | undefined,
    issue?: Event,
  ): boolean {
    const since = issue === undefined ? 0 : this.#history.indexOf(issue);
    return this.#history.slice(since).some((event) => {
      if (event.kind !== 'revokedAll' || event.programme !== owner.programme) return false;
      const { whose } = event;
      return 'client' in whose ? whose.client === owner.client : whose.subject === subject;
    });
  }

  #all<Kind extends Event['kind']>(kind: Kind): EventOf<Kind>[] {
    return this.#history.filter((event): event is EventOf<Kind> => event.kind === kind);
  }

  #family(programme: ProgrammeId, id: FamilyId): TokenFamily | undefined {
    const families = this.#all('spent').map((event) => event.issue.family);
    return families.find((family) => family.programme === programme && family.id === id);
  }

  #spend(code: AuthorizationCode): EventOf<'spent'> | undefined {
    return this.#all('spent').find(
      (event) => event.code.programme === code.programme && event.code.key === code.key,
    );
  }
}
