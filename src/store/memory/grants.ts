// Owns the verbs of grants in memory; judgement.ts decides the outcome of each attempt.

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
  Grants,
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
import type { CodeRow, FamilyRow, GrantTables } from './tables.ts';

/** The verbs of grants. No method awaits, so each verb is one atomic step of the event loop. */
export class MemoryGrants implements Grants {
  readonly #revocations: MemoryRevocations;
  readonly #tables: GrantTables;

  constructor(tables: GrantTables, revocations: MemoryRevocations) {
    this.#tables = tables;
    this.#revocations = revocations;
  }

  async issueCode({ era, ...code }: AuthorizationCode): Promise<IssueOutcome> {
    const { programme, key, transaction } = code;
    const earlier = this.#tables.transactions.get(programme, transaction);
    const present = earlier && this.#tables.codes.get(programme, earlier);
    if (present?.spentFor) return 'already_spent';
    if (present && present.code.issuedAt > code.issuedAt) return 'superseded';
    if (earlier !== key) this.#tables.codes.expectNew(programme, key);
    if (earlier) this.#tables.codes.delete(programme, earlier);
    const kept = { code: frozenCopy(code), era: era ?? this.#revocations.era };
    this.#tables.codes.set(programme, key, kept);
    this.#tables.transactions.set(programme, transaction, key);
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
    this.#tables.codes.set(programme, key, { code, era: state.era, spentFor: issue.family.id });
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
    const row = this.#tables.refresh.get(programme, key);
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
    // A client that presents this token has received it: its predecessor's retries end (HOSTILE 29).
    const before = row.predecessor && this.#tables.refresh.get(programme, row.predecessor);
    if (before) before.retry = undefined;
    return { outcome: 'rotated' };
  }

  async revokeFamily(programme: ProgrammeId, family: FamilyId): Promise<void> {
    this.#revoke(programme, family);
  }

  async findFamily(programme: ProgrammeId, id: FamilyId): Promise<TokenFamily | undefined> {
    return this.#tables.families.get(programme, id)?.family;
  }

  async revokeAll(...call: Parameters<Store['revokeAll']>): Promise<void> {
    this.#revocations.revoke(...call);
  }

  async era(): Promise<Era> {
    return this.#revocations.era;
  }

  async revokeToken(...[programme, token, now]: Parameters<Store['revokeToken']>): Promise<void> {
    if ('key' in token) this.#tables.access.delete(programme, token.key);
    else this.#revocations.revokeToken(programme, token, now);
  }

  async isStanding(...[programme, token]: Parameters<Store['isStanding']>): Promise<boolean> {
    const { family } = token;
    if (this.#revocations.coversToken(programme, token)) return false;
    if (family === undefined) return !this.#revocations.coversUnremembered(programme, token);
    const row = this.#tables.families.get(programme, family);
    return row !== undefined && !this.#isRevoked(row);
  }

  async saveAccessToken(token: AccessToken, era?: Era): Promise<void> {
    this.#tables.access.expectNew(token.programme, token.key);
    this.#saveAccess(token, era);
  }

  async findAccessToken(
    programme: ProgrammeId,
    key: TokenKey,
    now: Instant,
  ): Promise<AccessToken | undefined> {
    const found = this.#tables.access.get(programme, key);
    if (found === undefined || now >= found.token.expiresAt) return undefined;
    const { token, era } = found;
    const subject = token.kind === 'member' ? token.subject : undefined;
    if (this.#revocations.covers(programme, token.client, subject, era)) return undefined;
    if (token.family === undefined) return token;
    const row = this.#tables.families.get(programme, token.family);
    const family = row && { revoked: this.#isRevoked(row), endsAt: row.family.endsAt };
    return familyIsLive(family, now) ? token : undefined;
  }

  #revoke(programme: ProgrammeId, family: FamilyId): void {
    const row = this.#tables.families.get(programme, family);
    if (row) row.revoked = true;
  }

  #isRevoked({ family, revoked, era }: FamilyRow): boolean {
    const { programme, client, member } = family;
    return revoked || this.#revocations.covers(programme, client, member.subject, era);
  }

  #codeState(programme: ProgrammeId, key: TokenKey): (CodeState & CodeRow) | undefined {
    const row = this.#tables.codes.get(programme, key);
    if (row === undefined) return undefined;
    const { client, member } = row.code;
    const revoked = this.#revocations.covers(programme, client, member.subject, row.era);
    return { ...row, revoked };
  }

  /** Writes a family and its tokens. Checks all keys before the first write: a used key changes nothing. */
  #issue(
    programme: ProgrammeId,
    id: FamilyId,
    { family, access, refresh, era = this.#revocations.era }: IssuedTokens,
    predecessor?: TokenKey,
  ): void {
    if (family) this.#tables.families.expectNew(programme, family.id);
    if (access) this.#tables.access.expectNew(programme, access.key);
    if (refresh) this.#tables.refresh.expectNew(programme, refresh.key);
    if (family) {
      this.#tables.families.set(programme, id, { family: frozenCopy(family), revoked: false, era });
    }
    if (access) this.#saveAccess(access, era);
    if (refresh) this.#addRefresh(programme, id, refresh, predecessor);
  }

  #saveAccess(token: AccessToken, era: Era = this.#revocations.era): void {
    this.#tables.access.set(token.programme, token.key, { token: frozenCopy(token), era });
  }

  #addRefresh(
    programme: ProgrammeId,
    family: FamilyId,
    { key, expiresAt }: RefreshToken,
    predecessor?: TokenKey,
  ): void {
    this.#tables.refresh.set(programme, key, {
      programme,
      key,
      family,
      expiresAt,
      ...(predecessor && { predecessor }),
      rotated: false,
    });
  }

  #refreshState(programme: ProgrammeId, key: TokenKey): RefreshTokenState | undefined {
    const row = this.#tables.refresh.get(programme, key);
    const owner = row && this.#tables.families.get(programme, row.family);
    if (row === undefined || owner === undefined) return undefined;
    const { expiresAt, rotated, retry } = row;
    const { family } = owner;
    return { key, expiresAt, family, revoked: this.#isRevoked(owner), rotated, ...retry };
  }
}
