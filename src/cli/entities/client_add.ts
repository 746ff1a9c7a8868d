// Owns the verb `client add`: a partner gets an identifier, a secret and an API key, shown once (C-5).

import type { Config } from '../../config/config.ts';
import { quote } from '../../lib/fault.ts';
import type { Client, ClientId } from '../../oauth/client.ts';
import { liveSecrets } from '../../oauth/secret_rotation.ts';
import type { Programme } from '../../programme/programme.ts';
import { CommandError, exitCodes, refuseUsage } from '../exit.ts';
import { expectDurableStore, type OpenStore, withStore } from '../open_store.ts';
import { type OutputOptions, warn } from '../output.ts';
import { configOf, loadCompiled } from '../programmes.ts';
import { type ClientFields, type ClientOptions, readClientFields } from './client_fields.ts';
import { expectComplete, judgeClient } from './client_needs.ts';
import { newApiKey, newSecret, readGivenSecret } from './client_secret.ts';
import { deliver, type Onboarding, type ShownKey } from './client_sheet.ts';
import { selectKeyHolder } from './select.ts';

export interface AddClientOptions extends ClientOptions, OutputOptions {
  readonly config: string;
  readonly programme: string;
  readonly clientId?: string;
  readonly secretStdin?: boolean;
  readonly apiKeyOf?: string;
  readonly incomplete?: boolean;
}

/** As long as one identifier in twenty is free, all of these are taken once in 30,000 runs. */
const identifierTries = 200;

/** `jetway client add`. */
export async function addClient(options: AddClientOptions): Promise<void> {
  const { apiKeyOf, clientId } = options;
  const fields = readClientFields(options);
  const config = configOf(options);
  const { loaded, programme } = loadCompiled(config, options.programme);
  refuseUsage(identifierFaults(programme, clientId));
  const judgement = judgeClient(loaded, { ...fields, apiKeys: [apiKeyOf ?? 'new'] });
  const warnings = expectComplete(judgement, options.incomplete);
  expectDurableStore(config);
  const secret = options.secretStdin === true ? await readGivenSecret() : newSecret();
  const onboarding = await withStore(config, async (open) => {
    const key =
      apiKeyOf === undefined
        ? makeApiKey(config, open)
        : sharedKey(await selectKeyHolder(config, open, programme.id, apiKeyOf), open);
    const draft = { ...fields, secret, apiKeys: key.held };
    return { client: await register(open, programme, draft, clientId as ClientId), key };
  });
  [...warnings, ...partnerWarnings(onboarding.client, onboarding.key.holder)].forEach(warn);
  const { identifier } = programme;
  const { environment } = config;
  await deliver({ ...onboarding, secret, identifier, environment }, options);
}

/** The API key that a new client is to have, and who has it already. */
interface GivenKey {
  readonly held: Client['apiKeys'];
  readonly shown: ShownKey;
  readonly holder?: Client;
}

function makeApiKey({ environment }: Config, { keyring, clock }: OpenStore): GivenKey {
  const text = newApiKey(environment);
  const held = [{ digest: keyring.secretDigest(text), createdAt: clock.now() }];
  return { held, shown: { text } };
}

/** The keys of another client that are good now (C-5). */
function sharedKey(holder: Client, { clock }: OpenStore): GivenKey {
  const of = `${holder.programme}/${holder.id}`;
  const held = liveSecrets(holder.apiKeys, clock.now());
  if (held.length > 0) return { held, shown: { of }, holder };
  const message = `${of} has no API key: client rotate-api-key makes one`;
  throw new CommandError(exitCodes.failed, message);
}

function partnerWarnings(client: Client, holder: Client | undefined): readonly string[] {
  if (holder?.programme !== client.programme || holder.partnerId === client.partnerId) return [];
  return [`${holder.id} has another partner id: clients of one partner alone share an API key`];
}

type Draft = ClientFields & Pick<Client, 'apiKeys'> & Pick<Onboarding, 'secret'>;

/** Adds the client under the given identifier, or under the first new one that is free. */
async function register(
  { store, keyring, clock }: OpenStore,
  programme: Programme,
  { secret, ...fields }: Draft,
  given: ClientId | undefined,
): Promise<Client> {
  const createdAt = clock.now();
  const secrets = [{ digest: keyring.secretDigest(secret), createdAt }];
  const tries = given === undefined ? identifierTries : 1;
  for (let turn = 0; turn < tries; turn++) {
    const client: Client = {
      programme: programme.id,
      id: given ?? programme.clients.newIdentifier(),
      ...fields,
      secrets,
      status: 'active',
      createdAt,
    };
    if ((await store.addClient(client)) === 'added') return client;
  }
  throw new CommandError(
    exitCodes.failed,
    given === undefined
      ? `no free client identifier was found in ${tries} tries: ${programme.id} has too few of them (${programme.clients.identifierForm}); give it longer ones (client.identifier)`
      : `the client identifier ${quote(given)} is taken in ${programme.id}, or was before: identifiers are given out once`,
  );
}

function identifierFaults({ clients, id }: Programme, given: string | undefined): string[] {
  return given === undefined || clients.isIdentifier(given)
    ? []
    : [`--client-id ${quote(given)} is no identifier of ${id}: expected ${clients.identifierForm}`];
}
