// Owns the verb `init`: writes a first configuration and its programmes.

import { existsSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isSea } from 'node:sea';

import { listAssets, readAsset, readAssetBytes } from '../../lib/asset.ts';
import { makeFolder } from '../../lib/make_folder.ts';
import { randomKey } from '../../lib/random.ts';
import { exitCodes, failed, isSystemError, unwritable } from '../exit.ts';
import { type OutputOptions, printResult } from '../output.ts';
import { schemaAsset, schemaFile, schemaLine } from './programme_file.ts';

const folderOfProgrammes = 'programmes';

/** Writes all files, or none if one of them exists already. */
export async function init(folder: string | undefined, options: OutputOptions): Promise<void> {
  const target = resolve(folder ?? '.');
  const files = initialFiles();
  const standing = [...files.keys()].filter((path) => existsSync(join(target, path)));
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
  const names = [...files.keys()];
  return printResult(options, { folder: target, files: names }, nextSteps(target, names));
}

/** The content of each file, by path from the folder. */
function initialFiles(): ReadonlyMap<string, string | Uint8Array> {
  const programmes = listAssets(folderOfProgrammes, '.yaml').map(
    (path) => [path, `${schemaLine}\n${readAsset(path)}`] as const,
  );
  const logos = ['.png', '.svg']
    .flatMap((extension) => listAssets(folderOfProgrammes, extension))
    .map((path) => [path, readAssetBytes(path)] as const);
  return new Map<string, string | Uint8Array>([
    ['config.yaml', readAsset('config.example.yaml')],
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

function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
