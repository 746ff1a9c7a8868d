// Owns a network of a container's own: a namespace with one cable to this machine, which stands for the
// node that the container runs on.

import { execFileSync, spawnSync } from 'node:child_process';

export interface Network {
  /** The namespace's name in /run/netns. */
  readonly name: string;
  /** The container's address. */
  readonly inside: string;
  /** This machine's address at the other end. */
  readonly outside: string;
  readonly close: () => void;
}

/**
 * @param number from 0 to 255, of its own for each network that is open at once
 * @param prefix the first three numbers of its addresses
 */
export function openNetwork(number: number, prefix: string = `10.84.${number}`): Network {
  const name = `jetway-${process.pid}-${number}`;
  const cable = `jw${process.pid}n${number}`;
  const [outside, inside] = [`${prefix}.1`, `${prefix}.2`];
  const ip = (line: string): void => void execFileSync('ip', line.split(' '), { stdio: 'pipe' });
  ip(`netns add ${name}`);
  try {
    ip(`link add ${cable} type veth peer name eth0 netns ${name}`);
    ip(`addr add ${outside}/24 dev ${cable}`);
    ip(`link set ${cable} up`);
    ip(`-n ${name} addr add ${inside}/24 dev eth0`);
    ip(`-n ${name} link set eth0 up`);
    ip(`-n ${name} link set lo up`);
  } catch (error) {
    spawnSync('ip', ['netns', 'del', name]);
    throw error;
  }
  return { name, inside, outside, close: () => void spawnSync('ip', ['netns', 'del', name]) };
}
