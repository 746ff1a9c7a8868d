// Owns the client kind: how clients are named, found, checked and shown.

import { dateText } from '../../lib/duration.ts';
import type { Client, Gateway } from '../../oauth/client.ts';
import { liveSecrets } from '../../oauth/secret_rotation.ts';
import type { Programme } from '../../programme/programme.ts';
import { refuseUsage } from '../../server/exit.ts';
import type { Surroundings } from '../open_store.ts';
import { compileIfGood, selectProgrammes } from '../programmes.ts';
import type { Columns, Uses } from '../table.ts';
import { toldColliding } from './address_fields.ts';
import { collisionMessages, collisionWarnings } from './callback_names.ts';
import { type ClientFields, clientFields, hasNoReturn } from './client_fields.ts';
import {
  expectComplete,
  type JudgedClient,
  judgeClient,
  redirectWarnings,
} from './client_needs.ts';
import { givenIn, type Typed } from './fields.ts';
import type { Kind } from './kind.ts';
import { clientNoun } from './nouns.ts';
import { showSecrets } from './secrets.ts';
import { type Shown, shown, showFields } from './shown.ts';

export const clientKind: Kind<'client'> = {
  ...clientNoun,
  nameOf: ({ id }) => id,
  inWords: (id) => id,
  show: async (around, client, verb) => {
    const uses = await around.store.secretUses(client.programme, client.id);
    const values = showClient(client, uses);
    if (verb !== 'show') return values;
    return [...values, await showSharers(around, client)];
  },
  warnings: ({ config }, id) => {
    const programme = compileIfGood(config, id);
    return (client) => [
      ...redirectWarnings(client),
      ...(programme === undefined ? [] : collisionWarnings(programme, client)),
    ];
  },
  columns: {
    PROGRAMME: 'programme',
    CLIENT: 'client_id',
    NAME: 'name',
    ROLES: 'roles',
    STATUS: 'status',
    CREATED: 'created_at',
  } satisfies Columns<ViewName>,
  matches: (_, { name }, { name: part = '' }) =>
    Promise.resolve(name.toLowerCase().includes(String(part).toLowerCase())),
  removal: {
    loss: 'would be gone for good, and its identifier could never be given out again; client disable can be undone',
    done: 'removed with all its tokens; its identifier is never given out again',
    json: ['client_id', 'programme', 'name'] satisfies readonly ViewName[],
  },
  fields: clientFields,
  judgeChange: ({ config }, before, options) => {
    const { programme: id } = before;
    const programme = compileIfGood(config, id);
    return Promise.resolve((after) => {
      refuseUsage(returnFaults(after));
      if (programme !== undefined) return judgeGiven(programme, after, options, before);
      const unjudged = `the file of ${id} has faults: what it needs of a client is not looked at`;
      return [unjudged, ...redirectWarnings(after)];
    });
  },
};

/**
 * The warnings of a client that is registered or changed.
 * @throws CommandError where it lacks something, or a callback that it did not have before collides
 */
export function judgeGiven(
  programme: Programme,
  client: JudgedClient,
  options: Typed,
  before?: Client,
): readonly string[] {
  const told = toldColliding(givenIn(options, clientFields.redirectUris.inputs));
  // An old callback hinders no other change.
  const added = client.redirectUris.filter((uri) => before?.redirectUris.includes(uri) !== true);
  refuseUsage(collisionMessages(programme, added, told));
  const judgement = judgeClient(programme, client);
  return [
    ...expectComplete(judgement, options['incomplete'] === true),
    ...collisionWarnings(programme, client),
  ];
}

export function showClient(client: Client, uses: Uses = new Map()): readonly Shown<ViewName>[] {
  return valuesOf(client, uses);
}

type ViewName = ReturnType<typeof valuesOf>[number]['json'];

function valuesOf(client: Client, uses: Uses) {
  return [
    shown('client_id', 'client identifier', client.id),
    shown('programme', 'programme', client.programme),
    ...showFields(clientFields, client, uses),
    showSecrets('secrets', 'client secrets', client.secrets, uses),
    showSecrets('signing_secrets', 'signing secrets', client.signingSecrets ?? [], uses),
    showSecrets('api_keys', 'API keys', client.apiKeys, uses),
    shown('created_at', 'created', dateText(client.createdAt)),
  ];
}

/** The other clients, of any configured programme, that share an API key with this one (C-5). */
async function showSharers({ store, config, clock }: Surroundings, client: Client): Promise<Shown> {
  const keys = liveSecrets(client.apiKeys, clock.now());
  const holders = await Promise.all(
    selectProgrammes(config, undefined).flatMap((programme) =>
      keys.map(({ digest }) => store.findBy('client', 'api_key', programme, digest)),
    ),
  );
  const byName = new Map(holders.flat().map((holder) => [fullName(holder), holder]));
  byName.delete(fullName(client));
  return sharersShown('api_key_shared_with', 'API key shared with', [...byName.values()]);
}

/** A client's name among all programmes: `my-club/partnerapi-12345`. */
export function fullName({ programme, id }: Pick<Client | Gateway, 'programme' | 'id'>): string {
  return `${programme}/${id}`;
}

export function sharersShown(json: string, label: string, clients: readonly Client[]): Shown {
  const sorted = clients.toSorted((one, other) => (fullName(one) < fullName(other) ? -1 : 1));
  const value = sorted.map(({ programme, id }) => ({ programme, client_id: id }));
  return { json, label, value, lines: sorted.map(fullName) };
}

/** A login without a redirect URI could not end, so such a client is refused. */
export function returnFaults(client: ClientFields): readonly string[] {
  return hasNoReturn(client)
    ? ['--role member needs a --redirect-uri, where members return to after a login']
    : [];
}
