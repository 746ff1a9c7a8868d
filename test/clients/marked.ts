// Owns what the client libraries mark as deprecated to make it stand out: plain HTTP, and logins without
// PKCE.
/* oxlint-disable typescript/no-deprecated -- the mark is the libraries' warning, and here it is what is wanted */

import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

const allowInsecure: typeof oauth.allowInsecureRequests = oauth.allowInsecureRequests;

/** Plain HTTP is refused unless it is asked for; here it stays on this machine. */
export const insecure: { readonly [allowInsecure]: true } = { [allowInsecure]: true };

/** The same for openid-client, which is told so by a function. */
export const allowInsecureRequests: (config: openid.Configuration) => void =
  openid.allowInsecureRequests;

/** PKCE is optional in this dialect, so partners without it are served too. */
export const noPkce: typeof oauth.nopkce = oauth.nopkce;
