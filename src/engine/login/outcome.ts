// Owns the outcomes of a login's steps. http/ renders them as HTML and headers.

import type { Cause } from '../../oauth/cause.ts';
import type { Reply } from '../../oauth/reply.ts';
import type { WayBack } from '../../programme/answers/redirect_answer.ts';
import type { LoginPageName } from '../../programme/login/texts.ts';
import type { LoginTransaction } from './transaction.ts';

/** A message that the login page can show. */
export type LoginMessage = 'not_recognised' | 'difficulties' | 'username_blank' | 'password_blank';

/** A login page about to be shown. */
export interface LoginForm {
  readonly transaction: LoginTransaction;
  readonly sealed: string;
  readonly formToken: string;
  readonly messages: readonly LoginMessage[];
  /** As typed before. */
  readonly username: string;
  /** Filled in by the page itself, in the demo alone. */
  readonly password?: string;
}

/** Pages on which a login ends after its request was good, with their statuses. */
export const deadEnds = {
  expired: 400,
  damaged: 400,
  other_browser: 400,
  finished: 400,
  forged: 403,
  too_many_attempts: 429,
  difficulties: 503,
} as const satisfies Partial<Record<LoginPageName, number>>;
export type DeadEnd = keyof typeof deadEnds;

/** What a page tells of the login that it ends. */
type Ended = Pick<LoginTransaction, 'language' | 'redirectUri' | 'clientName'>;

/** @param retryAfter seconds */
export function endOn(
  page: DeadEnd,
  ended?: Ended,
  retryAfter?: number,
): Extract<LoginOutcome, { readonly kind: 'page' }> {
  const back = ended && { partner: ended.clientName, redirectUri: ended.redirectUri };
  const { language } = ended ?? {};
  return { kind: 'page', status: deadEnds[page], page, language, retryAfter, back };
}

export type LoginOutcome =
  /** On to the login page. */
  | {
      readonly kind: 'begin';
      readonly status: 302 | 303;
      readonly sealed: string;
      /** Binds the login to this browser; absent where it is bound already, or will be later. */
      readonly cookie?: LoginCookie;
    }
  | {
      readonly kind: 'form';
      readonly status: number;
      readonly form: LoginForm;
      readonly retryAfter?: number | undefined;
      /** Of the first message. */
      readonly cause?: Cause | undefined;
    }
  | {
      readonly kind: 'page';
      readonly status: number;
      readonly page: LoginPageName;
      /** The language that the login request asked for, if it did. */
      readonly language?: string | undefined;
      readonly retryAfter?: number | undefined;
      /** Of a login whose transaction came: where its partner is. */
      readonly back?: { readonly partner: string; readonly redirectUri: string } | undefined;
    }
  /** No page: told to a partner who tests. */
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** Back to the partner. */
  | {
      readonly kind: 'return';
      readonly way: WayBack;
      /** The partner's name. */
      readonly partner: string;
      /** As with `page`. */
      readonly language?: string | undefined;
      /** The cookie by which this browser is known from now on (known_device.ts). */
      readonly device?: string | undefined;
      /** The login's own cookie from now on; absent where the login has failed. */
      readonly finished?: LoginCookie | undefined;
    };

export interface LoginCookie {
  readonly name: string;
  readonly value: string;
  /** Seconds. */
  readonly maxAge: number;
}
