// Owns the choice of a programme's member directory: the one in the store, or one behind a hook.

import type { MemberDirectory } from '../members/directory.ts';
import type { HookCredentials, HookLimits } from '../members/hook_connection.ts';
import { createHttpDirectory } from '../members/http_directory.ts';
import { createStoreDirectory } from '../members/store_directory.ts';
import { Unavailable } from '../oauth/failure.ts';
import type { Programme } from '../programme/programme.ts';
import type { Foundation } from './service.ts';

/** What a member is told nothing of: the file changed its prefix, or the airline's system its subjects. */
export function unavailableMember({ id }: Programme): Unavailable {
  return new Unavailable(
    `a member of ${id} has a subject that begins as those of clients do: change tokens.client_subject_prefix, or the subject`,
  );
}

/** Nothing is asked before the first login; a hook without credentials is nobody's to ask. */
export function openDirectory(
  programme: Programme,
  { store, clock }: Foundation,
  credentials?: HookCredentials,
  limits?: HookLimits,
): MemberDirectory {
  const { id, members } = programme;
  if (members.directory === 'store') return apart(programme, createStoreDirectory(id, store));
  if (credentials === undefined) throw new Error(`${id} has no credentials for its directory`);
  const { url, concurrency } = members;
  const directory = createHttpDirectory({
    programme: id,
    url,
    concurrency,
    credentials,
    clock,
    ...(limits === undefined ? {} : { limits }),
  });
  return apart(programme, directory);
}

/** Whoever logs in must not be taken for a client afterwards (C-9). */
function apart(programme: Programme, directory: MemberDirectory): MemberDirectory {
  return {
    ...directory,
    async verify(attempt) {
      const told = await directory.verify(attempt);
      if (told.outcome === 'match' && programme.isClientSubject(told.member.subject)) {
        throw unavailableMember(programme);
      }
      return told;
    },
  };
}
