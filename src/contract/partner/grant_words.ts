// Owns what partners are told of each grant, on the page.

import type { GrantType } from '../../oauth/grant.ts';

interface GrantWords {
  /** What the partner does with it. */
  readonly heading: string;
  readonly text: string;
  /** Its access token, in a list of tokens. */
  readonly token: string;
}

/** In the order in which a partner meets them. */
export const grantWords: Readonly<Record<GrantType, GrantWords>> = {
  authorization_code: {
    heading: 'Exchange the code for tokens',
    text: 'Your server sends the code to us, and gets tokens of the member. The examples read the code from `CODE`.',
    token: 'Access token from a code',
  },
  password: {
    heading: 'Get tokens with a username and password',
    text: 'Your server sends what the member has typed, and gets tokens of the member. Do not keep the password. The examples read it from `MEMBER_USERNAME` and `MEMBER_PASSWORD`.',
    token: 'Access token from a username and password',
  },
  refresh_token: {
    heading: 'Refresh tokens',
    text: 'When the access token has ended, or shortly before, exchange the refresh token for new tokens. The examples read it from `REFRESH_TOKEN`.',
    token: 'Access token from a refresh',
  },
  client_credentials: {
    heading: 'Get a token of your own',
    text: 'For calls that are about no member. Use it until it ends, then get another.',
    token: 'Access token of your own',
  },
  token_exchange: {
    heading: 'Exchange an access token',
    text: 'For an access token of yours you get another one. It ends with the login, as the first one does, and with the first one if you revoke that. The examples read the first one from `ACCESS_TOKEN`.',
    token: 'Access token from an exchange',
  },
  jwt_bearer: {
    heading: 'Get a token with an assertion',
    text: 'Your server signs an assertion and exchanges it for a token; there is no refresh token: sign another. The examples read it from `ASSERTION`.',
    token: 'Access token with an assertion',
  },
};
