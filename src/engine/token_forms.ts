// Owns tokens that have a form of their own, when they are told and when they come back, and which token is
// the one live one of its owner. All else of the engine knows the ordinary texts of tokens alone.

import { after, type Instant } from '../lib/clock.ts';
import { type Digest, digest } from '../lib/digest.ts';
import type { Client } from '../oauth/client.ts';
import type { Answer } from '../oauth/grant.ts';
import type { TokenSet } from '../oauth/token_set.ts';
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
export async function keepForms(
  service: Service,
  tokens: TokenSet,
  refresh?: RefreshTelling,
): Promise<TokenSet> {
  const { access_token: ofAccess, refresh_token: ofRefresh } = service.programme.forms;
  if (ofAccess === undefined && ofRefresh === undefined) return tokens;
  const { grant, accessToken, accessExpiresAt, refreshExpiresAt } = tokens;
  const access = ofAccess?.make(grant, accessToken) ?? accessToken;
  const told = refresh && (refresh.sent ?? ofRefresh?.make(grant, refresh.text));
  await Promise.all([
    keep(service, 'access_token', access, accessToken, accessExpiresAt),
    told &&
      refreshExpiresAt &&
      keep(service, 'refresh_token', told, refresh.text, refreshExpiresAt),
  ]);
  return {
    ...tokens,
    accessToken: access,
    ...(told === undefined ? {} : { refreshToken: told }),
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
  const ordinary = kept === undefined ? undefined : form.kept.open(token, kept);
  if (ordinary === undefined) return token;
  // A copy: a part of a header would keep all of it in memory. What the text says is judged each time.
  if (use === 'access_token') formedTokens.set(Buffer.from(token).toString('latin1'), ordinary);
  return ordinary;
}

/**
 * Makes the token the one live one of its owner (`tokens.access.live`), for as long as any may live. Only
 * once all that the token rests on is spent: a request that is refused ends no other token.
 *
 * @param tokens the ordinary ones
 */
export async function endFormer(
  { store, clock, programme, openAccess, tokenKeys }: Service,
  { id: client }: Client,
  { subject, accessToken, tokenId }: TokenSet,
): Promise<void> {
  if (programme.access.live === 'any') return;
  const now = clock.now();
  await store.keepText(
    {
      programme: programme.id,
      use: 'live_token',
      key: ownerName({ subject, client }),
      text: openAccess(accessToken, tokenKeys.find)?.tag ?? tokenId,
      until: after(now, programme.access.lifetime),
    },
    now,
  );
}

/** A client's own subject is no member's (C-9). */
interface Owned {
  readonly subject: string;
  readonly client: Client['id'];
}

function ownerName({ subject, client }: Owned): Digest {
  return digest(JSON.stringify(['jetway live', client, subject]));
}

/** Whether no later token of its owner has ended the token. Without one, as before `live: one`, it is good. */
export async function isLatest(
  { store, programme }: Service,
  token: Owned & { readonly question: { readonly tokenId: string } },
  now: Instant,
): Promise<boolean> {
  if (programme.access.live === 'any') return true;
  const live = await store.findKept(programme.id, 'live_token', ownerName(token), now);
  return live === undefined || live === token.question.tokenId;
}
