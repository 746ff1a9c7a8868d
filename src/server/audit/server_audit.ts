// Owns the audit stream of a server from its start to its end: who runs what version of it, and of which
// programmes.

import type { Facts } from '../../audit/event.ts';
import { identifierDigests } from '../../audit/identifiers.ts';
import { AuditStream } from '../../audit/stream.ts';
import { reasonOf } from '../../audit/trail.ts';
import type { Config } from '../../config/config.ts';
import type { Keyring } from '../../token/keyring.ts';
import { failed } from '../exit.ts';
import type { ServerLog } from '../log_writer.ts';
import type { Programmes } from '../programmes/programmes.ts';
import { AuditObserver } from '../requests/audit_events.ts';
import { versionLine } from '../version.ts';
import type { Changer } from './audited_store.ts';
import { byWhom } from './by_whom.ts';
import type { StreamMark } from './stream_mark.ts';

/** Milliseconds that the stream has to take the start, and what is left when the server ends. */
const firstPatience = 5000;
const lastPatience = 2000;
/** Milliseconds to wait for other writers. */
const patience = 1000;
/** Milliseconds between two notes of the newest line in the store. */
const noteInterval = 600_000;

/** A server's audit stream. */
export interface ServerAudit {
  readonly stream: AuditStream;
  /** The server as it changes keys by itself. */
  readonly changer: Changer;
  /**
   * Resolves once the stream has taken the start.
   * @throws CommandError where it does not and the configuration wants that refused
   */
  readonly started: () => Promise<void>;
  /** Tells the stream of requests to the served programmes. */
  readonly observer: (programmes: Programmes) => AuditObserver;
  /** Notes the newest line in the store, before that is closed. */
  readonly note: () => Promise<void>;
  /** Tells the stream of the end, once no request is answered any more. */
  readonly end: (why: string) => Promise<void>;
}

/**
 * Opens the stream and tells it of the start; undefined where the configuration has none.
 * @param files the digests of the configuration and of the programmes' files
 * @param mark what the store knows of the stream
 */
export function openServerAudit(
  { audit, environment }: Pick<Config, 'audit' | 'environment'>,
  keyring: Keyring,
  log: ServerLog,
  files: Facts,
  mark?: StreamMark,
): ServerAudit | undefined {
  if (audit === undefined) return undefined;
  const { file: path, onFailure, tellsVerification } = audit;
  const tell = (trouble: string | undefined): void => {
    if (trouble === undefined) log.info('audit_resumed', { detail: `${path} is written again` });
    else log.error('audit_failing', { detail: `${path}: ${reasonOf(trouble)}` });
  };
  const { auditChain: key } = keyring;
  const stream = new AuditStream({
    path,
    key,
    patience,
    onFailure,
    tell,
    known: mark?.known,
  });
  const identify = identifierDigests(keyring);
  stream.put('server_started', { version: versionLine(), environment, ...files, ...byWhom() });
  // Begun now: it is written while other things are made ready.
  const flushed = stream.flush(firstPatience);
  // A line that a power cut took would count as one that was cut off.
  const note = async (): Promise<void> => mark?.note(await stream.sync(lastPatience));
  const noting = setInterval(() => void note(), noteInterval).unref();
  return {
    stream,
    changer: {
      identify,
      put: (events) => {
        for (const [event, facts] of events) stream.put(event, facts);
      },
    },
    started: async () => {
      const noted = flushed.then(async (isFlushed) => {
        if (isFlushed) await note();
        return isFlushed;
      });
      if (onFailure === 'drop' || (await noted)) return;
      const reason = reasonOf(stream.trouble ?? 'it does not answer');
      throw failed(
        `the audit stream ${path} cannot be written (${reason}): mend that, or set audit: { on_failure: drop } in the configuration`,
      );
    },
    observer: (programmes) =>
      new AuditObserver({
        stream,
        identify,
        tellsVerification,
        isIdentifier: (programme, text) =>
          programmes.served.get(programme)?.programme.clients.isIdentifier(text) === true,
      }),
    note: async () => {
      clearInterval(noting);
      if (stream.trouble === undefined) await note();
    },
    end: async (why) => {
      stream.put('server_stopped', { why, pid: process.pid });
      const lost = await stream.end(lastPatience);
      if (lost > 0) log.error('audit_lost', { detail: `${lost} events could not be written` });
    },
  };
}
