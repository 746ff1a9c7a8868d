// Owns the verb `client add`: a partner gets an identifier, a secret and an API key, shown once (C-5).

import { quote } from '../lib/fault.ts';
import type { Client, ClientId } from '../oauth/client.ts';
import { compileProgramme } from '../programme/compile.ts';
import type { Programme } from '../programme/programme.ts';
import { type ClientFields, type ClientOptions, readClientFields } from './client_fields.ts';
import { newApiKey, newSecret, readGivenSecret } from './client_secret.ts';
import { deliver, type Onboarding } from './client_sheet.ts';
import { clientWarnings } from './client_warnings.ts';
import { CommandError, exitCodes, refuseUsage } from './exit.ts';
import { type OutputOptions, warn } from './output.ts';
import { configOf, expectDurableStore, loadNamed, type OpenStore, withStore } from './workplace.ts';

export interface AddClientOptions extends ClientOptions, OutputOptions {
  readonly config: string;
  readonly programme: string;
  readonly clientId?: string;
  readonly secretStdin?: boolean;
}

/** As long as one identifier in twenty is free, all of these are taken once in 30,000 runs. */
const identifierTries = 200;

/** `jetway client add`. */
export async function addClient(options: AddClientOptions): Promise<void> {
  const fields = readClientFields(options);
  const config = configOf(options);
  const { id, definition } = loadNamed(config, options.programme);
  const programme = compileProgramme(id, definition, config.publicUrl);
  refuseUsage(identifierFaults(programme, options.clientId));
  expectDurableStore(config);
  const secret = options.secretStdin === true ? await readGivenSecret() : newSecret();
  const apiKey = newApiKey(config.environment);
  const given = options.clientId as ClientId | undefined;
  const client = await withStore(config, (open) =>
    register(open, programme, { ...fields, secret, apiKey }, given),
  );
  for (const warning of clientWarnings(definition, fields)) warn(warning);
  const { identifier } = programme;
  const { environment } = config;
  await deliver({ client, secret, apiKey, identifier, environment }, options);
}

type Draft = ClientFields & Pick<Onboarding, 'secret' | 'apiKey'>;

/** Adds the client under the given identifier, or under the first new one that is free. */
async function register(
  { store, keyring, clock }: OpenStore,
  programme: Programme,
  { secret, apiKey, ...fields }: Draft,
  given: ClientId | undefined,
): Promise<Client> {
  const createdAt = clock.now();
  const kept = (text: string): Client['secrets'] => [
    { digest: keyring.secretDigest(text), createdAt },
  ];
  const tries = given === undefined ? identifierTries : 1;
  for (let turn = 0; turn < tries; turn++) {
    const client: Client = {
      programme: programme.id,
      id: given ?? programme.clients.newIdentifier(),
      ...fields,
      secrets: kept(secret),
      apiKeys: kept(apiKey),
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
