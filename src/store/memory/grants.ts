// Owns the verbs of grants in memory; judgement.ts decides the outcome of each attempt.

import { frozenCopy } from '../../lib/frozen.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type {
  Answer,
  AuthorizationCode,
  CodeKey,
  Era,
  LoginState,
  Place,
} from '../../oauth/grant.ts';
import {
  type FoundCode,
  type Grants,
  type IssueOutcome,
  type NewLogin,
  PlaceTaken,
  type SpendOutcome,
  type TextVerbs,
} from '../grants.ts';
import { isSameAnswer, judgeSpend, type KeptCode, visibleCode } from '../judgement.ts';
import type { MemoryRevocations } from './revocations.ts';
import type { GrantTables } from './tables.ts';

/** The verbs of grants. No method awaits, so each verb is one atomic step of the event loop. */
export class MemoryGrants implements Omit<Grants, keyof TextVerbs> {
  readonly #revocations: MemoryRevocations;
  readonly #tables: GrantTables;

  constructor(tables: GrantTables, revocations: MemoryRevocations) {
    this.#tables = tables;
    this.#revocations = revocations;
  }

  async issueCode({
    era = this.#revocations.era,
    ...code
  }: AuthorizationCode): Promise<IssueOutcome> {
    const { codes, transactions } = this.#tables;
    const { programme, key, transaction } = code;
    const earlier = transactions.get(programme, transaction);
    const present = earlier && codes.get(programme, earlier);
    if (present?.spentFor !== undefined) return 'already_spent';
    if (present && present.code.issuedAt > code.issuedAt) return 'superseded';
    if (earlier !== key && codes.get(programme, key)) throw new Error('the code is in use');
    if (earlier) codes.delete(programme, earlier);
    codes.set(programme, key, { code: frozenCopy(code), era });
    transactions.set(programme, transaction, key);
    return 'issued';
  }

  async findCode(
    ...[programme, key, now]: Parameters<Grants['findCode']>
  ): Promise<FoundCode | undefined> {
    return visibleCode(this.#keptCode(programme, key), now);
  }

  async spendCode(
    ...[programme, client, key, login, now]: Parameters<Grants['spendCode']>
  ): Promise<SpendOutcome> {
    const judgement = judgeSpend(this.#keptCode(programme, key), client, now);
    if (judgement.verdict === 'unknown') return { outcome: 'unknown' };
    if (judgement.verdict === 'replay') {
      this.#revoke(programme, judgement.place);
      return { outcome: 'replayed', place: judgement.place };
    }
    this.#start(login);
    const { code } = judgement;
    this.#tables.codes.set(programme, key, { programme, code, spentFor: login.place, whole: code });
    return { outcome: 'spent' };
  }

  async startLogin(login: NewLogin): Promise<void> {
    this.#start(login);
  }

  async findLogin(programme: ProgrammeId, place: Place): Promise<LoginState | undefined> {
    const row = this.#tables.logins.get(programme, place);
    if (row === undefined) return undefined;
    const { era, ownScope, ...state } = row;
    state.revoked ||= this.#revocations.covers(programme, row.client, row.member?.subject, era);
    return ownScope === undefined ? state : { ...state, ownScope };
  }

  async advanceLogin(
    programme: ProgrammeId,
    place: Place,
    from: Answer,
    to: Answer,
  ): Promise<boolean> {
    const row = this.#tables.logins.get(programme, place);
    if (row === undefined || row.revoked) return false;
    if (!isSameAnswer(row, from)) return false;
    Object.assign(row, to, { ownScope: to.ownScope });
    return true;
  }

  async revokeLogin(programme: ProgrammeId, place: Place): Promise<void> {
    this.#revoke(programme, place);
  }

  async revokeAll(...call: Parameters<Grants['revokeAll']>): Promise<void> {
    this.#revocations.revoke(...call);
  }

  async era(): Promise<Era> {
    return this.#revocations.era;
  }

  async revokeToken(...call: Parameters<Grants['revokeToken']>): Promise<void> {
    this.#revocations.revokeToken(...call);
  }

  async isStanding(...call: Parameters<Grants['isStanding']>): Promise<boolean> {
    return this.#revocations.isStanding(...call);
  }

  #start({ era = this.#revocations.era, ownScope, ...login }: NewLogin): void {
    const { logins } = this.#tables;
    const { programme, place } = login;
    if (logins.get(programme, place)) throw new PlaceTaken();
    const member = login.member && { member: frozenCopy(login.member) };
    logins.set(programme, place, { ...login, ...member, ownScope, revoked: false, era });
  }

  #revoke(programme: ProgrammeId, place: Place): void {
    const row = this.#tables.logins.get(programme, place);
    if (row) row.revoked = true;
  }

  #keptCode(programme: ProgrammeId, key: CodeKey): KeptCode | undefined {
    const row = this.#tables.codes.get(programme, key);
    if (row === undefined) return undefined;
    if (row.spentFor !== undefined) return { code: row.code, spentFor: row.spentFor };
    const { client, member } = row.code;
    const revoked = this.#revocations.covers(programme, client, member.subject, row.era);
    return { code: row.code, revoked };
  }
}
