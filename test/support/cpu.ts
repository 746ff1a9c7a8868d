// Owns how long tests find that something took: in time of the processor, which a busy machine does
// not lengthen.

/** Milliseconds that this process has computed for while `work` ran. */
export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
