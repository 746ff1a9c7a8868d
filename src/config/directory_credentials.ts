// Owns reading the credentials of member directory hooks from files.

import { dirname, resolve } from 'node:path';

import type { CredentialKey } from '../language/service_schemas.ts';
import { nodeAt, positionAt } from '../lib/document.ts';
import { errorAt, type Fault } from '../lib/fault.ts';
import { present } from '../lib/present.ts';
import { readSecretFile, UnreadableFile } from '../lib/read_file.ts';
import type { HookCredentials } from '../members/hook.ts';
import type { LoadedProgramme } from '../rules/load.ts';
import type { ProgrammeFile } from './programme_files.ts';
import { isPair, orFault, pairFault, readAuthorities, readCertificate, readKey } from './tls.ts';

export interface ServableFile extends ProgrammeFile {
  readonly credentials?: HookCredentials;
}

/** A shorter secret can be guessed; `openssl rand -hex 32` prints 64 characters. */
const shortestSecret = 32;

/** Without its credentials a programme is not loaded: no member could log in. */
export function withCredentials(file: ProgrammeFile): ServableFile {
  const { loaded } = file;
  if (loaded === undefined || said(loaded, 'directory') !== 'http') return file;
  const faults: Fault[] = [];
  const credentials = readCredentials(file.file, loaded, faults);
  return faults.length === 0
    ? { ...file, credentials }
    : { file: file.file, faults: [...file.faults, ...faults] };
}

function readCredentials(file: string, loaded: LoadedProgramme, faults: Fault[]): HookCredentials {
  const { id, document } = loaded;
  const complain = (key: string, message: string, hint?: string): void => {
    const path = ['members', key];
    faults.push(errorAt(positionAt(document, path), path, message, hint));
  };
  const read = (key: CredentialKey, reader: (path: string) => string): string | undefined => {
    const named = said(loaded, key);
    const path =
      process.env[variableOf(id, key)] ||
      (named === undefined ? undefined : resolve(dirname(file), named));
    return path && orFault(path, reader, (message) => complain(key, message));
  };
  const found = {
    secrets: [read('secret_file', readSecret), read('previous_secret_file', readSecret)].filter(
      (secret) => secret !== undefined,
    ),
    certificate: read('certificate_file', readCertificate),
    key: read('key_file', readKey),
    authorities: read('authorities_file', readAuthorities),
  };
  const credentials = present(found);
  const fault = faults.length > 0 ? undefined : togetherFault(credentials);
  if (fault !== undefined) complain(...fault);
  return credentials;
}

/** What the file says of its members' directory. */
function said({ document }: LoadedProgramme, key: CredentialKey | 'directory'): string | undefined {
  const node = nodeAt(document, ['members', key]);
  return node?.kind === 'scalar' ? String(node.value) : undefined;
}

/** `JETWAY_MY_CLUB_MEMBERS_SECRET_FILE` overrides `members.secret_file` of my-club. */
function variableOf(programme: string, key: CredentialKey): string {
  return `JETWAY_${programme}_MEMBERS_${key}`.toUpperCase().replaceAll('-', '_');
}

function readSecret(path: string): string {
  const secret = readSecretFile(path, 1024).trim();
  if (secret.length < shortestSecret || !/^[!-~]+$/.test(secret)) {
    throw new UnreadableFile(
      `is not a secret: expected one word of at least ${shortestSecret} ASCII characters, such as openssl rand -hex 32 makes`,
    );
  }
  return secret;
}

/** A fault of several files together, each of which is valid alone. */
function togetherFault({
  secrets,
  certificate,
  key,
}: HookCredentials): readonly [key: string, message: string, hint?: string] | undefined {
  if ((certificate === undefined) !== (key === undefined)) {
    const [there, missing] =
      key === undefined ? ['certificate_file', 'key_file'] : ['key_file', 'certificate_file'];
    return [there, `"${there}" needs "${missing}" beside it`];
  }
  if (certificate !== undefined && key !== undefined) {
    if (!isPair(certificate, key)) return ['key_file', pairFault];
  } else if (secrets.length === 0) {
    return [
      'directory',
      'nothing proves to the directory who asks',
      'name a secret_file, or a certificate_file and its key_file',
    ];
  }
  return undefined;
}
