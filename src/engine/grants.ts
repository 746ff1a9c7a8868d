// Owns the table of grants: one small file each, by name.

import type { GrantType } from '../oauth/grant.ts';
import type { Grant } from './authorization.ts';
import { authorizeByCode } from './authorization_code.ts';
import { authorizeClient } from './client_credentials.ts';
import { authorizeByPassword } from './password.ts';
import { authorizeByRefreshToken } from './refresh_token.ts';

export const grants: Readonly<Record<GrantType, Grant>> = {
  authorization_code: authorizeByCode,
  refresh_token: authorizeByRefreshToken,
  client_credentials: authorizeClient,
  password: authorizeByPassword,
};
