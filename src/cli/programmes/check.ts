// Owns the verb `check`: every fault of a configuration and its programmes, also of programmes that
// share a path, name or identifier, and of callbacks in the store whose query has a name by which their programme
// answers (HOSTILE 86). The store is looked at and stays as it is.

import { dirname, resolve } from 'node:path';

import { type Config, readConfig, wholeFault } from '../../config/config.ts';
import { withCredentials } from '../../config/directory_credentials.ts';
import { logFaults, readTracingHeaders } from '../../config/log_keys.ts';
import {
  type ProgrammeFile,
  readProgrammeFile,
  readProgrammeFolder,
  shownPath,
} from '../../config/programme_files.ts';
import { storeFaults } from '../../config/store_files.ts';
import { readTls, unaskedFaults } from '../../config/tls.ts';
import { nodeAt, positionAt } from '../../lib/document.ts';
import {
  type Fault,
  type Position,
  byPosition,
  errorAt,
  formatFault,
  formatPosition,
  orFaults,
  quote,
  warningAt,
} from '../../lib/fault.ts';
import { isLoopback } from '../../lib/ip_address.ts';
import { readSourceFile } from '../../lib/read_file.ts';
import { type YamlNode, maxYamlBytes, parseYaml } from '../../lib/yaml/yaml.ts';
import { deploy } from '../../programme/deployment.ts';
import type { Programme } from '../../programme/programme.ts';
import { compileLoaded } from '../../rules/load.ts';
import { misconfigured } from '../../server/exit.ts';
import { siteOf } from '../../server/open_store.ts';
import { StoreUnusable } from '../../store/unusable.ts';
import { collisionWarnings } from '../entities/callback_names.ts';
import { neededProperties } from '../entities/client_needs.ts';
import { type VerbOptions, printResult } from '../output.ts';
import { counted } from '../table.ts';

/**
 * Warnings at the key `store`. A store across a network is not asked, since a check needs none: `client
 * list` tells the same.
 */
export function callbackFaults(config: Config, files: readonly ProgrammeFile[]): readonly Fault[] {
  const site = siteOf(config);
  if (site.look === undefined || !site.exists()) return [];
  const warning = (name: string, message: string, hint: string): Fault =>
    warningAt(name, positionAt(config.document, ['store']), ['store'], message, hint);
  try {
    const programmes = new Map(
      files.flatMap(({ loaded }) =>
        loaded === undefined ? [] : [[loaded.id, compileLoaded(loaded, config.publicUrl)] as const],
      ),
    );
    return site.look('client').flatMap((client) => {
      const programme = programmes.get(client.programme);
      if (programme === undefined) return [];
      return collisionWarnings(programme, client).map((words) =>
        warning('colliding_callback', `${client.id}: ${words}`, 'register another callback'),
      );
    });
  } catch (error) {
    if (!(error instanceof StoreUnusable)) throw error;
    const message = `the callbacks in the store are not looked at: ${error.message}`;
    return [warning('store_not_looked_at', message, error.hint)];
  }
}

/** The note of a check that reads only the given files. */
const alonePart = 'no configuration was looked at: jetway check without a file does';

/** A file that loads. */
interface CompiledFile {
  readonly programme: Programme;
  readonly document: YamlNode;
}

/** Mounting compares only paths, which do not depend on the public URL. */
const anyPublicUrl = 'https://localhost';

export function compiledOf(files: readonly ProgrammeFile[]): readonly CompiledFile[] {
  return files.flatMap(({ loaded }) =>
    loaded === undefined
      ? []
      : [{ programme: compileLoaded(loaded, anyPublicUrl), document: loaded.document }],
  );
}

/** The files, and faults that belong to no single file. */
interface Findings {
  readonly files: readonly ProgrammeFile[];
  readonly compiled: readonly CompiledFile[];
  readonly faults: readonly Fault[];
}

/** Ends with exit code 3 on any error, 0 on warnings alone. */
export async function check(paths: readonly string[], options: VerbOptions): Promise<void> {
  const {
    files,
    compiled,
    faults: others,
  } = paths.length > 0 ? checkFiles(paths) : checkConfiguration(options.config);
  const faults = [
    ...others,
    ...files.flatMap(({ faults: own }) => own),
    ...mountFaults(compiled),
    ...twinFaults(compiled),
  ].toSorted(byPosition);
  const errors = faults.filter(({ severity }) => severity === 'error').length;
  const counts = [
    counted(files.length, 'programme'),
    counted(errors, 'error'),
    counted(faults.length - errors, 'warning'),
  ].join(', ');
  const last = paths.length > 0 ? `${counts}; ${alonePart}` : counts;
  const text = [...faults.map(formatFault), ...propertyNotes(compiled), last].join('\n');
  await printResult(options, faults.map(viewFault), text);
  // The faults are printed already.
  if (errors > 0) throw misconfigured('');
}

/** What partners of each programme are to be asked for: properties are of its file's own making. */
function propertyNotes(compiled: readonly CompiledFile[]): readonly string[] {
  return compiled.flatMap(({ programme }) => {
    const names = neededProperties(programme);
    if (names.length === 0) return [];
    const properties = names.map((name) => `--property ${name}=…`).join(' ');
    return [`${programme.id}: client add will ask for ${properties}`];
  });
}

function checkFiles(paths: readonly string[]): Findings {
  const distinct = new Map(paths.map((path) => [resolve(path), path]));
  const files = [...distinct.values()].map(readProgrammeFile);
  return { files, compiled: compiledOf(files), faults: [] };
}

/** Checks the programmes despite faults in the configuration, if it names their folder. */
function checkConfiguration(path: string): Findings {
  const faults: Fault[] = [];
  const config = orFaults(faults, () => readConfig(path));
  if (config !== undefined) {
    faults.push(...readTls(config).faults, ...plainFaults(config), ...adminFaults(config));
    const { log, tracing, document } = config;
    faults.push(...logFaults(log, document), ...storeFaults(config));
    if (tracing !== undefined) orFaults(faults, () => readTracingHeaders(tracing, document));
  }
  const folder = config?.programmes ?? folderNamedIn(path);
  if (folder === undefined) return { files: [], compiled: [], faults };
  // Only here: files given by name may be checked without the credentials of directories.
  const files = orFaults(faults, () => readProgrammeFolder(folder).map(withCredentials));
  if (files?.length === 0) {
    const message = 'there is no programme file in this folder';
    const hint = 'their names end with .yaml';
    faults.push(wholeFault(shownPath(folder), message, hint, ['programmes']));
  }
  const compiled = compiledOf(files ?? []);
  if (config !== undefined) {
    for (const one of compiled) {
      faults.push(...unaskedFaults(config, one.programme, one.document));
      faults.push(...sandboxFaults(config, one));
    }
    faults.push(...callbackFaults(config, files ?? []));
  }
  return { files: files ?? [], compiled, faults };
}

/** Warns of an operators' listener for other machines: it asks nobody who they are. */
function adminFaults({ admin, document }: Config): readonly Fault[] {
  if (admin === undefined || 'path' in admin || isLoopback(admin.host)) return [];
  const message = 'health and metrics are answered to other machines too';
  const hint =
    'listen on 127.0.0.1 or at unix: and a path, or see that only monitoring reaches this address';
  const path = ['admin'];
  return [warningAt('open_admin', positionAt(document, path), path, message, hint)];
}

/** Warns where secrets and codes may go over the network in plain text. */
function plainFaults({
  environment,
  listen,
  tls,
  trustedProxies,
  document,
}: Config): readonly Fault[] {
  const isPlain = tls === undefined && trustedProxies.length === 0 && !isLoopback(listen.host);
  if (environment !== 'live' || !isPlain) return [];
  const message = 'plain HTTP is answered here, to other machines too';
  const hint =
    'set tls, or listen on 127.0.0.1 behind a proxy, or name its network in trusted_proxies';
  const path = ['listen'];
  return [warningAt('plain_http', positionAt(document, path), path, message, hint)];
}

/** Warns of a sandbox without effect; the same file may serve in staging, too. */
function sandboxFaults(
  { environment }: Config,
  { programme, document }: CompiledFile,
): readonly Fault[] {
  if (environment !== 'live' || programme.sandbox === undefined) return [];
  const message = 'this has no effect: no failure can be forced where the environment is live';
  const path = ['sandbox'];
  return [warningAt('idle_sandbox', positionAt(document, path), path, message)];
}

/** Reads the programme folder from a configuration with faults; undefined if that fails. */
function folderNamedIn(path: string): string | undefined {
  try {
    const { root } = parseYaml(path, readSourceFile(path, maxYamlBytes));
    const node = root === undefined ? undefined : nodeAt(root, ['programmes']);
    return node?.kind === 'scalar' && typeof node.value === 'string'
      ? resolve(dirname(path), node.value)
      : undefined;
  } catch {
    // The reason is among the faults already.
    return undefined;
  }
}

function viewFault({ severity, name, at, path, message, hint }: Fault): object {
  return { severity, name: name ?? null, ...at, path, message, hint: hint ?? null };
}

/** A fault at the base path of each of two programmes that claim one path (C-2). */
export function mountFaults(files: readonly CompiledFile[]): readonly Fault[] {
  const places = new Map(
    files.map(({ programme, document }) => [programme, positionAt(document, ['base_path'])]),
  );
  const { conflicts } = deploy([...places.keys()]);
  return conflicts.flatMap(({ programme, path, other, message }) => {
    const [at, otherAt] = [places.get(programme), places.get(other)];
    if (at === undefined || otherAt === undefined) return [];
    const fault = faultAt(at, message, otherAt);
    if (conflicts.some((one) => one.programme === other && one.path === path)) return [fault];
    return [fault, faultAt(otherAt, `${programme.id} answers at ${path} as well`, at)];
  });
}

/**
 * Warns of programmes with one identifier, which partners send, or one name, which operators read:
 * neither could tell the two apart (P-1).
 */
function twinFaults(files: readonly CompiledFile[]): readonly Fault[] {
  const names = { programme_identifier: 'identifier', name: 'name' } as const;
  return Object.entries(names).flatMap(([key, property]) => {
    const first = new Map<string, Position>();
    return files.flatMap(({ programme: { [property]: name }, document }): Fault[] => {
      const at = positionAt(document, [key]);
      const other = first.get(name);
      if (other === undefined) {
        first.set(name, at);
        return [];
      }
      const message = `another programme has the ${key} ${quote(name)} already`;
      return [warningAt(`shared_${key}`, at, [key], message, `see ${formatPosition(other)}`)];
    });
  });
}

function faultAt(at: Position, message: string, other: Position): Fault {
  return errorAt(at, ['base_path'], message, `see ${formatPosition(other)}`);
}
