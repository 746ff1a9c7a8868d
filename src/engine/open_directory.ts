// Owns the choice of a programme's member directory: the one in the store, or one behind a hook.

import type { MemberDirectory } from '../members/directory.ts';
import type { HookCredentials, HookLimits } from '../members/hook_connection.ts';
import { createHttpDirectory } from '../members/http_directory.ts';
import { createStoreDirectory } from '../members/store_directory.ts';
import type { ClientId } from '../oauth/client.ts';
import type { Programme } from '../programme/programme.ts';
import type { Foundation } from './service.ts';

/** Nothing is asked before the first login; a hook without credentials is nobody's to ask. */
export function openDirectory(
  { id, members, clientSubject }: Programme,
  { store, clock }: Foundation,
  credentials?: HookCredentials,
  limits?: HookLimits,
): MemberDirectory {
  if (members.directory === 'store') return createStoreDirectory(id, store);
  if (credentials === undefined) throw new Error(`${id} has no credentials for its directory`);
  const { url, concurrency } = members;
  // The prefix that clients' own subjects have and no member's may (C-9, HOSTILE 34).
  const prefix = clientSubject('' as ClientId);
  return createHttpDirectory({
    programme: id,
    url,
    concurrency,
    credentials,
    clock,
    isForeignSubject: (subject) => subject.startsWith(prefix),
    ...(limits === undefined ? {} : { limits }),
  });
}
