// Owns what the rows of logins and codes say, for every SQL backend.

import { hash } from 'node:crypto';

import type { Instant } from '../../lib/clock.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import {
  type Answer,
  answered,
  type AuthorizationCode,
  type CodeKey,
  type Era,
  type Login,
  type LoginState,
  type Place,
  type SpentCode,
} from '../../oauth/grant.ts';
import type { Member, Subject } from '../../oauth/member.ts';
import { beganAt } from '../../oauth/place.ts';
import type { NewLogin, SpentFor } from '../grants.ts';
import { cutDigest, diedAtOnce, type UnspentCode } from '../judgement.ts';
import type { Values } from './db.ts';
import { answerOf, stateOf } from './state.ts';
import { damaged, expectWhole, rowSum, type RowOf, sumOf, withSum } from './table.ts';
import {
  type CodeRow,
  codes,
  finishedLogins,
  knownCodes,
  type LoginRow,
  logins,
  type RevocationRow,
  revocations,
} from './tables.ts';

/** The revocations of a row's client and member; nulls where there are none. */
export interface Revocations {
  readonly ofClient: RevocationRow | null;
  readonly ofSubject: RevocationRow | null;
}

/** The last era that a row of revocations kills; null without a row. */
export function untilOf(row: RevocationRow | null): Era | null {
  if (row === null) return null;
  expectWhole(revocations, row);
  return row.revoked_until;
}

function isRevoked(era: Era, { ofClient, ofSubject }: Revocations): boolean {
  return diedAtOnce(era, untilOf(ofClient)) || diedAtOnce(era, untilOf(ofSubject));
}

type MemberColumns = Pick<LoginRow, 'subject' | 'level' | 'membership_number' | 'scope'>;

/** The subject of a login without a member: no member's (`subjectForm`). */
const noSubject = '' as Subject;

/** Columns of a member beside the scope of its grant, which mostly is its level. */
function memberColumns(
  { subject, level, membershipNumber }: Member,
  scope: string | undefined,
): MemberColumns {
  return {
    subject,
    level: level === scope ? null : levelColumn(level),
    membership_number: membershipNumber ?? null,
    scope: scope ?? null,
  };
}

/** A level that is not the scope: empty where there is none. */
function levelColumn(level: string | undefined): string {
  return level === undefined ? '' : `=${level}`;
}

function memberOf(
  { subject, level, membership_number, scope }: MemberColumns,
  { properties }: Pick<Member, 'properties'>,
): Member {
  const member: Writable<Member> = { subject };
  const shown = level === null ? scope : level.slice(1);
  if (shown !== null && level !== '') member.level = shown;
  if (membership_number !== null) member.membershipNumber = membership_number;
  if (properties !== undefined) member.properties = properties;
  return member;
}

/** What few codes and logins have: a member's properties, and what a request asked. */
type Details = Pick<Member, 'properties'> & Asked;
type Asked = Pick<AuthorizationCode, 'nonce' | 'repeatsRedirectUri'> & {
  readonly resource?: Login['resource'] | undefined;
  readonly keepsRefresh?: Login['keepsRefresh'] | undefined;
};

/** Details as JSON; null where there are none. */
function detailsColumn(
  { properties }: Member,
  { nonce, repeatsRedirectUri, keepsRefresh, resource }: Asked,
): string | null {
  const details = { properties, nonce, repeatsRedirectUri, keepsRefresh, resource };
  return Object.values(details).every((one) => one === undefined) ? null : JSON.stringify(details);
}

function detailsOf(column: string | null): Details {
  return column === null ? {} : (JSON.parse(column) as Details);
}

/** An object that is being made: a property is added where its column has a value. */
type Writable<Made> = { -readonly [Name in keyof Made]: Made[Name] };

export function loginRow(login: NewLogin, era: Era): Omit<LoginRow, 'sum'> {
  const { member = { subject: noSubject } } = login;
  return {
    place: login.place,
    programme: login.programme,
    client: login.client,
    ...memberColumns(member, login.scope),
    ends_at: login.endsAt,
    era,
    login_digest: Buffer.from(login.loginDigest, 'latin1'),
    // A login's nonce is its answer's.
    details: detailsColumn(member, {
      keepsRefresh: login.keepsRefresh,
      resource: login.resource,
    }),
    revoked_at: null,
    own_scope: login.ownScope ?? null,
    state: stateOf(login),
  };
}

/** A login as it was read or written. */
export interface KeptLogin {
  readonly login: Login;
  readonly state: LoginState;
  /** The sum over the columns that never change. */
  readonly constants: number;
}

const constantColumns = logins.summed.slice(0, -3) as readonly (keyof LoginRow)[];

/** The login of a row, revoked or not. */
export function keptLogin(row: LoginRow, found: Revocations): KeptLogin {
  const constants = rowSum(constantColumns.map((name) => row[name]));
  const sum = rowSum([row.revoked_at, row.own_scope, row.state], constants);
  if (sum !== row.sum) throw damaged(logins.name);
  const login: Writable<Login> = {
    programme: row.programme,
    place: row.place,
    client: row.client,
    endsAt: row.ends_at,
    loginDigest: Buffer.from(row.login_digest).toString('latin1'),
  };
  const details = detailsOf(row.details);
  if (row.subject !== noSubject) login.member = memberOf(row, details);
  if (details.keepsRefresh === true) login.keepsRefresh = true;
  if (details.resource !== undefined) login.resource = details.resource;
  if (row.scope !== null) login.scope = row.scope;
  const revoked = row.revoked_at !== null || isRevoked(row.era, found);
  return {
    login,
    constants,
    state: stateAfter(login, answerOf(row.state, row.own_scope), revoked),
  };
}

function stateAfter(login: Login, answer: Answer, revoked: boolean): LoginState {
  return Object.freeze(Object.assign(answered(login, answer), { revoked }));
}

/** A login that is not revoked by itself, after its next answer. */
export function advanced({ login, constants, state }: KeptLogin, answer: Answer): KeptLogin {
  return { login, constants, state: stateAfter(login, answer, state.revoked) };
}

/** The columns that an answer changes. */
export function answerColumns(
  { constants }: KeptLogin,
  answer: Answer,
): Pick<LoginRow, 'own_scope' | 'state' | 'sum'> {
  const [own_scope, state] = [answer.ownScope ?? null, stateOf(answer)];
  return { own_scope, state, sum: rowSum([null, own_scope, state], constants) };
}

/** The columns by which a login is revoked, with the answer that was found. */
export function revokedColumns(
  { login, constants, state: found }: KeptLogin,
  revoked_at: Instant,
): Pick<LoginRow, 'login_digest' | 'revoked_at' | 'own_scope' | 'state' | 'sum'> {
  const login_digest = Buffer.from(login.loginDigest, 'latin1');
  const [own_scope, state] = [found.ownScope ?? null, stateOf(found)];
  const sum = rowSum([revoked_at, own_scope, state], constants);
  return { login_digest, revoked_at, own_scope, state, sum };
}

/**
 * What is written of a login that a clock ahead began, so that it begins at `to`: its tokens live no longer than
 * those of any other (FAULTS 11). Undefined for a damaged row, about which nothing is known.
 */
export function setBackLogin(row: LoginRow, to: Instant): Values | undefined {
  if (sumOf(logins, row) !== row.sum) return undefined;
  const answer = answerOf(row.state, row.own_scope);
  const early = Math.max(0, beganAt(row.place) - to);
  const late = Math.max(0, answer.answeredAt - to);
  const state = stateOf({
    ...answer,
    answeredAt: (answer.answeredAt - late) as Instant,
    forgetAt: (answer.forgetAt - late) as Instant,
  });
  const after = withSum(logins, { ...row, ends_at: (row.ends_at - early) as Instant, state });
  return { ...after, before: row.state, was_to_end: row.ends_at };
}

/** The names of a code's rows, 8 bytes each: of all that is known of it, and the rest of an unspent one's. */
export function codeName(
  programme: ProgrammeId,
  key: CodeKey,
): { readonly digest: Uint8Array; readonly rest: Uint8Array } {
  const name = hash('sha256', `${programme} ${key}`, 'buffer');
  return { digest: name.subarray(0, 8), rest: name.subarray(8, 16) };
}

const timeBytes = 6;

/** The key of a finished login's row: 14 bytes, of which the first 6 are those of its transaction's identifier. */
export function finishedName(programme: ProgrammeId, transaction: string): Uint8Array {
  const name = Buffer.alloc(timeBytes + 8);
  name.write(transaction, 0, timeBytes, 'base64url');
  hash('sha256', `${programme} ${transaction}`, 'buffer').copy(name, timeBytes);
  return name;
}

export function codeRow(code: AuthorizationCode, place: Place, era: Era): Omit<CodeRow, 'sum'> {
  return {
    ...codeName(code.programme, code.key),
    place,
    programme: code.programme,
    login: code.transaction,
    client: code.client,
    redirect_uri: code.redirectUri,
    ...memberColumns(code.member, code.scope),
    code_challenge: code.codeChallenge ?? null,
    issued_at: code.issuedAt,
    expires_at: code.expiresAt,
    forget_at: code.forgetAt,
    era,
    details: detailsColumn(code.member, code),
  };
}

/** The code of a row, which was found by `key`. */
export function keptCode(row: CodeRow, key: CodeKey, found: Revocations): UnspentCode {
  expectWhole(codes, row);
  const details = detailsOf(row.details);
  const code: Writable<AuthorizationCode> = {
    programme: row.programme,
    key,
    transaction: row.login,
    client: row.client,
    redirectUri: row.redirect_uri,
    member: memberOf(row, details),
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
    forgetAt: row.forget_at,
  };
  if (row.scope !== null) code.scope = row.scope;
  if (row.code_challenge !== null) code.codeChallenge = row.code_challenge;
  if (details.resource !== undefined) code.resource = details.resource;
  if (details.nonce !== undefined) code.nonce = details.nonce;
  if (details.repeatsRedirectUri === true) code.repeatsRedirectUri = true;
  return { code, revoked: isRevoked(row.era, found) };
}

type KnownRow = RowOf<typeof knownCodes>;

/** What is known of a code whose login has that place, with the sum under a name of its own. */
export function knownColumns(
  {
    digest,
    redirect_uri,
    code_challenge,
  }: Pick<CodeRow, 'digest' | 'redirect_uri' | 'code_challenge'>,
  place: Place,
): Values {
  const known = {
    digest,
    place,
    redirect_uri: cutDigest(redirect_uri),
    code_challenge: code_challenge === null ? null : cutDigest(code_challenge),
  };
  return { ...known, known_sum: sumOf(knownCodes, known) };
}

/** What is written of a transaction whose code is spent. */
export function finishedColumns({ programme, login, forget_at }: CodeRow): Values {
  const finished = { login: finishedName(programme, login), forget_at };
  return { ...finished, finished_sum: sumOf(finishedLogins, finished) };
}

/** The spent code of a row, whose login is of `client`. */
export function spentFor(row: KnownRow, { client }: Pick<LoginRow, 'client'>): SpentFor {
  expectWhole(knownCodes, row);
  const code: Writable<SpentCode> = { client, redirectUri: row.redirect_uri };
  if (row.code_challenge !== null) code.codeChallenge = row.code_challenge;
  return { code, spentFor: row.place };
}
