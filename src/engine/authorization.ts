// Owns what a token request hands to its grant, and what the grant answers: whom tokens are for, and what
// the request pays for them with. The issuer alone (issue.ts) makes tokens and spends.

import type { Instant, Milliseconds } from '../lib/clock.ts';
import type { Soon } from '../lib/pause.ts';
import type {
  Answer,
  Era,
  ExchangedFrom,
  GrantType,
  Login,
  LoginState,
  Place,
} from '../oauth/grant.ts';
import type { Member } from '../oauth/member.ts';
import type { RequestRecord } from '../oauth/request_record.ts';
import type { Inputs } from '../programme/requests/inputs.ts';
import type { TokenEndpoint } from '../programme/requests/token_endpoint.ts';
import type { NewLogin } from '../store/grants.ts';
import type { Authenticated } from './authentication/proof.ts';
import type { LoggedIn } from './identity/identity_token.ts';
import type { Service } from './service.ts';
import type { RefreshTelling } from './token_forms.ts';

/** A token request that has passed every shared check. */
export interface GrantRequest extends Authenticated {
  readonly service: Service;
  readonly grant: GrantType;
  readonly inputs: Inputs;
  /** Refuses the request for the lack of an input, where only its grant can tell that it is needed. */
  readonly refuseMissing: TokenEndpoint['refuseMissing'];
  /** Refuses an input whose value only its grant can tell to be another than the right one. */
  readonly refuseOther: TokenEndpoint['refuseOther'];
  /** The inputs that are held against what a login has drawn. */
  readonly drawn: TokenEndpoint['drawn'];
  /** The requested scope, if any; it exists. */
  readonly scope: string | undefined;
  /** Of the access token that the request gets: what it chose, or that of its grant. */
  readonly lifetime: Milliseconds;
  readonly now: Instant;
  /** The era in which the request began: a later revocation also ends the tokens issued here. */
  readonly era: Era;
  /** Makes a signal that aborts when the client hangs up, for work that takes long. */
  readonly hangUp: () => AbortSignal;
  readonly record: RequestRecord;
}

/**
 * One grant: decides whether the request gets tokens, or throws a `Refusal`. It spends nothing: a refused
 * request leaves what it presents good.
 *
 * @param round 0, or how often what the request rests on was changed by another one before it was spent
 */
export type Grant = (request: GrantRequest, round: number) => Soon<Authorization>;

export type Authorization = LoginBeginning | NextAnswer | OwnToken;

interface Payment {
  /** Spends what can be used once. Throws `Refusal` where another request was first. */
  readonly spend?: () => Promise<void>;
}

/** A new login, with its first tokens. */
export interface LoginBeginning extends Payment {
  readonly kind: 'login';
  /** Absent where a client gets its own tokens. */
  readonly member: Member | undefined;
  /** The scope that was asked for, or is the member's level; absent where none was. */
  readonly asked: string | undefined;
  /** Of the first tokens, where the request asks for a part of it. */
  readonly scope: string | undefined;
  /** The audience that was asked for, if one was. */
  readonly resource: string | undefined;
  /** The login ends when the dialect's longest login since then does. */
  readonly loggedInAt: Instant;
  /** Its login request had a PKCE challenge. */
  readonly hasChallenge?: boolean;
  /** Of a login request, whose answer may hold an identity token. */
  readonly loggedIn?: LoggedIn;
  /** Where the store would have the login; if left out, or if another login has it, it is drawn. */
  readonly place?: Place | undefined;
  /** Writes the login in one step with what it is spent for; if left out, the login alone is written. */
  readonly persist?: (login: NewLogin) => Promise<void>;
}

/** Another answer of a login. What it rests on is spent by `next`. */
export interface NextAnswer {
  readonly kind: 'answer';
  readonly login: LoginState;
  /** The login with the answer that is told. */
  readonly told: Login & Answer;
  /** Absent where the answer has no refresh token. */
  readonly refresh: RefreshTelling | undefined;
  /** What the login's row becomes, unless another request has changed it; absent where it stays. */
  readonly next: Answer | undefined;
  /** What was told before is told again: it ends no token that was issued since. */
  readonly isRetry?: boolean;
  readonly exchange?: Exchange;
}

/** Of an access token for another one. */
export interface Exchange {
  readonly issuedTokenType: string;
  readonly from: ExchangedFrom;
}

/** A client's own token without a refresh token. */
export interface OwnToken extends Payment {
  readonly kind: 'own';
  readonly scope: string | undefined;
  readonly resource: string | undefined;
  readonly exchange?: Exchange;
}
