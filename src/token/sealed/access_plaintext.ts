// Owns what sealed access tokens say, and how its fields lie in a plaintext.
//
// Flags, 1 byte, then numbers with their most significant byte first:
// member: place, 7 · generation, 4 · login tag, 3 · issued in ms, 6 · span, 4 or 5
// client: issued in ms, 6 · span, 4 or 5 · counter, 4 · era, 6 · length of identifier, 1 · identifier
// Then what it was exchanged from, or the token that it stands beside, as the length of the names, 1, and the
// names with spaces between; of a client's, its audience with its length, 1; then its own scope.

import { type Instant, instant, type Milliseconds, milliseconds } from '../../lib/clock.ts';
import { randomBytes } from '../../lib/random.ts';
import { type ClientId, longestIdentifier } from '../../oauth/client.ts';
import type { Era, ExchangedFrom, Place } from '../../oauth/grant.ts';
import { longestScope } from '../../oauth/scope.ts';
import { placeBytes, readPlace, writePlace } from './place.ts';

/** An access token of a login: it is worth no more than its login's row. */
export interface MemberAccess {
  readonly kind: 'member';
  readonly place: Place;
  /** The generation of the refresh token that was issued with it. */
  readonly generation: number;
  /** The first three bytes of the login digest (`loginTagOf`): the row may be another login's. */
  readonly loginTag: number;
  readonly issuedAt: Instant;
  readonly span: Milliseconds;
  /** Absent: the scope of the login's row, or none if it has none. Empty: none. */
  readonly ownScope?: string;
  readonly exchangedFrom?: ExchangedFrom;
  /**
   * Present in a client's token that stands beside a member's: the name of that one, which was issued in the
   * same answer. Its scope is its own alone, and it was exchanged from none.
   */
  readonly beside?: string;
}

/** A client's own access token, of which no store has a row. */
export interface ClientAccess {
  readonly kind: 'client';
  readonly client: ClientId;
  readonly issuedAt: Instant;
  readonly span: Milliseconds;
  /** 32 bits that distinguish the client's tokens of one millisecond. */
  readonly counter: number;
  /** The era in which it was issued: a later revocation of the client's tokens ends it. */
  readonly era: Era;
  readonly scope?: string;
  /** Its audience, where the request asked for one. A member's stands in the login's row. */
  readonly resource?: string;
  readonly exchangedFrom?: ExchangedFrom;
}

export type Access = MemberAccess | ClientAccess;

/** Bytes of the longest text whose length stands in one byte: an identifier, or the names of tokens. */
const longestShort = longestIdentifier;

/** Characters of the longest audience that a request can ask for, of one byte each. */
export const longestResource: number = longestShort;

/** Bytes of the longest plaintext: scope, identifier, names, audience, and the fields before them. */
export const longestPlaintext: number = longestScope + 3 * longestShort + 64;

const scopeFollows = 1;
/** The span has five bytes of milliseconds instead of four of seconds. */
const spanInMilliseconds = 2;
const isExchanged = 4;
/** A login's token is its client's own, and stands beside its member's (docs/decisions/054). */
const isBeside = 8;
const hasResource = 16;
const usualFlags = scopeFollows | spanInMilliseconds | isExchanged;
const allFlags = { member: usualFlags | isBeside, client: usualFlags | hasResource };

/** Ten years: the longest lifetime that a programme's file can state. */
const longestSpan = 3650 * 86_400_000;

/** Flags, place, generation and login tag come before a member's times. */
const memberTimesAt = 1 + placeBytes + 4 + 3;

/**
 * Writes a plaintext to the start of `bytes` and returns its length. Throws a RangeError for a span
 * of more than ten years, an identifier of more than 255 bytes, or what `bytes` has no room for.
 */
export function writeAccess(bytes: Buffer, access: Access): number {
  const scope = access.kind === 'member' ? access.ownScope : access.scope;
  const beside = access.kind === 'member' ? access.beside : undefined;
  const names = beside ?? access.exchangedFrom?.join(' ');
  const resource = access.kind === 'member' ? undefined : access.resource;
  const isWhole = access.span % 1000 === 0;
  const ofNames = beside === undefined ? isExchanged : isBeside;
  bytes[0] =
    (scope === undefined ? 0 : scopeFollows) |
    (isWhole ? 0 : spanInMilliseconds) |
    (names === undefined ? 0 : ofNames) |
    (resource === undefined ? 0 : hasResource);
  const own = access.kind === 'member' ? writeMember(bytes, access) : writeClient(bytes, access);
  const at = names === undefined ? own : writeShort(bytes, 'lineage', names, own);
  const end = resource === undefined ? at : writeShort(bytes, 'audience', resource, at);
  return scope === undefined ? end : writeText(bytes, scope, end);
}

/** Its length, then the text. */
function writeShort(bytes: Buffer, what: string, text: string, at: number): number {
  const end = writeText(bytes, text, at + 1);
  const length = end - at - 1;
  if (length > longestShort) throw new RangeError(`the ${what} is too long`);
  bytes[at] = length;
  return end;
}

function writeMember(bytes: Buffer, access: MemberAccess): number {
  let at = 1;
  writePlace(bytes, access.place, at);
  at = bytes.writeUInt32BE(access.generation, at + placeBytes);
  at = bytes.writeUIntBE(access.loginTag, at, 3);
  return writeTimes(bytes, access, at);
}

function writeClient(bytes: Buffer, access: ClientAccess): number {
  const eraAt = bytes.writeUInt32BE(access.counter, writeTimes(bytes, access, 1));
  const at = bytes.writeUIntBE(access.era, eraAt, 6);
  return writeShort(bytes, 'client identifier', access.client, at);
}

function writeTimes(bytes: Buffer, { issuedAt, span }: Access, start: number): number {
  if (span > longestSpan) throw new RangeError('the token lives for more than ten years');
  const at = bytes.writeUIntBE(issuedAt, start, 6);
  return span % 1000 === 0 ? bytes.writeUInt32BE(span / 1000, at) : bytes.writeUIntBE(span, at, 5);
}

function writeText(bytes: Buffer, text: string, at: number): number {
  if (Buffer.byteLength(text) > bytes.length - at) throw new RangeError('the token is too long');
  return at + bytes.write(text, at);
}

/** Counters of clients' own tokens: from a random start, which differs between processes. */
export function counterMaker(): () => number {
  let counter = randomBytes(4).readUInt32BE();
  return () => {
    counter = (counter + 1) % 2 ** 32;
    return counter;
  };
}

/** Reads a plaintext of `length` bytes; undefined unless `writeAccess` could have written it. */
export function readAccess(
  kind: Access['kind'],
  bytes: Buffer,
  length: number,
): Access | undefined {
  const flags = bytes[0] ?? 0;
  const ofNames = flags & (isExchanged | isBeside);
  if ((flags & ~allFlags[kind]) !== 0 || ofNames > isBeside) return undefined;
  const timesAt = kind === 'member' ? memberTimesAt : 1;
  const issuedAt = instant(bytes.readUIntBE(timesAt, 6));
  const isWhole = (flags & spanInMilliseconds) === 0;
  const spanAt = timesAt + 6;
  const span = milliseconds(
    isWhole ? bytes.readUInt32BE(spanAt) * 1000 : bytes.readUIntBE(spanAt, 5),
  );
  const at = spanAt + (isWhole ? 4 : 5);
  const ownEnd = kind === 'member' ? at : at + 11 + (bytes[at + 10] ?? 0);
  const namesEnd = ofNames === 0 ? undefined : ownEnd + 1 + (bytes[ownEnd] ?? 0);
  const resourceAt = (flags & hasResource) === 0 ? undefined : (namesEnd ?? ownEnd) + 1;
  const end =
    resourceAt === undefined ? (namesEnd ?? ownEnd) : resourceAt + (bytes[resourceAt - 1] ?? 0);
  const isLong = (flags & scopeFollows) !== 0;
  if (span > longestSpan || (isLong ? end > length : end !== length)) return undefined;
  const scope = isLong ? bytes.toString('utf8', end, length) : undefined;
  const names = namesEnd === undefined ? undefined : bytes.toString('utf8', ownEnd + 1, namesEnd);
  const from = names === undefined ? {} : namesOf(ofNames, names);
  if (kind === 'client') {
    const client = bytes.toString('utf8', at + 11, ownEnd) as ClientId;
    const counter = bytes.readUInt32BE(at);
    const era = bytes.readUIntBE(at + 4, 6) as Era;
    return {
      kind,
      client,
      issuedAt,
      span,
      counter,
      era,
      ...(scope === undefined ? {} : { scope }),
      ...(resourceAt === undefined ? {} : { resource: bytes.toString('utf8', resourceAt, end) }),
      ...from,
    };
  }
  const place = readPlace(bytes, 1);
  if (place === undefined) return undefined;
  const generation = bytes.readUInt32BE(1 + placeBytes);
  const loginTag = bytes.readUIntBE(5 + placeBytes, 3);
  const known = { kind, place, generation, loginTag, issuedAt, span, ...from };
  return scope === undefined ? known : { ...known, ownScope: scope };
}

function namesOf(flag: number, names: string): Pick<MemberAccess, 'exchangedFrom' | 'beside'> {
  return flag === isBeside ? { beside: names } : { exchangedFrom: names.split(' ') };
}
