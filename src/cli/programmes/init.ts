// Owns the verb `init`: writes a first configuration and its programmes.

import { existsSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isSea } from 'node:sea';

import { makeMasterKey } from '../../config/master_key.ts';
import { listAssets, readAsset, readAssetBytes } from '../../lib/asset.ts';
import { makeFolder } from '../../lib/make_folder.ts';
import { randomKey } from '../../lib/random.ts';
import { exitCodes, failed, isSystemError, unwritable, wrongUsage } from '../../server/exit.ts';
import { shellWord } from '../../server/shell_word.ts';
import { locationFault, readStoreLocation } from '../../store/open.ts';
import { postgresForm, type PostgresLocation } from '../../store/postgres/location.ts';
import type { Given } from '../grammar/options.ts';
import type { initOptions } from '../grammar/rows.ts';
import { printResult } from '../output.ts';
import { schemaAsset, schemaFile, schemaLine } from './programme_file.ts';

const folderOfProgrammes = 'programmes';
const masterKey = 'data/master.key';

/** Writes all files, or none if one of them exists already. */
export async function init(
  folder: string | undefined,
  options: Given<typeof initOptions>,
): Promise<void> {
  const target = resolve(folder ?? '.');
  const location = options.store === undefined ? undefined : expectPostgres(options.store);
  const files = initialFiles(location && configurationFor(options.store ?? '', location));
  // No server makes the key of a store that machines share: all of them get a copy of this one.
  const keys = location === undefined ? [] : [masterKey];
  const standing = [...files.keys(), ...keys].filter((path) => existsSync(join(target, path)));
  if (standing.length > 0) {
    throw failed(
      `${target} has ${standing.join(', ')} already: name another folder; nothing is written`,
    );
  }
  try {
    makeFolder(join(target, folderOfProgrammes));
  } catch (error) {
    const { path = target } = isSystemError(error) ? error : {};
    throw unwritable(error, exitCodes.failed, `the folder ${path} cannot be made`);
  }
  // `wx` does not overwrite a file that another process has made meanwhile.
  for (const [path, content] of files) writeFileSync(join(target, path), content, { flag: 'wx' });
  for (const path of keys) makeMasterKey(join(target, path));
  const names = [...files.keys(), ...keys];
  return printResult(options, { folder: target, files: names }, nextSteps(target, names));
}

function expectPostgres(url: string): PostgresLocation {
  const fault = locationFault(url);
  const location = fault === undefined ? readStoreLocation(url) : undefined;
  if (location?.kind === 'postgres') return location;
  throw wrongUsage(`--store: ${fault ?? `expected ${postgresForm}`}`);
}

/** The example with a PostgreSQL store, beside which nothing can be kept. */
function configurationFor(url: string, { hosts }: PostgresLocation): string {
  const example = readAsset('config.example.yaml')
    .replace(/^store: .*$/m, () => `store: ${JSON.stringify(url)}`)
    .replace(/^control: .*$/m, 'control: ./data/jetway.control');
  // Through a socket the server asks the system who connects.
  const isSocket = hosts.some(({ host }) => host.startsWith('/'));
  return isSocket ? example : example.replace(/^#(?=store_password_file:)/m, '');
}

/** The content of each file, by path from the folder. */
function initialFiles(
  configuration = readAsset('config.example.yaml'),
): ReadonlyMap<string, string | Uint8Array> {
  const programmes = listAssets(folderOfProgrammes, '.yaml').map(
    (path) => [path, `${schemaLine}\n${readAsset(path)}`] as const,
  );
  const logos = ['.png', '.svg']
    .flatMap((extension) => listAssets(folderOfProgrammes, extension))
    .map((path) => [path, readAssetBytes(path)] as const);
  return new Map<string, string | Uint8Array>([
    ['config.yaml', configuration],
    ...programmes,
    ...logos,
    [`${folderOfProgrammes}/${schemaFile}`, readAsset(schemaAsset)],
  ]);
}

/** The next steps, as command lines to paste. */
function nextSteps(target: string, files: readonly string[]): string {
  const programmes = files.filter((path) => path.endsWith('.yaml') && path !== 'config.yaml');
  const first = basename(programmes[0] ?? '', '.yaml');
  const jetway = ownCommand();
  const callback = '--redirect-uri https://partner.example/callback --role member --role partner';
  return [
    `config.yaml and ${programmes.length} programmes are written to ${target}. Each file says in comments what it decides.`,
    '',
    'Next: look for faults, register a partner and a member, and run the server:',
    '',
    `  cd ${shellWord(target)}`,
    `  ${jetway} check`,
    `  ${jetway} client add --programme ${first} --name 'Some Partner' ${callback}`,
    `  printf %s ${randomKey(12)} | ${jetway} member add --programme ${first} --username ann --password-stdin`,
    `  ${jetway} serve`,
  ].join('\n');
}

/** The command that runs this program again from any folder. */
function ownCommand(): string {
  if (isSea()) return process.argv0.includes('/') ? shellWord(process.execPath) : process.argv0;
  return [process.execPath, resolve(process.argv[1] ?? '')].map(shellWord).join(' ');
}
