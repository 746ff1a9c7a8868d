// Owns codes, token families and tokens in memory; what a try comes to is decided in judgement.ts.

import type { Instant } from '../../lib/clock.ts';
import { frozenCopy } from '../../lib/frozen.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type {
  AccessToken,
  AuthorizationCode,
  Era,
  FamilyId,
  RefreshToken,
  RefreshTokenState,
  TokenFamily,
  TokenKey,
} from '../../oauth/grant.ts';
import type { Store } from '../contract.ts';
import type {
  IssuedTokens,
  IssueOutcome,
  Rotation,
  RotateOutcome,
  SpendOutcome,
} from '../grants.ts';
import {
  familyIsLive,
  forgetSpentAt,
  judgeRotation,
  judgeSpend,
  visibleCode,
  visibleRefreshToken,
  type CodeState,
} from '../judgement.ts';
import type { MemoryRevocations } from './revocations.ts';
import type { AccessRow, CodeRow, FamilyRow, GrantVerbs, RefreshRow } from './rows.ts';
import { MemoryTable } from './table.ts';

interface Sweepable {
  readonly sweep: (now: Instant, limit: number) => number;
}

/** Everything granted. No method awaits, so each verb is one atomic step of the event loop. */
export class MemoryGrants implements GrantVerbs {
  readonly #revocations: MemoryRevocations;
  readonly #codes = new MemoryTable<CodeRow>();
  /** The code of each login. */
  readonly #transactions = new MemoryTable<TokenKey>();
  readonly #families = new MemoryTable<FamilyRow>();
  readonly #refresh = new MemoryTable<RefreshRow>();
  readonly #access = new MemoryTable<AccessRow>();
  readonly #attempts: Sweepable;
  #sweeps = 0;

  /** `attempts` are swept along. */
  constructor(revocations: MemoryRevocations, attempts: Sweepable) {
    this.#revocations = revocations;
    this.#attempts = attempts;
  }

  async issueCode({ era, ...code }: AuthorizationCode): Promise<IssueOutcome> {
    const { programme, key, transaction } = code;
    const earlier = this.#transactions.get(programme, transaction);
    const present = earlier && this.#codes.get(programme, earlier);
    if (present?.spentFor) return 'already_spent';
    if (present && present.code.issuedAt > code.issuedAt) return 'superseded';
    if (earlier !== key) this.#codes.expectNew(programme, key);
    if (earlier) this.#codes.delete(programme, earlier);
    const kept = { code: frozenCopy(code), era: era ?? this.#revocations.era };
    this.#codes.set(programme, key, kept);
    this.#transactions.set(programme, transaction, key);
    return 'issued';
  }

  async findCode(
    programme: ProgrammeId,
    key: TokenKey,
    now: Instant,
  ): Promise<AuthorizationCode | undefined> {
    return visibleCode(this.#codeState(programme, key), now);
  }

  async spendCode(
    ...[programme, client, key, issue, now]: Parameters<Store['spendCode']>
  ): Promise<SpendOutcome> {
    const state = this.#codeState(programme, key);
    const judgement = judgeSpend(state, client, now);
    if (judgement.verdict === 'replay') {
      this.#revoke(programme, judgement.family);
      return { outcome: 'replayed', family: judgement.family };
    }
    if (judgement.verdict === 'unknown' || state === undefined) return { outcome: 'unknown' };
    this.#issue(programme, issue.family.id, issue);
    const forgetAt = forgetSpentAt(state.code.forgetAt, issue.family);
    const code = Object.freeze({ ...state.code, forgetAt });
    this.#codes.set(programme, key, { code, era: state.era, spentFor: issue.family.id });
    return { outcome: 'spent' };
  }

  async startFamily(issue: IssuedTokens & { readonly family: TokenFamily }): Promise<void> {
    this.#issue(issue.family.programme, issue.family.id, issue);
  }

  async findRefreshToken(
    programme: ProgrammeId,
    key: TokenKey,
    now: Instant,
  ): Promise<RefreshTokenState | undefined> {
    const state = this.#refreshState(programme, key);
    return state && visibleRefreshToken(state, now);
  }

  async rotateRefreshToken(rotation: Rotation): Promise<RotateOutcome> {
    const { programme, key, now, keptAnswer, retryUntil } = rotation;
    const row = this.#refresh.get(programme, key);
    const judgement = judgeRotation(this.#refreshState(programme, key), rotation.client, now);
    if (row === undefined || judgement.verdict === 'unknown') return { outcome: 'unknown' };
    if (judgement.verdict === 'retry') {
      return { outcome: 'retried', keptAnswer: judgement.keptAnswer };
    }
    if (judgement.verdict === 'reuse') {
      this.#revoke(programme, row.family);
      return { outcome: 'reused' };
    }
    const { successor: refresh, access } = rotation;
    this.#issue(programme, row.family, { refresh, ...(access && { access }) }, key);
    row.rotated = true;
    row.retry = retryUntil > now ? { keptAnswer, retryUntil } : undefined;
    // Whoever holds this token had the answer: its predecessor's retries end here (HOSTILE 29).
    const before = row.predecessor && this.#refresh.get(programme, row.predecessor);
    if (before) before.retry = undefined;
    return { outcome: 'rotated' };
  }

  async revokeFamily(programme: ProgrammeId, family: FamilyId): Promise<void> {
    this.#revoke(programme, family);
  }

  async findFamily(programme: ProgrammeId, id: FamilyId): Promise<TokenFamily | undefined> {
    return this.#families.get(programme, id)?.family;
  }

  async revokeAll(...call: Parameters<Store['revokeAll']>): Promise<void> {
    this.#revocations.revoke(...call);
  }

  async era(): Promise<Era> {
    return this.#revocations.era;
  }

  async revokeToken(...[programme, token, now]: Parameters<Store['revokeToken']>): Promise<void> {
    if ('key' in token) this.#access.delete(programme, token.key);
    else this.#revocations.revokeToken(programme, token, now);
  }

  async isStanding(...[programme, token]: Parameters<Store['isStanding']>): Promise<boolean> {
    const { family } = token;
    if (this.#revocations.coversToken(programme, token)) return false;
    if (family === undefined) return !this.#revocations.coversUnremembered(programme, token);
    const row = this.#families.get(programme, family);
    return row !== undefined && !this.#isRevoked(row);
  }

  async saveAccessToken(token: AccessToken, era?: Era): Promise<void> {
    this.#access.expectNew(token.programme, token.key);
    this.#saveAccess(token, era);
  }

  async findAccessToken(
    programme: ProgrammeId,
    key: TokenKey,
    now: Instant,
  ): Promise<AccessToken | undefined> {
    const found = this.#access.get(programme, key);
    if (found === undefined || now >= found.token.expiresAt) return undefined;
    const { token, era } = found;
    const subject = token.kind === 'member' ? token.subject : undefined;
    if (this.#revocations.covers(programme, token.client, subject, era)) return undefined;
    if (token.family === undefined) return token;
    const row = this.#families.get(programme, token.family);
    const family = row && { revoked: this.#isRevoked(row), endsAt: row.family.endsAt };
    return familyIsLive(family, now) ? token : undefined;
  }

  async sweep(now: Instant, limit: number): Promise<number> {
    const tables = [
      (left: number) => this.#sweepCodes(now, left),
      (left: number) => this.#access.sweep(left, ({ token }) => now >= token.expiresAt),
      (left: number) => this.#sweepRefreshTokens(now, left),
      (left: number) => this.#families.sweep(left, ({ family }) => now >= family.endsAt),
      (left: number) => this.#revocations.sweep(now, left),
      (left: number) => this.#attempts.sweep(now, left),
    ];
    // Each call begins with another table, so that none starves behind a busy one.
    const first = this.#sweeps++ % tables.length;
    let left = limit;
    for (const sweep of [...tables.slice(first), ...tables.slice(0, first)]) left -= sweep(left);
    return limit - left;
  }

  /** See `acceptTime`. */
  endLaterThan(now: Instant): void {
    this.#codes.remove(({ code }) => code.issuedAt > now, this.#forgetCode);
    this.#families.remove(({ family }) => family.createdAt > now);
    this.#access.remove(({ token }) => token.issuedAt > now);
    this.#revocations.accept(now);
  }

  readonly #forgetCode = ({ code }: CodeRow): void =>
    this.#transactions.delete(code.programme, code.transaction);

  #sweepCodes(now: Instant, limit: number): number {
    return this.#codes.sweep(limit, ({ code }) => now >= code.forgetAt, this.#forgetCode);
  }

  /** Drops answers past their retry window on the way. */
  #sweepRefreshTokens(now: Instant, limit: number): number {
    return this.#refresh.sweep(limit, (row) => {
      if (row.retry && now > row.retry.retryUntil) row.retry = undefined;
      return now >= row.expiresAt;
    });
  }

  #revoke(programme: ProgrammeId, family: FamilyId): void {
    const row = this.#families.get(programme, family);
    if (row) row.revoked = true;
  }

  #isRevoked({ family, revoked, era }: FamilyRow): boolean {
    const { programme, client, member } = family;
    return revoked || this.#revocations.covers(programme, client, member.subject, era);
  }

  #codeState(programme: ProgrammeId, key: TokenKey): (CodeState & CodeRow) | undefined {
    const row = this.#codes.get(programme, key);
    if (row === undefined) return undefined;
    const { client, member } = row.code;
    const revoked = this.#revocations.covers(programme, client, member.subject, row.era);
    return { ...row, revoked };
  }

  /** Writes what a grant pays for; all keys are looked at first, so that it is all or nothing. */
  #issue(
    programme: ProgrammeId,
    id: FamilyId,
    { family, access, refresh, era = this.#revocations.era }: IssuedTokens,
    predecessor?: TokenKey,
  ): void {
    if (family) this.#families.expectNew(programme, family.id);
    if (access) this.#access.expectNew(programme, access.key);
    if (refresh) this.#refresh.expectNew(programme, refresh.key);
    if (family) {
      this.#families.set(programme, id, { family: frozenCopy(family), revoked: false, era });
    }
    if (access) this.#saveAccess(access, era);
    if (refresh) this.#addRefresh(programme, id, refresh, predecessor);
  }

  #saveAccess(token: AccessToken, era: Era = this.#revocations.era): void {
    this.#access.set(token.programme, token.key, { token: frozenCopy(token), era });
  }

  #addRefresh(
    programme: ProgrammeId,
    family: FamilyId,
    { key, expiresAt }: RefreshToken,
    predecessor?: TokenKey,
  ): void {
    this.#refresh.set(programme, key, {
      programme,
      key,
      family,
      expiresAt,
      ...(predecessor && { predecessor }),
      rotated: false,
    });
  }

  #refreshState(programme: ProgrammeId, key: TokenKey): RefreshTokenState | undefined {
    const row = this.#refresh.get(programme, key);
    const owner = row && this.#families.get(programme, row.family);
    if (row === undefined || owner === undefined) return undefined;
    const { expiresAt, rotated, retry } = row;
    const { family } = owner;
    return { key, expiresAt, family, revoked: this.#isRevoked(owner), rotated, ...retry };
  }
}
