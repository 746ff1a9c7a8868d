// Owns the closed list of the log's events, but for the lines of requests. The page of events is made
// of it. No fact of an event is a secret.

/** `error` for what an operator has to look at; the rest is what operators asked for. */
export type Level = 'error' | 'info';

interface EventRow {
  readonly level: Level;
  /** What has happened, and what to do. */
  readonly text: string;
}

export const logEvents = {
  audit_failing: {
    level: 'error',
    text: 'The audit stream cannot be written. With `on_failure: refuse` requests and commands are refused meanwhile. Look at its disk and its permissions.',
  },
  audit_lost: {
    level: 'error',
    text: 'A server has ended while the audit stream could not be written: these events are lost.',
  },
  audit_resumed: { level: 'info', text: 'The audit stream is written again.' },
  clock_accepted: {
    level: 'error',
    text: 'The service follows another clock, because an operator or another server has accepted it. Codes and tokens without a login that were issued later than that time have ended; logins go on.',
  },
  clock_gap: {
    level: 'error',
    text: 'The store was not in use for a long time, or the clock is wrong. If it is wrong, stop the server and set it right within the hour: nothing is purged until then.',
  },
  clock_jump: {
    level: 'error',
    text: "The machine's clock and the service's have gone apart, or agree again. Find out which is wrong: `jetway serve --accept-clock`, or SIGUSR2, follows the machine's.",
  },
  clock_not_accepted: {
    level: 'error',
    text: "The store did not take the machine's time after SIGUSR2. Ask again once the store answers.",
  },
  command: {
    level: 'info',
    text: 'A command asked the server by its control socket, such as reload or status. Its options are named without their values.',
  },
  debugger_not_supported: {
    level: 'error',
    text: 'SIGUSR1 came, which would open a debugger in other programs. Nothing has changed.',
  },
  housekeeping_failed: {
    level: 'error',
    text: 'A task that runs by itself has failed: sweeping the store, renewing the number of this server, watching files. It is told once, and tried again.',
  },
  key_set_unreachable: {
    level: 'error',
    text: 'The key set of a client could not be fetched, or is not one. The client is refused once what was fetched last is an hour old.',
  },
  last_version_not_kept: {
    level: 'error',
    text: 'The last good versions of programme files could not be written to the folder where the machine keeps them. The server goes on; a start while a file is broken would not serve that programme.',
  },
  last_version_served: {
    level: 'error',
    text: "At the start a programme's file had faults, and its last good version is served instead. `jetway check` tells where the faults are.",
  },
  lines_left_out: {
    level: 'error',
    text: 'So many lines were left out of the log since the last such line, by kind: there were too many of one kind, or nobody reads the log.',
  },
  log_not_reopened: {
    level: 'error',
    text: 'SIGWINCH came, and the file of the log could not be opened. The former one is still written.',
  },
  machine_suspended: {
    level: 'info',
    text: 'The machine was suspended. The service goes on at the right time; what ended meanwhile has ended.',
  },
  no_control_socket: {
    level: 'error',
    text: 'No command can ask this server: another one has the socket, or it cannot be made. It is tried again.',
  },
  nodes_differ: {
    level: 'error',
    text: 'Another server of the store serves something else: another version, programme or setting. Give all of them the same files; the line comes again once they agree.',
  },
  not_ready_to_reload: {
    level: 'error',
    text: 'SIGHUP came while the server was starting. Nothing is lost: it reads its files in any case.',
  },
  overloaded: {
    level: 'error',
    text: 'Requests were refused, because there were more than the server can answer, or than its directory of members or its disk can take.',
  },
  programme_added: { level: 'info', text: 'A programme is served from now on.' },
  programme_changed: { level: 'info', text: 'A programme is served by a changed file.' },
  programme_not_taken_up: {
    level: 'error',
    text: "A programme's file has faults or is gone. Its last version is still served if there is one. `jetway check` tells where the faults are.",
  },
  programme_removed: { level: 'info', text: 'A programme is served no more.' },
  refresh_token_ahead: {
    level: 'error',
    text: 'A refresh token is newer than its login. Was the store put back to an earlier state? `jetway store restore` ends all logins; a copy of a file or disk does not.',
  },
  reload_failed: {
    level: 'error',
    text: 'The configuration or the folder of programmes could not be read. What was served before is still served.',
  },
  reloaded: { level: 'info', text: 'A reload that was asked for has been done.' },
  sandbox_ignored: {
    level: 'error',
    text: 'A programme has a sandbox, and the environment is live: no request can force a failure.',
  },
  server_error: {
    level: 'error',
    text: 'A fault of Jetway itself; `detail` has its stack. Please report it.',
  },
  service_manager_not_told: {
    level: 'error',
    text: 'systemd could not be told of the state of the service.',
  },
  setting_changed: { level: 'info', text: 'A changed key of the configuration counts.' },
  setting_needs_restart: {
    level: 'info',
    text: 'A changed key of the configuration counts after a restart.',
  },
  setting_refused: {
    level: 'error',
    text: 'A changed key of the configuration could not be taken up. The former value still counts.',
  },
  store_awaited: {
    level: 'error',
    text: 'The store was not reached at the start. The server waits for it, is unready meanwhile, and says so each minute.',
  },
  store_reached: { level: 'info', text: 'The store that the server waited for answers.' },
  store_warning: {
    level: 'error',
    text: 'The store does not keep what Jetway promises, such as a PostgreSQL server that confirms commits before they are on a disk. It is told each minute.',
  },
  traces_left_out: {
    level: 'error',
    text: 'So many requests could not be sent to the collector of traces.',
  },
  traces_not_sent: {
    level: 'error',
    text: 'The collector of traces does not take them. It is tried again.',
  },
  traces_sent: { level: 'info', text: 'The collector takes traces again.' },
  unavailable: {
    level: 'error',
    text: 'A request was refused because the store, a directory of members or the audit stream does not answer.',
  },
  worker_ended: {
    level: 'error',
    text: 'A worker has ended by itself. Another one is started in its place.',
  },
  worker_not_started: {
    level: 'error',
    text: 'A worker could not be started. It is tried again, after longer pauses.',
  },
  worker_started: { level: 'info', text: 'A worker has started in the place of one that ended.' },
  wrong_api_keys: {
    level: 'error',
    text: 'Wrong API keys come faster than allowed, from one address or without one. Somebody guesses, or has an old key.',
  },
} as const satisfies Readonly<Record<string, EventRow>>;

type Events = typeof logEvents;

/** The events of a level. */
export type EventOf<L extends Level> = {
  [Name in keyof Events]: Events[Name]['level'] extends L ? Name : never;
}[keyof Events];
