// Owns the verb `client add`: a partner gets an identifier, a secret and an API key, shown once (C-5).

import { quote } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import type { Client, ClientId, StoredSecret } from '../../oauth/client.ts';
import { liveSecrets } from '../../oauth/secret_rotation.ts';
import type { Programme } from '../../programme/programme.ts';
import type { Environment } from '../../store/contract.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { option } from '../grammar/grammar.ts';
import { withStore } from '../open_store.ts';
import { warn } from '../output.ts';
import { selectProgrammes } from '../programmes.ts';
import { type ClientFields, clientFields } from './client_fields.ts';
import { clientKind, returnFaults, fullName, showClient } from './client_kind.ts';
import { expectComplete, judgeClient } from './client_needs.ts';
import type { Input } from './fields.ts';
import { type NewItem, readNew, select, type Surroundings } from './kind.ts';
import { newApiKey, newSecret, readGivenSecret } from './secrets.ts';
import { type Handover, handOver, jsonOf, sheetOf, shown } from './shown.ts';

export const clientIdInput: Input = {
  name: 'client_id',
  required: true,
  quoted: true,
  check: (text, programme) =>
    programme === undefined || programme.clients.isIdentifier(text)
      ? undefined
      : `is no identifier of ${programme.id}: expected ${programme.clients.identifierForm}`,
  option: option('--client-id <id>', 'an identifier it has already, instead of a new one'),
};

type AddClientOptions = NewItem & {
  readonly clientId?: string;
  readonly secretStdin?: boolean;
  readonly apiKeyOf?: string;
  readonly incomplete?: boolean;
};

/** If one identifier in twenty is free, 200 tries all fail once in 30,000 runs. */
const identifierTries = 200;

export async function addClient(options: AddClientOptions): Promise<void> {
  const { apiKeyOf, clientId } = options;
  const read = readNew(options, clientFields, [clientIdInput], returnFaults);
  const { config, loaded, programme, fields } = read;
  const judgement = judgeClient(loaded, { ...fields, apiKeys: [apiKeyOf ?? 'new'] });
  const warnings = expectComplete(judgement, options.incomplete);
  const secret = options.secretStdin === true ? await readGivenSecret() : newSecret();
  const { client, key } = await withStore(config, async (open) => {
    const around = { ...open, config };
    const givenKey =
      apiKeyOf === undefined
        ? newKey(around)
        : keyOf(await selectKeyHolder(around, programme, apiKeyOf), around);
    const held = { ...fields, secret, apiKeys: givenKey.held };
    const added = await register(around, programme, held, clientId as ClientId | undefined);
    return { client: added, key: givenKey };
  });
  [...warnings, ...partnerWarnings(client, key.holder)].forEach(warn);
  await handOver(
    clientSheet(client, secret, key, programme, config.environment),
    options,
    (reason) =>
      `${client.id} of ${client.programme} is added, but ${reason} and its secret is lost: disable it and add another`,
  );
}

/** The API key of a new client: generated, or shared with another client. */
interface GivenKey {
  readonly held: readonly StoredSecret[];
  readonly text?: string;
  readonly holder?: Client;
}

function newKey({ config, keyring, clock }: Surroundings): GivenKey {
  const text = newApiKey(config.environment);
  return { held: [{ digest: keyring.secretDigest(text), createdAt: clock.now() }], text };
}

/** The other client's API keys that are valid now (C-5). */
function keyOf(holder: Client, { clock }: Surroundings): GivenKey {
  const held = liveSecrets(holder.apiKeys, clock.now());
  if (held.length > 0) return { held, holder };
  const message = `${fullName(holder)} has no API key: client rotate-api-key makes one`;
  throw new CommandError(exitCodes.failed, message);
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
  const selection = elsewhere === undefined ? {} : { programme: elsewhere };
  return select(clientKind, around, id, selection, (programmes) =>
    programmes.map((one) => `--api-key-of ${one}/${id}`).join(' or '),
  );
}

function partnerWarnings(client: Client, holder: Client | undefined): readonly string[] {
  if (holder?.programme !== client.programme || holder.partnerId === client.partnerId) return [];
  return [`${holder.id} has another partner id: clients of one partner alone share an API key`];
}

/** Adds the client under the given identifier, or under the first free generated one. */
async function register(
  { store, keyring, clock }: Surroundings,
  programme: Programme,
  { secret, ...fields }: ClientFields & Pick<Client, 'apiKeys'> & { readonly secret: string },
  given: ClientId | undefined,
): Promise<Client> {
  const createdAt = clock.now();
  const secrets = [{ digest: keyring.secretDigest(secret), createdAt }];
  const tries = given === undefined ? identifierTries : 1;
  for (let turn = 0; turn < tries; turn++) {
    const id = given ?? programme.clients.newIdentifier();
    const client = { programme: programme.id, id, ...fields, secrets, createdAt };
    const taken = await store.add('client', [client]);
    if (taken.length === 0) return client;
  }
  throw new CommandError(
    exitCodes.failed,
    given === undefined
      ? `no free client identifier was found in ${tries} tries: ${programme.id} has too few of them (${programme.clients.identifierForm}); give it longer ones (client.identifier)`
      : `the client identifier ${quote(given)} is taken in ${programme.id}, or was before: identifiers are given out once`,
  );
}

/** The sheet that shows a new client and its secrets. */
function clientSheet(
  client: Client,
  secret: string,
  { text, holder }: GivenKey,
  { identifier }: Programme,
  environment: Environment,
): Handover {
  const { id, programme } = client;
  const of = holder && fullName(holder);
  const told = new Set(['client_id', 'programme', 'secrets', 'api_keys']);
  const rest = showClient(client).filter(({ json }) => !told.has(json));
  const credentials = [
    shown('client_id', 'client identifier', id),
    shown('client_secret', 'client secret', secret),
    { ...shown('api_key', 'API key', text ?? null), lines: [text ?? `that of ${of}`] },
  ];
  const sent = shown('programme_identifier', 'programme identifier', identifier);
  const inSheet = rest.filter(({ json }) => json !== 'status');
  return {
    text: [
      `Client ${id} is added to ${programme} (${environment}).`,
      holder === undefined
        ? 'Its secret and API key are shown this once; no verb can show them again.'
        : 'Its secret is shown this once; no verb can show it again.',
      '',
      sheetOf([...credentials, sent, ...inSheet]),
    ].join('\n'),
    json: present({
      ...jsonOf(credentials),
      api_key_of: of,
      programme,
      ...jsonOf([sent]),
      environment,
      ...jsonOf(rest),
    }),
  };
}
