// Owns what the front of a server (lifecycle/running.ts) asks of what answers requests behind it: this
// process itself, or several worker processes. All that goes in and out is plain data.

import type { EventName, Facts } from '../audit/event.ts';
import type { Config } from '../config/config.ts';
import type { TlsReading } from '../config/tls.ts';
import type { Parts } from '../http/admin.ts';
import type { Instant } from '../lib/clock.ts';
import type { Family } from '../lib/metrics/families.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { CommandError } from './exit.ts';
import type { HandedSockets } from './lifecycle/handed_sockets.ts';
import type { ListenerUrls } from './listeners.ts';
import type { Look } from './programme_folder.ts';
import type { Reading } from './reload/reading.ts';
import type { ReloadOptions, ReloadReport } from './reload/report.ts';
import type { ProgrammeOutcome } from './serving_plan.ts';
import type { StatusView } from './status.ts';
import type { WhyAnswer } from './why/route.ts';

/** The files that a server begins with, and what else its start depends on. */
export interface Start {
  readonly config: Config;
  readonly tls: TlsReading;
  readonly looks: readonly Look[];
  /** SHA-256 of the configuration, in hex. */
  readonly configDigest: string;
  readonly acceptClock: boolean;
  readonly handed: HandedSockets;
  /** Where it takes the place of a process that has ended: what that one served, of these files or before. */
  readonly former?: Former;
}

export interface Former {
  readonly served: readonly ServedVersion[];
  readonly last: ReloadReport;
}

export interface ServedVersion {
  readonly look: Look;
  readonly since: Instant;
}

/** Which version of a programme is served. */
export interface VersionName {
  readonly programme: ProgrammeId;
  /** Of its look. */
  readonly digest: string;
  readonly since: Instant;
}

/** What answers requests, once its store is open and its programmes are ready; nothing listens yet. */
export interface Opened {
  readonly answering: Answering;
  /** What became of each programme's file. */
  readonly outcomes: readonly ProgrammeOutcome[];
}

export interface Listening {
  readonly urls: ListenerUrls;
  /** Programmes in maintenance, and since when. */
  readonly closed: readonly { readonly programme: ProgrammeId; readonly createdAt: Instant }[];
  readonly report: ReloadReport;
  readonly versions: readonly VersionName[];
}

export interface Taken {
  readonly report: ReloadReport;
  /** The configuration that is gone by now. */
  readonly config: Config;
  readonly versions: readonly VersionName[];
}

export interface Answering {
  /** Begins to answer requests. @throws CommandError where an address cannot be bound */
  readonly listen: () => Promise<Listening>;
  readonly parts: () => Promise<Parts>;
  readonly metrics: () => Promise<readonly Family[]>;
  readonly status: () => Promise<StatusView>;
  /** @param query of the control socket's request,  */
  readonly why: (query: string) => Promise<WhyAnswer>;
  /** Readies what was read; where it rejects, nothing is ready. */
  readonly prepare: (reading: Reading, options: ReloadOptions) => Promise<ReloadReport>;
  /** Takes up what was readied. @param tells whether log and audit stream are told */
  readonly take: (tells: boolean) => Promise<Taken>;
  /** Tells the other servers of the store what is served by now, and reads what they serve. */
  readonly settle: () => Promise<void>;
  /** Gives up what was readied. */
  readonly drop: () => Promise<void>;
  readonly audit: (event: EventName, facts: Facts) => Promise<void>;
  /** Goes by the machine's clock from now on (SIGUSR2). */
  readonly acceptClock: () => Promise<void>;
  /** Is unready from now on, while it answers. */
  readonly stopping: () => Promise<void>;
  /** Has clients open their next connections elsewhere. */
  readonly lastAnswers: () => Promise<void>;
  /** Answers what is under way, and no more. */
  readonly close: () => Promise<void>;
  /** Lets go of everything. @param why for the audit stream */
  readonly end: (why: string) => Promise<void>;
  /** Resolves when no request can be answered any more, to the error that the server ends with. */
  readonly lost: Promise<CommandError>;
}
