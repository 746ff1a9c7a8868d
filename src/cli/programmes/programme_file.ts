// Owns the verbs `new` and `schema`: a first programme file, and the JSON Schema for editors.

import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { readProgrammeFolder, shownPath } from '../../config/programme_files.ts';
import { readAsset } from '../../lib/asset.ts';
import { FaultsError, quote } from '../../lib/fault.ts';
import { stringifyYaml } from '../../lib/yaml/yaml.ts';
import { loadProgramme, programmeIdForm } from '../../rules/load.ts';
import { failed, wrongUsage } from '../../server/exit.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { newProgrammeOptions } from '../grammar/rows.ts';
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
