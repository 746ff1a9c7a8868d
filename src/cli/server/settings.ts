// Owns the configuration that a running server goes by: which of its keys a reload takes up, and the
// certificates that it names.

import { X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import type { Config } from '../../config/config.ts';
import { readTls, type TlsReading } from '../../config/tls.ts';
import type { Fault } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import { stampOf } from '../../lib/read_file.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { CommandError } from '../exit.ts';
import type { Listeners } from './listeners.ts';
import type { Serving, ServingSettings } from './serving.ts';

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

type Key = Exclude<keyof Config, 'document'>;

/** Takes up one key; resolves to why not where it cannot be. */
type TakeUp = (found: Config) => Promise<string | undefined>;

const listenerKeys = ['tls', 'gatewayTls'] as const;

export class Settings {
  readonly #serving: Serving;
  readonly #listeners: Listeners;
  readonly #others: Readonly<Partial<Record<Key, TakeUp>>>;
  /** What is gone by: as it was at the start, but for the keys that were taken up since. */
  #config: Config;
  #tls: TlsReading;
  #stamp: string;

  /** @param others the keys that neither listeners nor programmes go by */
  constructor(
    config: Config,
    tls: TlsReading,
    serving: Serving,
    listeners: Listeners,
    others: Readonly<Partial<Record<Key, TakeUp>>> = {},
  ) {
    this.#config = config;
    this.#tls = tls;
    this.#serving = serving;
    this.#listeners = listeners;
    this.#others = others;
    this.#stamp = this.stamp();
  }

  get config(): Config {
    return this.#config;
  }

  /** Another text whenever a certificate or its key has changed. */
  stamp(): string {
    return this.#tls.files.map((path) => `${path} ${stampOf(path)}`).join('\n');
  }

  /** What `stamp` was before the certificates were read last. */
  stampAtRead(): string {
    return this.#stamp;
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

  /** Tells what a configuration has otherwise; takes up what it may, unless it is only asked. */
  async follow(found: Config, dryRun: boolean): Promise<readonly SettingOutcome[]> {
    const keys = new Set([...keysOf(this.#config), ...keysOf(found)]);
    const outcomes: SettingOutcome[] = [];
    for (const key of keys) {
      const [former, next] = [this.#config[key], found[key]];
      if (isDeepStrictEqual(former, next)) continue;
      const isTaken = key in this.#others || isFollowed(key, this.#config, found);
      const message = isTaken && !dryRun ? await this.#take(found, key) : undefined;
      outcomes.push({
        key: key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        ...(message === undefined
          ? { outcome: isTaken ? 'changed' : 'needs_restart' }
          : { outcome: 'refused', message }),
      });
    }
    return outcomes;
  }

  /** Reads the certificates; new connections get those that have changed. Adds what is wrong to `faults`. */
  renewCertificates(faults: Fault[], dryRun: boolean): readonly SettingOutcome[] {
    const stamp = this.stamp();
    const reading = readTls(this.#config);
    faults.push(...reading.faults.filter(({ severity }) => severity === 'error'));
    const changed = listenerKeys.filter(
      (key) => reading[key] !== undefined && !isDeepStrictEqual(reading[key], this.#tls[key]),
    );
    if (!dryRun) {
      // Not without need: clients could not resume their sessions.
      if (changed.length > 0) this.#listeners.renew(reading);
      // A listener whose files have faults keeps what it has.
      this.#tls = { ...this.#tls, ...reading };
      this.#stamp = stamp;
    }
    return changed.map((key) => ({ key: `${keyTexts[key]} (certificates)`, outcome: 'changed' }));
  }

  /** Why the key could not be taken up; undefined where it was. */
  async #take(found: Config, key: Key): Promise<string | undefined> {
    let endFormer = async (): Promise<void> => undefined;
    try {
      // Before the paths move to it, and an end after they have moved: gateways are answered throughout.
      if (key === 'gateway') {
        endFormer = await this.#listeners.openGateway(found, this.#tls, this.#serving);
      }
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return error.message;
    }
    const refusal = await this.#others[key]?.(found);
    if (refusal !== undefined) return refusal;
    const { [key]: _former, ...rest } = this.#config;
    this.#config = present({ ...rest, [key]: found[key] }) as Config;
    this.#serving.follow(settingsOf(this.#config));
    this.#listeners.swap(this.#serving);
    await endFormer();
    return undefined;
  }
}

const keyTexts = { tls: 'tls', gatewayTls: 'gateway_tls' } as const;

/** Whether a running server takes the key up; any other needs a restart. */
function isFollowed(key: Key, former: Config, next: Config): boolean {
  const isAsBefore = (one: keyof Config): boolean =>
    (former[one] === undefined) === (next[one] === undefined);
  // A new listener would open with the TLS of before: in plain text where there was none.
  if (key === 'gateway') return isAsBefore('gatewayTls');
  if (key === 'trustedProxies' || key === 'stopDelay' || key === 'watchProgrammes') return true;
  // Other files. Whether there is TLS at all is a matter of the listener.
  return listenerKeys.some((one) => one === key) && isAsBefore(key);
}

/** What the served programmes have to know of it. */
export function settingsOf({ trustedProxies, gateway }: Config): ServingSettings {
  return { trustedProxies, hasGateway: gateway !== undefined };
}

function keysOf(config: Config): readonly Key[] {
  return Object.keys(config).filter((key) => key !== 'document') as Key[];
}
