// Owns the requests of a fleet's clients as HTTP, and what an answer means.

import { type FormAnswer, post } from '../load/login.ts';
import type { Act, Outcome } from './history.ts';
import type { Programme } from './site.ts';

/** Milliseconds after which a client gives up. */
const patience = 4000;

/** The node does not listen: nothing was sent. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}

/** An answer that no state of the service explains. */
export class Strange extends Error {
  override readonly name = 'Strange';
}

/** Posts a form; undefined where no answer came. */
export async function tryPost(
  port: number,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<FormAnswer | undefined> {
  try {
    return await post(port, path, fields, AbortSignal.timeout(patience));
  } catch (error) {
    const { cause } = error as { readonly cause?: NodeJS.ErrnoException };
    if (cause?.code === 'ECONNREFUSED') throw new NotSent(cause.message);
    return undefined;
  }
}

/**
 * Sends the request of an act; undefined where no answer came, or the store was away.
 * @throws NotSent, Strange
 */
export async function perform(
  port: number,
  programme: Programme,
  act: Exclude<Act, { readonly kind: 'issue' }>,
): Promise<Outcome | undefined> {
  const [path, fields] = formOf(act);
  const answer = await tryPost(port, `/${programme}/${path}`, fields);
  if (answer === undefined || answer.status === 503) return undefined;
  const { status, body } = answer;
  const told = JSON.parse(body === '' ? '{}' : body) as Readonly<Record<string, unknown>>;
  if (act.kind === 'verify' && status === 200) return told['active'] === true ? 'valid' : 'refused';
  if (act.kind === 'revoke' && status === 200) return 'done';
  if (status === 400 && told['error'] === 'invalid_grant') return 'refused';
  const { access_token: access, refresh_token: refresh } = told;
  if (status !== 200 || typeof access !== 'string') throw new Strange(`${status} ${body}`);
  return typeof refresh === 'string' ? { access, refresh } : { access };
}

function formOf(
  act: Exclude<Act, { readonly kind: 'issue' }>,
): readonly [path: string, fields: Readonly<Record<string, string>>] {
  switch (act.kind) {
    case 'spend':
      return ['api/grant', { grant_type: 'authorization_code', code: act.code }];
    case 'refresh':
      return ['api/grant', { grant_type: 'refresh_token', refresh_token: act.token }];
    case 'own':
      return ['api/grant', { grant_type: 'client_credentials' }];
    case 'verify':
      return ['introspect', { token: act.token }];
    default:
      return ['revoke', { token: act.token }];
  }
}
