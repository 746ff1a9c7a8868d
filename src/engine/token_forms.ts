// Owns tokens that have a form of their own, when they are told and when they come back, and which token is
// the one live one of its owner. All else of the engine knows the ordinary texts of tokens alone.

import { instant, type Instant } from '../lib/clock.ts';
import { type Digest, digest } from '../lib/digest.ts';
import { present } from '../lib/present.ts';
import type { Client } from '../oauth/client.ts';
import type { Answer, LoginState } from '../oauth/grant.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import { isEndedBy, type LiveMark, readMark } from '../store/live_tokens.ts';
import type { FormedUse } from '../token/kept_token.ts';
import type { Service } from './service.ts';

/** The refresh token that an answer tells. */
export interface RefreshTelling {
  /** Its ordinary text. */
  readonly text: string;
  /** What the client holds already, where the answer repeats it: a JWT is not made anew. */
  readonly sent?: string;
  /** The answer that told it first, where this one tells it again. */
  readonly first?: Pick<Answer, 'tokenNumber'>;
}

/**
 * The tokens as they are told. What a token of a form stands for is durable before it is told, and before
 * a login advances to it: a retry finds it.
 */
export function keepForms(
  service: Service,
  tokens: TokenSet,
  refresh?: RefreshTelling,
): TokenSet | Promise<TokenSet> {
  const { access_token: access, refresh_token } = service.programme.forms;
  if (access === undefined && refresh_token === undefined) return tokens;
  return keepAll(service, tokens, refresh);
}

async function keepAll(
  service: Service,
  tokens: TokenSet,
  refresh: RefreshTelling | undefined,
): Promise<TokenSet> {
  const { access_token: ofAccess, refresh_token: ofRefresh } = service.programme.forms;
  const { grant, accessToken, accessExpiresAt, refreshExpiresAt, memberProperties, beside } =
    tokens;
  const access = ofAccess?.make(grant, accessToken, memberProperties) ?? accessToken;
  const told = refresh && (refresh.sent ?? ofRefresh?.make(grant, refresh.text, memberProperties));
  const own = beside && ofAccess?.make('client_credentials', beside.accessToken);
  await Promise.all([
    keep(service, 'access_token', access, accessToken, accessExpiresAt),
    own && keep(service, 'access_token', own, beside.accessToken, beside.expiresAt),
    told &&
      refreshExpiresAt &&
      keep(service, 'refresh_token', told, refresh.text, refreshExpiresAt),
  ]);
  return {
    ...tokens,
    accessToken: access,
    ...(told === undefined ? {} : { refreshToken: told }),
    ...(own && { beside: { ...beside, accessToken: own } }),
  };
}

async function keep(
  { store, clock, programme: { id, forms } }: Service,
  use: FormedUse,
  token: string,
  ordinary: string,
  until: Instant,
): Promise<void> {
  const kept = forms[use]?.kept;
  if (kept === undefined || token === ordinary) return;
  const [key, text] = [kept.nameOf(token), kept.seal(token, ordinary)];
  await store.keepText({ programme: id, use, key, text, until }, clock.now());
}

/** Before every end: for a token that may have ended, if only by a clock that is ahead (FAULTS 33). */
export const anyAge = instant(0);

/**
 * The ordinary text of a token that a client presents: what it is kept for, or the token itself. Tokens
 * that were issued before a programme had a form are ordinary ones, and go on being good.
 */
export async function ordinaryText(
  { store, programme, formedTokens }: Service,
  use: FormedUse,
  token: string,
  now: Instant,
): Promise<string> {
  const form = programme.forms[use];
  if (form === undefined) return token;
  const known = use === 'access_token' ? formedTokens.get(token) : undefined;
  if (known !== undefined) return known;
  const kept = await store.findKept(programme.id, use, form.kept.nameOf(token), now);
  const ordinary = kept === undefined ? undefined : form.kept.open(token, kept.text);
  if (ordinary === undefined) return token;
  // A copy: a part of a header would keep all of it in memory. What the text says is judged each time.
  if (use === 'access_token') formedTokens.set(Buffer.from(token).toString('latin1'), ordinary);
  return ordinary;
}

/** Of which answer a token is. */
export interface OfAnswer {
  readonly login?: Pick<LoginState, 'place' | 'endsAt'>;
  /** Whether it is told again. */
  readonly isRetry?: boolean;
}

/** Whether each token ends the one before it (`tokens.access.live`). */
export function endsFormer({ programme }: Service): boolean {
  return programme.access.live === 'one';
}

/**
 * Makes the token the one live one of its owner, and ends the one before it. Only
 * once all that the token rests on is spent: a request that is refused ends no other token.
 *
 * @param tokens the ordinary ones
 */
export async function endFormer(
  service: Service,
  { id: client }: Client,
  tokens: TokenSet,
  { login, isRetry = false }: OfAnswer = {},
): Promise<void> {
  const { store, clock, programme, tokenKeys } = service;
  const { subject, issuedAt, accessExpiresAt: expiresAt } = tokens;
  await store.keepText(
    {
      programme: programme.id,
      use: 'live_token',
      key: ownerName({ subject, client }),
      tokenId: tokenName(service, tokens),
      issuedAt,
      expiresAt,
      isRetry,
      longestToken: tokenKeys.longestToken(),
      ...present({ login: login?.place, loginEndsAt: login?.endsAt }),
    },
    clock.now(),
  );
}

/** The name of an ordinary access token: its `jti`, or the tag of a sealed one. */
export function tokenName(
  { openAccess, tokenKeys }: Service,
  { accessToken, tokenId }: Pick<TokenSet, 'accessToken' | 'tokenId'>,
): string {
  return openAccess(accessToken, tokenKeys.find)?.tag ?? tokenId;
}

/** A client's own subject is no member's (C-9). */
interface Owned {
  readonly subject: string;
  readonly client: Client['id'];
}

function ownerName({ subject, client }: Owned): Digest {
  return digest(JSON.stringify(['jetway live', client, subject]));
}

/**
 * Whether a later token of its owner has ended the token, whatever the programme says by now: it is asked
 * also under `live: any`, if the programme ever had `one` (`hasEndedTokens`).
 */
export async function isReplaced(
  service: Service,
  token: Owned & { readonly issuedAt: Instant; readonly question: { readonly tokenId: string } },
  now: Instant,
): Promise<boolean> {
  const mark = await findMark(service, token, now);
  const { issuedAt, question } = token;
  const { live } = service.programme.access;
  return isEndedBy(mark, { tokenId: question.tokenId, issuedAt }, live, now);
}

async function findMark(
  { store, programme: { id } }: Service,
  owned: Owned,
  now: Instant,
): Promise<LiveMark | undefined> {
  const held = await store.findKept(id, 'live_token', ownerName(owned), now);
  return held && readMark(held);
}

/** Whether a token of another login of the owner became live after the last answer of this one. */
export async function isOvertaken(
  service: Service,
  subject: string,
  { client, place, answeredAt }: LoginState,
  now: Instant,
): Promise<boolean> {
  if (service.programme.access.live === 'any') return false;
  const mark = await findMark(service, { subject, client }, now);
  return mark?.upTo !== undefined && mark.login !== place && mark.upTo >= answeredAt;
}

/** Under what the store remembers that a programme had `live: one`; no owner has that name. */
const everOne = digest('jetway live one');
/** The last time that there is: a clock that is ahead forgets it no more than a right one. */
const never = instant(8.64e15);

/** Whether a later token may have ended one of the programme: it has `live: one`, or had it. */
export async function mayHaveEnded(
  { id: programme, access }: Service['programme'],
  { store, clock }: Pick<Service, 'store' | 'clock'>,
): Promise<boolean> {
  const now = clock.now();
  const isKnown = (await store.findKept(programme, 'live_token', everOne, now)) !== undefined;
  // Written once: a reload works while the store takes no writes.
  if (isKnown || access.live === 'any') return isKnown;
  return store.keepText(
    { programme, use: 'live_token', key: everOne, text: '', until: never },
    now,
  );
}
