// Owns finding the one client, gateway or member that a command names, and changing it: what is said,
// and how a command ends, where there is none of the name, several, or none any more.

import type { Config } from '../../config/config.ts';
import { quote } from '../../lib/fault.ts';
import { normaliseUsername } from '../../members/username.ts';
import type { Client, ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { Gateway, GatewayId } from '../../oauth/gateway.ts';
import type { MemberRecord, Subject } from '../../oauth/member.ts';
import type { Store } from '../../store/contract.ts';
import { CommandError, exitCodes } from '../exit.ts';
import type { OpenStore } from '../open_store.ts';
import type { OutputOptions } from '../output.ts';
import { selectProgrammes } from '../programmes.ts';

/** Options of a verb about one record. */
export interface Selection extends OutputOptions {
  readonly config: string;
  /** The programme; without it, the one programme that has such a record. */
  readonly programme?: string;
}

type Noun = 'client' | 'gateway' | 'member';

/** The client of that identifier. */
export function selectClient(
  config: Config,
  { store }: OpenStore,
  id: string,
  selection: Selection,
): Promise<Client> {
  const find = (one: ProgrammeId) => store.findClient(one, id as ClientId);
  return theOne(config, ['client', id], selection, find);
}

/**
 * The client whose API key another one of `programme` is to share: by its identifier, which counts
 * in that programme first, or as PROGRAMME/IDENTIFIER.
 */
export async function selectKeyHolder(
  config: Config,
  { store }: OpenStore,
  programme: ProgrammeId,
  name: string,
): Promise<Client> {
  const own = await store.findClient(programme, name as ClientId);
  if (own !== undefined) return own;
  const slash = name.indexOf('/');
  const elsewhere = selectProgrammes(config, undefined).find((one) => one === name.slice(0, slash));
  const id = elsewhere === undefined ? name : name.slice(slash + 1);
  const find = (one: ProgrammeId) => store.findClient(one, id as ClientId);
  const selection = elsewhere === undefined ? {} : { programme: elsewhere };
  return theOne(config, ['client', id], selection, find, (programmes) =>
    programmes.map((one) => `--api-key-of ${one}/${id}`).join(' or '),
  );
}

/** The gateway of that identifier. */
export function selectGateway(
  config: Config,
  { store }: OpenStore,
  id: string,
  selection: Selection,
): Promise<Gateway> {
  const find = (one: ProgrammeId) => store.findGateway(one, id as GatewayId);
  return theOne(config, ['gateway', id], selection, find);
}

/** The member of that username or, failing that, of that subject. */
export function selectMember(
  config: Config,
  { store }: OpenStore,
  name: string,
  selection: Selection,
): Promise<MemberRecord> {
  const username = normaliseUsername(name);
  const find = async (one: ProgrammeId) =>
    (await store.findMember(one, username)) ??
    (await store.findMemberBySubject(one, name as Subject));
  return theOne(config, ['member', name], selection, find);
}

/** Fails when no programme has such a record, or several and none is named. */
async function theOne<Found extends { readonly programme: ProgrammeId }>(
  config: Config,
  [noun, name]: readonly [Noun, string],
  { programme }: Pick<Selection, 'programme'>,
  find: (programme: ProgrammeId) => Promise<Found | undefined>,
  tellApart = (programmes: readonly ProgrammeId[]): string =>
    `add --programme and one of ${programmes.join(', ')}`,
): Promise<Found> {
  const answers = await Promise.all(selectProgrammes(config, programme).map(find));
  const found = answers.filter((one) => one !== undefined);
  const [only, another] = found;
  if (only === undefined) {
    const where = programme === undefined ? '' : ` in ${programme}`;
    throw new CommandError(exitCodes.failed, `there is no ${noun} ${quote(name)}${where}`);
  }
  if (another === undefined) return only;
  throw new CommandError(
    exitCodes.usage,
    `several programmes have a ${noun} ${quote(name)}: ${tellApart(found.map((one) => one.programme))}`,
  );
}

/** What to say where a record that was there a moment ago is not. */
export function removedMeanwhile(noun: Noun, name: string): CommandError {
  const message = `the ${noun} ${quote(name)} was removed by somebody else just now`;
  return new CommandError(exitCodes.failed, message);
}

/**
 * The client as it is after the change. A change that answers with an error changes nothing and
 * ends the command with it; it may run twice, so it must depend on the client alone.
 */
export async function changeClient(
  store: Store,
  { programme, id }: Client,
  change: (client: Client) => Client | CommandError,
): Promise<Client> {
  const outcomes: (Client | CommandError)[] = [];
  const changed = await store.changeClient(programme, id, (client) => {
    const outcome = change(client);
    outcomes.push(outcome);
    return outcome instanceof CommandError ? client : outcome;
  });
  const last = outcomes.at(-1);
  if (last instanceof CommandError) throw last;
  if (changed === undefined) throw removedMeanwhile('client', id);
  return changed;
}

/** The member as it is after the change. */
export async function changeMember(
  store: Store,
  { programme, subject, username }: MemberRecord,
  change: (member: MemberRecord) => MemberRecord,
): Promise<MemberRecord> {
  const changed = await store.changeMember(programme, subject, change);
  if (changed === undefined) throw removedMeanwhile('member', username);
  return changed;
}
