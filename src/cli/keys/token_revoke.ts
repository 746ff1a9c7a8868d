// Owns the verb `token revoke`: ends all codes and tokens of one client or member at once.

import type { Config } from '../../config/config.ts';
import { quote } from '../../lib/fault.ts';
import { normaliseUsername } from '../../members/username.ts';
import type { ClientId, ProgrammeId } from '../../oauth/client.ts';
import { type Subject, subjectForm } from '../../oauth/member.ts';
import { type CommandError, failed } from '../../server/exit.ts';
import type { Store } from '../../store/contract.ts';
import type { TokenOwner } from '../../store/grants.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { revokeTokensOptions } from '../grammar/rows.ts';
import { expectDurableStore, withStore } from '../open_store.ts';
import { printResult } from '../output.ts';
import { configOf, compileIfGood, selectProgrammes } from '../programmes.ts';

type RevokeTokensOptions = GivenWithConfig<typeof revokeTokensOptions>;

interface Found {
  readonly programme: ProgrammeId;
  readonly owner: TokenOwner;
  /** The members are behind a hook: only its directory knows whether the member exists. */
  readonly isElsewhere?: true;
}

export async function revokeTokens(options: RevokeTokensOptions): Promise<void> {
  const config = configOf(options);
  expectDurableStore(config);
  const programmes = selectProgrammes(config, options.programme);
  const revoked = await withStore(config, async ({ store }) => {
    const owners = await Promise.all(
      programmes.map(
        async (id) => (await find(store, id, options)) ?? findElsewhere(config, id, options),
      ),
    );
    const found = owners.flatMap((one) => one ?? []);
    await Promise.all(found.map(({ programme, owner }) => store.revoke(programme, owner)));
    return found;
  });
  if (revoked.length === 0) throw noMatch(options);
  return printResult(options, revoked.map(view), revoked.map(line).join('\n'));
}

async function find(
  store: Store,
  programme: ProgrammeId,
  { client, member, username }: RevokeTokensOptions,
): Promise<Found | undefined> {
  if (client !== undefined) {
    const found = await store.find('client', programme, client as ClientId);
    return found && { programme, owner: { client: found.id } };
  }
  const [found] =
    username === undefined
      ? [await store.find('member', programme, (member ?? '') as Subject)]
      : await store.findBy('member', 'username', programme, normaliseUsername(username));
  return found && { programme, owner: { subject: found.subject } };
}

/**
 * A member of a programme with a hook: the store need not have the member. Also for a programme
 * file with faults: a running server may have loaded it earlier.
 */
function findElsewhere(
  config: Config,
  programme: ProgrammeId,
  { member }: RevokeTokensOptions,
): Found | undefined {
  if (member === undefined || !subjectForm.test(member)) return undefined;
  if (compileIfGood(config, programme)?.members.directory === 'store') return undefined;
  return { programme, owner: { subject: member }, isElsewhere: true };
}

function noMatch({ client, member, username, programme }: RevokeTokensOptions): CommandError {
  const who =
    client === undefined
      ? `member ${username === undefined ? 'with the subject ' : ''}${quote(username ?? member ?? '')}`
      : `client ${quote(client)}`;
  const where = programme === undefined ? '' : ` in ${programme}`;
  return failed(`there is no ${who}${where}`);
}

function view({ programme, owner }: Found): object {
  return {
    programme,
    client_id: 'client' in owner ? owner.client : null,
    subject: 'subject' in owner ? owner.subject : null,
  };
}

function line({ programme, owner, isElsewhere }: Found): string {
  if ('client' in owner) {
    return `${programme}: every code and token issued to client ${owner.client} is revoked; with its secret it can get new ones`;
  }
  const whose =
    isElsewhere === true
      ? `any member ${owner.subject} that its directory may have`
      : `member ${owner.subject}`;
  return `${programme}: every code and token of the logins of ${whose} is revoked; they can log in anew`;
}
