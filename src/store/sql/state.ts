// Owns the form in which an SQL backend keeps the last answer of a login: 67 bytes.

import type { Instant, Milliseconds } from '../../lib/clock.ts';
import type { Answer } from '../../oauth/grant.ts';

/** Where each part begins; lengths in bytes: see `writeState`. Times and spans are in milliseconds. */
const at = {
  refreshDigest: 4,
  nonce: 20,
  keyNumber: 32,
  answeredAt: 33,
  accessSpan: 39,
  refreshSpan: 44,
  retrySpan: 49,
  tokenNumber: 54,
  forgetAt: 61,
  end: 67,
} as const;

const digestLength = at.nonce - at.refreshDigest;

/** `forgetAt` in a row's state, as SQL: six bytes, which compare as numbers do. */
export const forgetAtInState = `substr(state, ${at.forgetAt + 1}, ${at.end - at.forgetAt})`;

/** An instant as `forgetAtInState` has it. */
export function instantBytes(instant: Instant): Uint8Array {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(Math.max(0, instant), 0, 6);
  return bytes;
}

/** The state of an answer, without its own scope. */
export function stateOf(answer: Answer): Uint8Array {
  const state = Buffer.allocUnsafe(at.end);
  state.writeUInt32BE(answer.generation, 0);
  const written = state.write(answer.refreshDigest, at.refreshDigest, digestLength, 'latin1');
  // A response without a refresh token.
  if (written < digestLength) state.fill(0, at.refreshDigest, at.nonce);
  state.write(answer.nonce, at.nonce, at.keyNumber - at.nonce, 'latin1');
  state.writeUInt8(answer.keyNumber, at.keyNumber);
  state.writeUIntBE(answer.answeredAt, at.answeredAt, 6);
  state.writeUIntBE(answer.accessSpan, at.accessSpan, 5);
  state.writeUIntBE(answer.refreshSpan, at.refreshSpan, 5);
  state.writeUIntBE(answer.retrySpan, at.retrySpan, 5);
  state.writeUInt8(Math.floor(answer.tokenNumber / 2 ** 48), at.tokenNumber);
  state.writeUIntBE(answer.tokenNumber % 2 ** 48, at.tokenNumber + 1, 6);
  state.writeUIntBE(answer.forgetAt, at.forgetAt, 6);
  return state;
}

/** The answer of a state. */
export function answerOf(bytes: Uint8Array, ownScope: string | null): Answer {
  const state = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const refreshSpan = state.readUIntBE(at.refreshSpan, 5) as Milliseconds;
  const answer = {
    generation: state.readUInt32BE(0),
    refreshDigest: refreshSpan === 0 ? '' : state.toString('latin1', at.refreshDigest, at.nonce),
    nonce: state.toString('latin1', at.nonce, at.keyNumber),
    keyNumber: state.readUInt8(at.keyNumber),
    answeredAt: state.readUIntBE(at.answeredAt, 6) as Instant,
    accessSpan: state.readUIntBE(at.accessSpan, 5) as Milliseconds,
    refreshSpan,
    retrySpan: state.readUIntBE(at.retrySpan, 5) as Milliseconds,
    tokenNumber:
      state.readUInt8(at.tokenNumber) * 2 ** 48 + state.readUIntBE(at.tokenNumber + 1, 6),
    forgetAt: state.readUIntBE(at.forgetAt, 6) as Instant,
  };
  return ownScope === null ? answer : { ...answer, ownScope };
}
