// Owns the verb `client set`: changes what is registered of a client, all of it or nothing.

import { quote } from '../../lib/fault.ts';
import type { Client } from '../../oauth/client.ts';
import type { LoadedProgramme } from '../../programme/language/load.ts';
import { CommandError, exitCodes, refuseUsage } from '../exit.ts';
import { withStore } from '../open_store.ts';
import { print, printJson, warn } from '../output.ts';
import { configOf, loadIfGood } from '../programmes.ts';
import { sheet } from '../table.ts';
import {
  type ClientOptions,
  faultsOf,
  insecureUriFaults,
  propertiesOf,
  propertyFaults,
  redirectUriFaults,
  returnFaults,
  throttleFaults,
  throttleOf,
} from './client_fields.ts';
import { expectComplete, judgeClient, redirectWarnings } from './client_needs.ts';
import { businessContextFault, nameFault, partnerIdFault } from './client_rules.ts';
import { viewUsed } from './client_show.ts';
import { clientRows } from './client_view.ts';
import { changeClient, selectClient, type Selection } from './select.ts';

type Kept = Omit<ClientOptions, 'name' | 'role' | 'businessContext' | 'partnerId'>;

/** As they were typed; false where `--no-…` was. */
export interface SetClientOptions extends Selection, Kept {
  readonly name?: string;
  readonly addRedirectUri?: readonly string[];
  readonly removeRedirectUri?: readonly string[];
  readonly role?: Client['roles'];
  /** False where `--no-roles` was typed. */
  readonly roles?: boolean;
  readonly businessContext?: string | false;
  readonly partnerId?: string | false;
  /** False where `--no-throttle` was typed. */
  readonly throttle?: boolean;
  readonly removeProperty?: readonly string[];
  readonly incomplete?: boolean;
}

/** `jetway client set CLIENT_ID`: counts from the next request on, in running servers too. */
export async function setClient(id: string, options: SetClientOptions): Promise<void> {
  refuseUsage(optionFaults(options));
  const config = configOf(options);
  const { warnings, view } = await withStore(config, async (open) => {
    const found = await selectClient(config, open, id, options);
    const loaded = loadIfGood(config, found.programme);
    const changed = await changeClient(open.store, found, (before) => {
      const after = alter(before, options);
      if (!(after instanceof CommandError)) judged(loaded, after, options);
      return after;
    });
    return { warnings: judged(loaded, changed, options), view: await viewUsed(open, changed) };
  });
  warnings.forEach(warn);
  if (options.json === true) await printJson(view);
  else await print(sheet(clientRows(view)));
}

/** What is to be warned of; throws a usage error for what the client would lack. */
function judged(
  loaded: LoadedProgramme | undefined,
  after: Client,
  { incomplete }: SetClientOptions,
): readonly string[] {
  if (loaded !== undefined) return expectComplete(judgeClient(loaded, after), incomplete);
  const unjudged = `the file of ${after.programme} has faults: what it needs of a client is not looked at`;
  return [unjudged, ...redirectWarnings(after)];
}

/** What is wrong with the options whatever the client is like. */
function optionFaults(options: SetClientOptions): readonly string[] {
  const { redirectUri, addRedirectUri, removeRedirectUri, businessContext, partnerId } = options;
  return [
    ...(isChange(options)
      ? []
      : ['nothing is to be changed: jetway help client set lists what can']),
    ...clashes(options),
    ...faultsOf('--name', nameFault, options.name),
    ...redirectUriFaults('--redirect-uri', redirectUri),
    ...redirectUriFaults('--add-redirect-uri', addRedirectUri),
    ...insecureUriFaults(options.insecureRedirectUri),
    ...(addRedirectUri ?? [])
      .filter((uri) => removeRedirectUri?.includes(uri))
      .map((uri) => `${quote(uri)} is to be added and to be removed`),
    ...faultsOf('--business-context', businessContextFault, given(businessContext)),
    ...faultsOf('--partner-id', partnerIdFault, given(partnerId)),
    ...throttleFaults(options),
    ...propertyFaults(options.property),
  ];
}

function isChange(options: SetClientOptions): boolean {
  const {
    config: _config,
    programme: _programme,
    json: _json,
    incomplete: _,
    ...changes
  } = options;
  // Left out, a pair of --no-… stands at true.
  return Object.values(changes).some((value) => value !== undefined && value !== true);
}

function clashes(options: SetClientOptions): readonly string[] {
  const { redirectUri, addRedirectUri, removeRedirectUri, throttleLimit, throttleWindow } = options;
  const pairs = [
    [
      '--redirect-uri replaces all there are: leave out --add-redirect-uri and --remove-redirect-uri',
      redirectUri !== undefined && (addRedirectUri ?? removeRedirectUri) !== undefined,
    ],
    [
      '--role and --no-roles do not go together',
      options.role !== undefined && options.roles === false,
    ],
    [
      '--no-throttle and a throttle do not go together',
      options.throttle === false && (throttleLimit ?? throttleWindow) !== undefined,
    ],
  ] as const;
  return pairs.filter(([, clash]) => clash).map(([message]) => message);
}

/** The client with the changes, or why it cannot have them. */
function alter(before: Client, options: SetClientOptions): Client | CommandError {
  const { removeRedirectUri = [], removeProperty = [] } = options;
  const faults = [
    ...removeRedirectUri
      .filter((uri) => !before.redirectUris.includes(uri))
      .map((uri) => `${before.id} has no redirect URI ${quote(uri)}`),
    ...removeProperty
      .filter((name) => !Object.hasOwn(before.properties, name))
      .map((name) => `${before.id} has no property ${quote(name)}`),
  ];
  if (faults.length > 0) return new CommandError(exitCodes.failed, faults.join('\n'));
  const after = changed(before, options);
  const broken = returnFaults(after.roles, after.redirectUris);
  return broken.length === 0 ? after : new CommandError(exitCodes.usage, broken.join('\n'));
}

function changed(before: Client, options: SetClientOptions): Client {
  const { businessContext, partnerId, throttle, ...rest } = before;
  const { addRedirectUri = [], removeRedirectUri = [], removeProperty = [] } = options;
  const uris = options.redirectUri ?? [
    ...before.redirectUris.filter((uri) => !removeRedirectUri.includes(uri)),
    ...addRedirectUri,
  ];
  const kept = Object.entries(before.properties).filter(([name]) => !removeProperty.includes(name));
  return {
    ...rest,
    name: options.name ?? before.name,
    roles: options.roles === false ? [] : [...new Set(options.role ?? before.roles)],
    redirectUris: [...new Set([...uris, ...(options.insecureRedirectUri ?? [])])],
    properties: { ...Object.fromEntries(kept), ...propertiesOf(options.property) },
    ...optional('businessContext', options.businessContext ?? businessContext),
    ...optional('partnerId', options.partnerId ?? partnerId),
    ...optional(
      'throttle',
      options.throttle === false ? undefined : (throttleOf(options) ?? throttle),
    ),
  };
}

/** A property that is there only if it has a value. */
function optional<Name extends string, Value>(
  name: Name,
  value: Value | false | undefined,
): { readonly [Key in Name]?: Value } {
  return (value === undefined || value === false ? {} : { [name]: value }) as {
    readonly [Key in Name]?: Value;
  };
}

function given(value: string | false | undefined): string | undefined {
  return value === false ? undefined : value;
}
