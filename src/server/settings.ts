// Owns the configuration that a running server goes by: which of its keys a reload takes up, and the
// certificates that it names.

import { X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { type Config, type ConfigKey, isTakenUp, wordOf } from '../config/config.ts';
import { hstsHeaders, type TlsReading } from '../config/tls.ts';
import { FaultsError } from '../lib/fault.ts';
import { present } from '../lib/present.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { CommandError } from './exit.ts';
import type { Listeners } from './listeners.ts';
import type { Serving, ServingSettings } from './programmes/serving.ts';

/** What a reload did about one changed key of the configuration, or about the files that it names. */
export interface SettingOutcome {
  readonly key: string;
  readonly outcome: 'changed' | 'needs_restart' | 'refused';
  readonly message?: string;
}

/** A certificate that Jetway shows. */
export interface Certificate {
  /** The listener that shows it, or `directory`. */
  readonly use: string;
  /** Whose member directory it is shown to. */
  readonly programme?: ProgrammeId;
  /** Milliseconds since the epoch. */
  readonly end: number;
}

/** Takes up one key. @throws CommandError, FaultsError where it cannot be */
type TakeUp = (found: Config) => Promise<void>;

const listenerKeys = ['tls', 'gatewayTls'] as const;
const certificateKeys = [...listenerKeys, 'jwksAuthoritiesFile'] as const;
type CertificateKey = (typeof certificateKeys)[number];

export class Settings {
  readonly #serving: Serving;
  readonly #listeners: Listeners;
  readonly #others: Readonly<Partial<Record<ConfigKey, TakeUp>>>;
  /** What is gone by: as it was at the start, but for the keys that were taken up since. */
  #config: Config;
  #tls: TlsReading;

  /** @param others how the keys are taken up that neither listeners nor programmes go by */
  constructor(
    config: Config,
    tls: TlsReading,
    serving: Serving,
    listeners: Listeners,
    others: Readonly<Partial<Record<ConfigKey, TakeUp>>> = {},
  ) {
    this.#config = config;
    this.#tls = tls;
    this.#serving = serving;
    this.#listeners = listeners;
    this.#others = others;
  }

  get config(): Config {
    return this.#config;
  }

  /** All that are in use now. */
  certificates(): readonly Certificate[] {
    const shown = [
      { use: 'listen', pem: this.#tls.tls?.certificate },
      { use: 'gateway', pem: this.#tls.gatewayTls?.certificate },
      ...this.#serving.served.values().map(({ programme, credentials }) => ({
        use: 'directory',
        programme: programme.id,
        pem: credentials?.certificate,
      })),
    ];
    return shown.flatMap(({ pem, ...whose }) =>
      pem === undefined ? [] : [{ ...whose, end: new X509Certificate(pem).validToDate.getTime() }],
    );
  }

  /** What `take` would do, as far as can be told without trying. */
  foresee(found: Config | undefined, reading: TlsReading): readonly SettingOutcome[] {
    const changed = differencesOf(this.#config, found ?? this.#config);
    return outcomesOf(changed, this.#changedCertificates(reading));
  }

  /**
   * Takes up what has changed in a configuration and its certificates.
   * @param found undefined where none was read
   */
  async take(found: Config | undefined, reading: TlsReading): Promise<readonly SettingOutcome[]> {
    const next = found ?? this.#config;
    const changed = differencesOf(this.#config, next);
    const certificates = this.#changedCertificates(reading);
    // A key whose files have faults keeps what it has.
    this.#tls = { ...this.#tls, ...reading };
    const refusals = new Map<ConfigKey, string>();
    if (changed.length + certificates.length > 0) await this.#take(next, changed, refusals);
    // Not without need: clients could not resume their sessions.
    if (listenerKeys.some((key) => certificates.includes(key))) this.#listeners.renew(reading);
    return outcomesOf(changed, certificates, refusals);
  }

  /** @param refusals gets why a key is refused that could be taken up otherwise */
  async #take(
    next: Config,
    changed: readonly Difference[],
    refusals: Map<ConfigKey, string>,
  ): Promise<void> {
    let endFormer: (() => Promise<void>) | undefined;
    for (const { key, isTaken } of changed) {
      if (!isTaken) continue;
      try {
        if (key === 'gateway') {
          endFormer = await this.#listeners.moveGateway(next, this.#tls, this.#serving);
        }
        await this.#others[key]?.(next);
        this.#config = withKey(this.#config, next, key);
      } catch (error) {
        if (!(error instanceof CommandError || error instanceof FaultsError)) throw error;
        refusals.set(key, error.message);
      }
    }
    // The paths move to the new listener before the former one ends: gateways are answered throughout.
    this.#serving.follow(settingsOf(this.#config, this.#tls));
    this.#listeners.swap(this.#serving);
    await endFormer?.();
  }

  #changedCertificates(reading: TlsReading): readonly CertificateKey[] {
    return certificateKeys.filter(
      (key) => reading[key] !== undefined && !isDeepStrictEqual(reading[key], this.#tls[key]),
    );
  }
}

function outcomesOf(
  changed: readonly Difference[],
  certificates: readonly CertificateKey[],
  refusals: ReadonlyMap<ConfigKey, string> = new Map(),
): readonly SettingOutcome[] {
  return [
    ...changed.map((one) => outcomeOf(one, refusals.get(one.key))),
    ...certificates.map((key) => ({
      key: `${wordOf(key)} (certificates)`,
      outcome: 'changed' as const,
    })),
  ];
}

interface Difference {
  readonly key: ConfigKey;
  /** Whether a running server takes it up; otherwise it counts after a restart. */
  readonly isTaken: boolean;
}

function differencesOf(former: Config, found: Config): readonly Difference[] {
  return [...new Set([...keysOf(former), ...keysOf(found)])]
    .filter((key) => !isDeepStrictEqual(former[key], found[key]))
    .map((key) => ({ key, isTaken: isTakenUp(key, former, found) }));
}

/** The configuration that a server goes by once it has taken up of another one what it may. */
export function followed(former: Config, found: Config): Config {
  return differencesOf(former, found)
    .filter(({ isTaken }) => isTaken)
    .reduce((config, { key }) => withKey(config, found, key), former);
}

function withKey(config: Config, found: Config, key: ConfigKey): Config {
  const { [key]: _former, ...rest } = config;
  return present({ ...rest, [key]: found[key] }) as Config;
}

function outcomeOf({ key, isTaken }: Difference, message: string | undefined): SettingOutcome {
  if (message !== undefined) return { key: wordOf(key), outcome: 'refused', message };
  return { key: wordOf(key), outcome: isTaken ? 'changed' : 'needs_restart' };
}

/** What the served programmes have to know of it. */
export function settingsOf(config: Config, tls: TlsReading): ServingSettings {
  const { trustedProxies, gateway, jwksAuthoritiesFile: file } = config;
  // What was read before outlasts a faulty file, but not the key.
  const jwksAuthorities = file === undefined ? undefined : tls.jwksAuthoritiesFile;
  const hasGateway = gateway !== undefined;
  return present({ trustedProxies, hasGateway, jwksAuthorities, pageHeaders: hstsHeaders(config) });
}

function keysOf(config: Config): readonly ConfigKey[] {
  return Object.keys(config).filter((key) => key !== 'document') as ConfigKey[];
}
