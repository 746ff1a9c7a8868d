// Owns the verb `client add`: a partner gets an identifier, a secret and an API key, shown once (C-5).

import { isDeepStrictEqual } from 'node:util';

import type { Instant } from '../../lib/clock.ts';
import { quote } from '../../lib/fault.ts';
import { listed, present } from '../../lib/present.ts';
import type { Client, ClientId, StoredSecret } from '../../oauth/client.ts';
import { liveSecrets } from '../../oauth/secret_rotation.ts';
import { needsSigningSecret, type Programme } from '../../programme/programme.ts';
import { failed } from '../../server/exit.ts';
import type { Environment, Store } from '../../store/contract.ts';
import { sealSigningSecret } from '../../token/signing_secrets.ts';
import type { Values } from '../grammar/options.ts';
import type { addClientOptions, incomplete } from '../grammar/rows.ts';
import { type Surroundings, withStore } from '../open_store.ts';
import { warn } from '../output.ts';
import { selectProgrammes } from '../programmes.ts';
import type { guideOf } from '../programmes/show.ts';
import { clientFields, clientIdInput } from './client_fields.ts';
import { clientKind, fullName, judgeGiven, returnFaults, showClient } from './client_kind.ts';
import { needsNoSecret } from './client_needs.ts';
import { type NewItem, readNew, select } from './kind.ts';
import {
  expectLong,
  findHolder,
  newApiKey,
  newSecret,
  ownLookUps,
  readGivenSecret,
  secretTaken,
} from './secrets.ts';
import { type Handover, handOver, handoverOf, shown, unshown } from './shown.ts';

type AddClientOptions = NewItem &
  Values<readonly [...typeof addClientOptions, typeof incomplete]> & { readonly clientId?: string };

/** If one identifier in twenty is free, 200 tries all fail once in 30,000 runs. */
const identifierTries = 200;

export async function addClient(options: AddClientOptions): Promise<void> {
  const { apiKeyOf, clientId } = options;
  const read = readNew(options, clientFields, [clientIdInput], returnFaults);
  const { config, programme } = read;
  const fields =
    options.public === true ? { ...read.fields, isPublic: true as const } : read.fields;
  const signing =
    needsSigningSecret(programme) && fields.isPublic !== true ? newSecret() : undefined;
  const judged = { ...fields, apiKeys: [apiKeyOf ?? 'new'], signingSecrets: listed([signing]) };
  const warnings = judgeGiven(programme, judged, options);
  const newOrNone = (): string | undefined =>
    needsNoSecret(programme, fields) ? undefined : newSecret();
  const secret = options.secretStdin === true ? await readGivenSecret() : newOrNone();
  expectLong(secret, ownLookUps(programme), options.insecureShortSecret);
  const apiKey = newApiKey(config.environment);
  const { client, holder } = await withStore(config, async (open) => {
    const createdAt = open.clock.now();
    const stored = (text: string): readonly StoredSecret[] => [
      { digest: open.keyring.secretDigest(text), createdAt },
    ];
    const sharing =
      apiKeyOf === undefined ? undefined : await selectKeyHolder(open, programme, apiKeyOf);
    const record = {
      programme: programme.id,
      ...fields,
      secrets: secret === undefined ? [] : stored(secret),
      apiKeys: sharing === undefined ? stored(apiKey) : keysOf(sharing, createdAt),
      createdAt,
    };
    const given = clientId as ClientId | undefined;
    const complete = (id: ClientId): Client => {
      const unsigned = { ...record, id };
      if (signing === undefined) return unsigned;
      const sealed = sealSigningSecret(open.keyring, unsigned, signing, createdAt);
      return { ...unsigned, signingSecrets: [sealed] };
    };
    const hasHolder = async (): Promise<boolean> =>
      secret !== undefined && (await findHolder(open, programme, secret)) !== undefined;
    const added = await register(open.store, { programme, complete, given }, hasHolder);
    const kept = sharing === undefined ? added : await shareKeys(open.store, added, sharing);
    return { client: kept, holder: sharing };
  });
  warnings.forEach(warn);
  if (holder?.programme === client.programme && holder.partnerId !== client.partnerId) {
    warn(`${holder.id} has another partner id: clients of one partner alone share an API key`);
  }
  const own = { secret, signing, apiKey: holder ?? apiKey };
  const sheet = clientSheet(client, own, programme, config.environment);
  await handOver(
    options.partnerPage === true ? await withPage(sheet, config, programme, client) : sheet,
    options,
    (reason) =>
      `${client.id} of ${client.programme} is added, but ${reason} and its secret is lost: disable it and add another`,
  );
}

/** The other client's API keys that are valid now (C-5). */
function keysOf(holder: Client, now: Instant): readonly StoredSecret[] {
  const held = liveSecrets(holder.apiKeys, now);
  if (held.length > 0) return held;
  throw failed(`${fullName(holder)} has no API key: client rotate-api-key makes one`);
}

/**
 * Gives the added client the keys that the holder has now: a key of the holder that was ended since it was
 * read would be good again with this client (FAULTS 35). One that is ended after the last look is ended here
 * too, by whatever ends it for all that share it.
 */
async function shareKeys(store: Store, added: Client, holder: Client): Promise<Client> {
  let kept = added;
  for (;;) {
    const { apiKeys = [] } = (await store.find('client', holder.programme, holder.id)) ?? {};
    const isHeld = (key: StoredSecret): boolean =>
      apiKeys.some((one) => isDeepStrictEqual(one, key));
    if (kept.apiKeys.every(isHeld)) break;
    const before = kept;
    const after = await store.change('client', added.programme, added.id, (one) =>
      isDeepStrictEqual(one.apiKeys, before.apiKeys) ? { ...one, apiKeys } : one,
    );
    kept = after ?? { ...before, apiKeys: [] };
    if (!isDeepStrictEqual(kept.apiKeys, apiKeys)) break;
  }
  if (kept.apiKeys.length === 0) {
    warn(
      `the API key of ${fullName(holder)} was replaced just now: ${added.id} has none; client rotate-api-key makes one`,
    );
  }
  return kept;
}

/**
 * Finds the client whose API key is to be shared, by PROGRAMME/IDENTIFIER or by its identifier,
 * which is looked up in `programme` first.
 */
async function selectKeyHolder(
  around: Surroundings,
  programme: Programme,
  name: string,
): Promise<Client> {
  const own = await around.store.find('client', programme.id, name as ClientId);
  if (own !== undefined) return own;
  const slash = name.indexOf('/');
  const prefix = name.slice(0, Math.max(slash, 0));
  const elsewhere = selectProgrammes(around.config, undefined).find((one) => one === prefix);
  const id = elsewhere === undefined ? name : name.slice(slash + 1);
  return select(clientKind, around, id, present({ programme: elsewhere }), (programmes) =>
    programmes.map((one) => `--api-key-of ${one}/${id}`).join(' or '),
  );
}

interface NewClient {
  readonly programme: Programme;
  readonly complete: (id: ClientId) => Client;
  /** The first free generated identifier if left out. */
  readonly given: ClientId | undefined;
}

/** @param hasHolder whether another client has the secret, by which clients are found */
async function register(
  store: Store,
  { programme, complete, given }: NewClient,
  hasHolder: () => Promise<boolean>,
): Promise<Client> {
  const { id, clients } = programme;
  const tries = given === undefined ? identifierTries : 1;
  for (let turn = 0; turn < tries; turn++) {
    const client = complete(given ?? clients.newIdentifier());
    const taken = await store.add('client', [client], ownLookUps(programme));
    if (taken.length === 0) return client;
    if (await hasHolder()) throw secretTaken(id);
  }
  throw failed(
    given === undefined
      ? `no free client identifier was found in ${tries} tries: ${id} has too few of them (${clients.identifierForm}); give it longer ones (client.identifier)`
      : `the client identifier ${quote(given)} is taken in ${id}, or was before: identifiers are given out once`,
  );
}

/** The page stands behind the sheet: it has no secret, and can be sent on. */
async function withPage(
  { text, json }: Handover,
  ...of: Parameters<typeof guideOf>
): Promise<Handover> {
  // Most clients are added without one, and do without its modules.
  const partner = await import('../programmes/show.ts');
  const page = partner.pageIn('markdown', partner.guideOf(...of));
  return { text: `${text}\n\n${page.trimEnd()}`, json: { ...json, partner_page: page } };
}

function shownOnce(named: readonly string[], isPublic: boolean): string {
  if (named.length > 1)
    return `Its ${inList(named)} are shown this once; no verb can show them again.`;
  if (named.length === 1)
    return `Its ${named.join('')} is shown this once; no verb can show it again.`;
  if (isPublic) return 'It is public, and has no secret.';
  return 'It authenticates by what is registered below, and has no secret.';
}

function inList(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].join(' and ');
}

/** What is shown of a new client this once. */
interface ShownOnce {
  readonly secret: string | undefined;
  readonly signing: string | undefined;
  /** Its own, or the client whose key it shares. */
  readonly apiKey: string | Client;
}

/** The sheet that shows a new client with its secret, and its API key or whose key it shares. */
function clientSheet(
  client: Client,
  { secret, signing, apiKey }: ShownOnce,
  { identifier }: Programme,
  environment: Environment,
): Handover {
  const { id, programme } = client;
  const isOwn = typeof apiKey === 'string';
  const of = isOwn ? '' : fullName(apiKey);
  const told = new Set(['client_id', 'programme', 'secrets', 'signing_secrets', 'api_keys']);
  const rest = showClient(client).filter(({ json }) => !told.has(json));
  return handoverOf(
    [
      `Client ${id} is added to ${programme} (${environment}).`,
      shownOnce(
        listed([
          secret !== undefined && 'secret',
          signing !== undefined && 'signing secret',
          isOwn && 'API key',
        ]),
        client.isPublic === true,
      ),
    ],
    [
      shown('client_id', 'client identifier', id),
      shown('client_secret', 'client secret', secret ?? null),
      ...(signing === undefined ? [] : [shown('signing_secret', 'signing secret', signing)]),
      ...(isOwn
        ? [shown('api_key', 'API key', apiKey)]
        : [
            { ...shown('api_key', 'API key', null), lines: [`that of ${of}`] },
            unshown('api_key_of', of),
          ]),
      unshown('programme', programme),
      shown('programme_identifier', 'programme identifier', identifier),
      unshown('environment', environment),
      ...rest.map((one) => (one.json === 'status' ? { ...one, lines: [] } : one)),
    ],
  );
}
