// Owns TLS for tests: certificates made by openssl on the spot, and a proxy in front of a server. Where
// openssl is absent certificates are empty, and tests that need them are skipped.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { listenHere } from './listen.ts';
import { without } from './tools.ts';

export interface Certified {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority extends Certified {
  /** Vouches for a name or address, such as `IP:127.0.0.1`, and for a subject. */
  readonly issue: (name: string, days?: number, subject?: string) => Certified;
}

const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** A private authority, which nobody believes who was not told to. */
export function createAuthority(label: string): Authority {
  const made = inScratch((folder) => {
    openssl('req', '-x509', ...curve, '-days', '2', '-subj', `/CN=${label}`, ...out(folder));
    return readBoth(folder);
  });
  return {
    ...made,
    issue: (name, days = 2, subject = '/CN=issued') =>
      inScratch((folder) => {
        writeFileSync(join(folder, 'ca.pem'), made.certificate);
        writeFileSync(join(folder, 'ca.key'), made.key);
        const authority = ['-CA', join(folder, 'ca.pem'), '-CAkey', join(folder, 'ca.key')];
        const extension = ['-addext', `subjectAltName=${name}`];
        const named = ['-days', String(days), '-utf8', '-subj', subject];
        openssl('req', '-x509', ...curve, ...authority, ...extension, ...named, ...out(folder));
        return readBoth(folder);
      }),
  };
}

function out(folder: string): readonly string[] {
  return ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
}

function readBoth(folder: string): Certified {
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  return { certificate: read('cert.pem'), key: read('key.pem') };
}

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

const absent: Certified = { certificate: '', key: '' };

function inScratch(use: (folder: string) => Certified): Certified {
  if (without('openssl') !== false) return absent;
  const folder = mkdtempSync(join(tmpdir(), 'jetway-tls-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface TlsFront {
  readonly port: number;
  /** Names the server behind it. */
  readonly passTo: (base: string) => void;
}

/** Listens on loopback, under a certificate that nobody vouches for; ends with the test. */
export async function startTlsFront(t: TestContext): Promise<TlsFront> {
  const { certificate: cert, key } = createAuthority('front').issue('DNS:localhost');
  let behind = '';
  const server = createServer({ cert, key }, (incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    const passed = httpRequest(new URL(url, behind), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  const address = await listenHere(t, server);
  return {
    port: Number(address.split(':')[1]),
    passTo: (base) => {
      behind = base;
    },
  };
}
