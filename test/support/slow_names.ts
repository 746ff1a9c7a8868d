// Owns a resolver that takes a second to find that a name is unknown; loaded before a server.

import dns from 'node:dns';

type Done = (error: NodeJS.ErrnoException) => void;

const usual = dns.lookup;

dns.lookup = ((host: string, ...rest: readonly unknown[]) => {
  if (host !== 'slow.example') return (usual as (...all: unknown[]) => void)(host, ...rest);
  const unknown = Object.assign(new Error('unknown name'), {
    code: 'ENOTFOUND',
    syscall: 'lookup',
  });
  return setTimeout(() => (rest.at(-1) as Done)(unknown), 1000);
}) as typeof dns.lookup;
