// Owns what a step of a login can come to; how it is put into HTML and headers is http's.

import type { LoginPageName } from '../../programme/login/texts.ts';
import type { LoginTransaction } from './transaction.ts';

/** Which messages the login page shows. */
export type LoginMessage = 'not_recognised' | 'difficulties' | 'username_blank' | 'password_blank';

/** A login page about to be shown. */
export interface LoginForm {
  readonly transaction: LoginTransaction;
  readonly sealed: string;
  readonly formToken: string;
  readonly messages: readonly LoginMessage[];
  /** What was typed before, to be shown again. */
  readonly username: string;
  /** What the page fills in by itself: in the demo, and nowhere else. */
  readonly password?: string;
}

export type LoginOutcome =
  /** On to the login page. */
  | {
      readonly kind: 'begin';
      readonly status: 302 | 303;
      readonly sealed: string;
      /** Binds the login to this browser; absent where the browser is bound already, or a later one will be. */
      readonly cookie?: { readonly name: string; readonly value: string; readonly maxAge: number };
    }
  | {
      readonly kind: 'form';
      readonly status: number;
      readonly form: LoginForm;
      readonly retryAfter?: number;
    }
  | {
      readonly kind: 'page';
      readonly status: number;
      readonly page: LoginPageName;
      /** The language that the login request asked for, if it did. */
      readonly language?: string | undefined;
      readonly retryAfter?: number;
    }
  /** Back to the partner. */
  | {
      readonly kind: 'redirect';
      readonly status: 302;
      readonly location: string;
      /** The cookie by which this browser is known from now on (known_device.ts). */
      readonly device?: string;
    };
