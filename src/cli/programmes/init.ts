// Owns the verbs of a beginning: `init` writes a first configuration and its programmes, `new` a first programme file,
// `schema` the JSON Schema for editors.

import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isSea } from 'node:sea';

import { makeMasterKey } from '../../config/master_key.ts';
import { readProgrammeFolder, shownPath } from '../../config/programme_files.ts';
import { listAssets, readAsset, readAssetBytes } from '../../lib/asset.ts';
import { FaultsError, quote } from '../../lib/fault.ts';
import { makeFolder } from '../../lib/make_folder.ts';
import { randomKey } from '../../lib/random.ts';
import { stringifyYaml } from '../../lib/yaml/yaml.ts';
import { loadProgramme, programmeIdForm } from '../../rules/load.ts';
import { exitCodes, failed, isSystemError, unwritable, wrongUsage } from '../../server/exit.ts';
import { shellWord } from '../../server/shell_word.ts';
import { locationFault, readStoreLocation } from '../../store/open.ts';
import { type PostgresLocation, postgresForm } from '../../store/postgres/location.ts';
import type { Given, GivenWithConfig } from '../grammar/options.ts';
import type { initOptions, newProgrammeOptions } from '../grammar/rows.ts';
import { print, printResult } from '../output.ts';
import { configOf } from '../programmes.ts';
import { compiledOf, mountFaults } from './check.ts';

/** The JSON Schema among the shipped files, and its name beside programme files. */
export const schemaAsset = 'docs/programme.schema.json';
export const schemaFile = 'programme.schema.json';

/** The first line of a programme file: an editor's YAML language server finds the schema by it. */
export const schemaLine: string = `# yaml-language-server: $schema=${schemaFile}`;

export async function schema(): Promise<void> {
  await print(readAsset(schemaAsset).trimEnd());
}

/** The new file must have no fault, neither alone nor together with the other files. */
export async function newProgramme(
  name: string,
  options: GivenWithConfig<typeof newProgrammeOptions>,
): Promise<void> {
  if (!programmeIdForm.test(name)) {
    const form = 'lower-case letters, digits and "-", a letter first, at most 40';
    throw wrongUsage(`a programme cannot be called ${quote(name)}: expected ${form}`);
  }
  const path = join(configOf(options).programmes, `${name}.yaml`);
  const file = shownPath(path);
  if (existsSync(path)) {
    throw failed(`${file} is there already: choose another name; nothing is written`);
  }
  const text = textOf(name, options.variant);
  const made = { file, ...loadProgramme(file, text) };
  const others = mountFaults(compiledOf([...readProgrammeFolder(dirname(path)), made]));
  const faults = [...made.faults, ...others].filter(
    ({ severity, at }) => severity === 'error' && at.file === file,
  );
  if (faults.length > 0) throw new FaultsError(faults);
  writeFileSync(path, text, { flag: 'wx' });
  const schemaPath = join(dirname(path), schemaFile);
  if (!existsSync(schemaPath)) writeFileSync(schemaPath, readAsset(schemaAsset));
  return printResult(
    options,
    { programme: name, file },
    `${file} is written: the programme ${name}, as the variant ${options.variant} has it. Change what differs, then run jetway check; a running server takes it up by itself (watch_programmes), or by jetway reload.`,
  );
}

function textOf(name: string, variant: string): string {
  const words = name.split('-').filter((word) => word !== '');
  const capital = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const identifier = capital.join('').replaceAll(/[^A-Za-z]/g, '');
  const value = (text: string): string => stringifyYaml(text).trim();
  return `${schemaLine}
# The programme ${name}. Everything not said here is as the ${variant} variant has it;
# \`jetway show ${name}\` prints the whole.

variant: ${variant}
name: ${value(capital.join(' '))} # what people read
programme_identifier: ${value(identifier.slice(0, 20))} # what partners send, where the dialect asks for it
base_path: ${value(`/${name}`)} # all its paths begin with this

# How long tokens live:
# tokens:
#   access: { lifetime: 30m }
#   refresh: { lifetime: 24h, longest: 30d } # from each use, from the login

# The login page; the logo is a file beside this one:
# login:
#   title: Log in to {programme}
#   logo: ${name}.svg
#   colours: { light: { accent: "#12305e" }, dark: { accent: "#a9c4f0" } }
#   website: https://club.example/
#   help: https://club.example/forgotten-login
`;
}

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
