// Owns the verb `show`.

import { positionAt } from '../lib/document.ts';
import { stringifyYaml } from '../lib/yaml.ts';
import { effectiveDocument } from '../programme/effective_document.ts';
import type { LoadedProgramme } from '../programme/load.ts';
import { type OutputOptions, print, printJson } from './output.ts';
import { configOf, loadNamed } from './workplace.ts';

export interface ShowOptions extends OutputOptions {
  readonly config: string;
}

/** `jetway show PROGRAMME`. What it prints is itself a programme file that loads the same. */
export async function show(name: string, options: ShowOptions): Promise<void> {
  const loaded = loadNamed(configOf(options), name);
  const document = effectiveDocument(loaded);
  if (options.json === true) await printJson(document);
  else await print(`${heading(loaded)}\n\n${stringifyYaml(document).trimEnd()}`);
}

function heading({ id, definition, document }: LoadedProgramme): string {
  const { file } = positionAt(document, ['name']);
  const base =
    definition.variant === undefined ? '' : ` laid over the variant ${definition.variant}`;
  return `# ${id}: ${file}${base}, with every default filled in.`;
}
