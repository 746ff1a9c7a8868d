// Owns issuing: tokens are made for what a grant has authorized, what they rest on is spent, and then they
// are told. The order holds for every grant.

import { present } from '../lib/present.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import { PlaceTaken } from '../store/grants.ts';
import { newLogin } from './answer.ts';
import type {
  Authorization,
  Exchange,
  Grant,
  GrantRequest,
  LoginBeginning,
  NextAnswer,
  OwnToken,
} from './authorization.ts';
import { withIdentity } from './identity/identity_token.ts';
import { endFormer, endsFormer, keepForms } from './token_forms.ts';
import { makeClientToken, makeLoginTokens } from './token_making.ts';

/** After a lost compare-and-set the next round reads anew what the request rests on. */
const mostRounds = 5;

/** The tokens that a grant gives; what they rest on is durable. */
export async function issueBy(grant: Grant, request: GrantRequest): Promise<TokenSet> {
  for (let round = 0; round < mostRounds; round += 1) {
    const granting = grant(request, round);
    const tokens = await issue(request, granting instanceof Promise ? await granting : granting);
    if (tokens !== undefined) return tokens;
  }
  throw new Error('a login was changed by other requests again and again');
}

/** Undefined where another request has changed the login since the grant has read it. */
function issue(request: GrantRequest, authorization: Authorization): Promise<TokenSet | undefined> {
  if (authorization.kind === 'login') return beginLogin(request, authorization);
  if (authorization.kind === 'answer') return answerNext(request, authorization);
  return giveOwn(request, authorization);
}

/** Another process draws the same place about once in a thousand logins of one millisecond. */
const mostPlaces = 5;

async function beginLogin(request: GrantRequest, beginning: LoginBeginning): Promise<TokenSet> {
  const { service, client, record } = request;
  const { loggedIn, spend } = beginning;
  const { store } = service;
  const start: LoginBeginning['persist'] = (login) =>
    record.timed('store start_login', async () => store.startLogin(login));
  const { persist = start } = beginning;
  for (let tries = 1; ; tries += 1) {
    const { login, refreshText } = newLogin(
      request,
      tries === 1 ? beginning : { ...beginning, place: undefined },
    );
    const refresh = refreshText === undefined ? undefined : { text: refreshText };
    const making = makeLoginTokens(request, login, refresh);
    const made = making instanceof Promise ? await making : making;
    const keeping = keepForms(service, made, refresh);
    const kept = keeping instanceof Promise ? await keeping : keeping;
    const tokens = await withIdentity(service, client, kept, login, loggedIn);
    try {
      if (tries === 1) await spend?.();
      await persist(login);
    } catch (error) {
      if (!(error instanceof PlaceTaken) || tries === mostPlaces) throw error;
      continue;
    }
    if (endsFormer(service)) await endFormer(service, client, made, { login });
    return tokens;
  }
}

async function answerNext(
  request: GrantRequest,
  { login, told, refresh, next, isRetry, exchange }: NextAnswer,
): Promise<TokenSet | undefined> {
  const { service, client, record } = request;
  const making = makeLoginTokens(request, told, refresh, exchange?.from);
  const made = making instanceof Promise ? await making : making;
  const keeping = keepForms(service, made, refresh);
  const tokens = keeping instanceof Promise ? await keeping : keeping;
  if (next !== undefined) {
    const isMine = await record.timed('store advance_login', () =>
      service.store.advanceLogin(login.programme, login.place, login, next),
    );
    if (!isMine) return undefined;
  }
  if (endsFormer(service)) await endFormer(service, client, made, present({ login, isRetry }));
  return typed(tokens, exchange);
}

async function giveOwn(request: GrantRequest, own: OwnToken): Promise<TokenSet> {
  const { service, client } = request;
  const { spend, exchange } = own;
  const making = makeClientToken(request, own);
  const made = making instanceof Promise ? await making : making;
  const keeping = keepForms(service, made);
  const tokens = keeping instanceof Promise ? await keeping : keeping;
  await spend?.();
  if (endsFormer(service)) await endFormer(service, client, made);
  return typed(tokens, exchange);
}

function typed(tokens: TokenSet, exchange: Exchange | undefined): TokenSet {
  return exchange === undefined ? tokens : { ...tokens, issuedTokenType: exchange.issuedTokenType };
}
