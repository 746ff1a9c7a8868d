// Owns finding a refresh token that a request presents, for whatever use: the token proves which login it is of.

import type { Instant } from '../../lib/clock.ts';
import { sameDigest } from '../../lib/digest.ts';
import type { Client } from '../../oauth/client.ts';
import type { Answer, LoginState } from '../../oauth/grant.ts';
import type { PresentedRefresh } from '../../store/judgement.ts';
import { openRefreshEnvelope } from '../../token/refresh_envelope.ts';
import {
  loginDigest,
  parseRefreshText,
  refreshDigest,
  type RefreshText,
  successorOf,
} from '../../token/sealed/refresh_text.ts';
import type { Service } from '../service.ts';
import { ordinaryText } from '../token_forms.ts';

/** A refresh token and the login that it proves to be of. */
export interface FoundRefresh {
  readonly token: RefreshText;
  /** Of the whole token. */
  readonly digest: string;
  /** Absent where the store has none of this secret. */
  readonly login: LoginState | undefined;
}

/**
 * The refresh token in what was sent, with its login, whatever its generation and whether it still is good.
 * Undefined for every text that no answer can have held.
 */
export async function findRefresh(
  service: Service,
  sent: string,
  now: Instant,
): Promise<FoundRefresh | undefined> {
  const { programme, store } = service;
  const isFormed = programme.forms.refresh_token !== undefined;
  const ordinary = isFormed ? await ordinaryText(service, 'refresh_token', sent, now) : sent;
  const text = openRefreshEnvelope(ordinary);
  const token = text === undefined ? undefined : parseRefreshText(text);
  if (token === undefined) return undefined;
  const digest = refreshDigest(programme.id, token.text);
  const finding = store.findLogin(programme.id, token.place);
  const found = finding instanceof Promise ? await finding : finding;
  // The place may be another login's, after a store was put back and its clock with it. The latest token
  // proves its login by the digest of all of it.
  const isIts =
    found !== undefined &&
    (sameDigest(found.refreshDigest, digest) ||
      sameDigest(found.loginDigest, loginDigest(programme.id, token)));
  return { token, digest, login: isIts ? found : undefined };
}

/** What a refresh token is judged by; digests that are seldom asked for are made then. */
export class Presented implements PresentedRefresh {
  readonly client: Client['id'];
  readonly generation: number;
  readonly refreshDigest: string;
  readonly #service: Service;
  readonly #token: RefreshText;

  constructor(service: Service, client: Client, { token, digest }: FoundRefresh) {
    this.client = client.id;
    this.generation = token.generation;
    this.refreshDigest = digest;
    this.#service = service;
    this.#token = token;
  }

  get loginDigest(): string {
    return loginDigest(this.#service.programme.id, this.#token);
  }

  successorDigest({ keyNumber, nonce }: Answer): string | undefined {
    const { programme, tokenKeys } = this.#service;
    const next = tokenKeys.next(keyNumber);
    const text = next && successorOf(next, nonce, this.#token);
    return text && refreshDigest(programme.id, text);
  }
}
