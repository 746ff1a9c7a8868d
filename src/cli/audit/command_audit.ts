// Owns what a command tells the audit stream: that it begins, before it changes anything; what it
// changed; how it ended; and who ran it.

import { AsyncLocalStorage } from 'node:async_hooks';

import type { Entry } from '../../audit/chain.ts';
import { type EventName, eventText, type Facts } from '../../audit/event.ts';
import { type Identify, identifierDigests } from '../../audit/identifiers.ts';
import { reasonOf, Trail } from '../../audit/trail.ts';
import type { Config } from '../../config/config.ts';
import { randomKey } from '../../lib/random.ts';
import { byWhom } from '../../server/audit/by_whom.ts';
import { say } from '../../server/ending.ts';
import { exitCodes, failed } from '../../server/exit.ts';
import type { Keyring } from '../../token/keyring.ts';
import { warn } from '../output.ts';

/** The command that this process runs. */
interface Command {
  /** `client add`. */
  words: string;
  /** The options that were given, without their values: some are of members. */
  options: readonly string[];
  audit?: CommandAudit;
}

const running = new AsyncLocalStorage<Command>();

/** Lines of one append: other writers wait meanwhile. */
const mostAtOnce = 5000;
/** Milliseconds to wait for other writers. */
const patience = 5000;

/** Runs a command line; tells the audit stream how it ended, if it has begun there. */
export function auditing(run: () => Promise<number>): Promise<number> {
  const command: Command = { words: '', options: [] };
  return running.run(command, async () => {
    const code = await run();
    const isTold = command.audit?.end(code) ?? true;
    return isTold || code !== exitCodes.done ? code : exitCodes.failed;
  });
}

/** Names the command that runs. */
export function nameCommand(words: string, options: readonly string[]): void {
  const command = running.getStore();
  if (command !== undefined) Object.assign(command, { words, options });
}

/**
 * The stream for what the command is about to change; undefined where the configuration has none. Tells
 * it once that the command has begun.
 * @param known the newest line that the store knows of
 * @throws CommandError where it cannot be told and the configuration wants that refused
 */
export function beginAudit(
  config: Config,
  keyring: Keyring,
  known?: Entry,
): CommandAudit | undefined {
  const command = running.getStore();
  if (command === undefined || config.audit === undefined) return undefined;
  command.audit ??= CommandAudit.begin(config.audit, keyring, known, command);
  return command.audit;
}

/** The newest line that the command has written, once it is on the disk; undefined where it is not. */
export function newestTold(): Entry | undefined {
  return running.getStore()?.audit?.sync();
}

export class CommandAudit {
  readonly #trail: Trail | undefined;
  readonly #common: Facts;
  readonly identify: Identify;

  private constructor(trail: Trail | undefined, common: Facts, keyring: Keyring) {
    this.#trail = trail;
    this.#common = common;
    this.identify = identifierDigests(keyring);
  }

  static begin(
    { file, onFailure }: NonNullable<Config['audit']>,
    keyring: Keyring,
    known: Entry | undefined,
    { words, options }: Command,
  ): CommandAudit {
    const { user, sudo_user, ...who } = byWhom();
    const common = { command: words, run: randomKey(6), user, sudo_user };
    let trail: Trail | undefined;
    try {
      trail = new Trail({ path: file, key: keyring.auditChain, patience, known });
      trail.append([eventText('command_begun', { ...common, options, ...who })]);
      trail.sync();
      return new CommandAudit(trail, common, keyring);
    } catch (error) {
      trail?.close();
      const reason = `the audit stream ${file} cannot be written (${reasonOf(error)})`;
      if (onFailure === 'refuse') throw failed(`nothing was changed: ${reason}`);
      warn(`${reason}: what this command does is not in it`);
      return new CommandAudit(undefined, common, keyring);
    }
  }

  /** Tells of what was changed. Never throws: it is changed. */
  put(events: readonly (readonly [EventName, Facts])[]): boolean {
    const texts = events.map(([event, facts]) => eventText(event, { ...facts, ...this.#common }));
    try {
      for (let from = 0; from < texts.length; from += mostAtOnce) {
        this.#trail?.append(texts.slice(from, from + mostAtOnce));
      }
      return true;
    } catch (error) {
      say(`this was done, but the audit stream cannot be written (${reasonOf(error)})`);
      return false;
    }
  }

  /** Returns the newest line once it is on the disk; undefined where it is not. */
  sync(): Entry | undefined {
    try {
      this.#trail?.sync();
      return this.#trail?.newest;
    } catch {
      return undefined;
    }
  }

  /** False where the stream could not be told. */
  end(exit: number): boolean {
    const isTold = this.put([['command_ended', { exit }]]);
    const isSynced = this.#trail === undefined || this.sync() !== undefined;
    this.#trail?.close();
    return isTold && isSynced;
  }
}
