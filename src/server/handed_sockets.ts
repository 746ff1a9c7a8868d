// Owns the sockets that a service manager hands down, listening already (sd_listen_fds(3)). It keeps them
// while servers come and go, so that no connection is refused in between.

import { misconfigured } from './exit.ts';

/** As the configuration has their addresses. */
const listenerNames = ['listen', 'gateway', 'admin'] as const;
export type ListenerName = (typeof listenerNames)[number];

/** Descriptors, by the listener that they are for. */
export type HandedSockets = ReadonlyMap<ListenerName, number>;

/** The first of them; standard error is the one before. */
const firstDescriptor = 3;

/**
 * The sockets for this process. Takes them out of the environment, for they are for no other process.
 * @throws CommandError for one that is not named after a listener
 */
export function handedSockets(environment: NodeJS.ProcessEnv): HandedSockets {
  const { LISTEN_PID: pid, LISTEN_FDS: count, LISTEN_FDNAMES: names = '' } = environment;
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete environment[name];
  const sockets = new Map<ListenerName, number>();
  if (Number(pid) !== process.pid) return sockets;
  const given = names.split(':');
  for (let index = 0; index < Number(count); index += 1) {
    const name = listenerNames.find((one) => one === given[index]);
    if (name === undefined || sockets.has(name)) {
      const fault = name === undefined ? `is named "${given[index] ?? ''}"` : `is ${name}, too`;
      throw misconfigured(
        `socket ${index + 1} of those that were handed down (LISTEN_FDS) ${fault}: one each may be named ${listenerNames.join(', ')} (FileDescriptorName= of its unit)`,
      );
    }
    sockets.set(name, firstDescriptor + index);
  }
  return sockets;
}
