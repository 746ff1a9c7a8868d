// Owns the verb `show`.

import { nodeAt, positionAt } from '../../lib/document.ts';
import { type Path, spellOut } from '../../lib/fault.ts';
import type { YamlNode } from '../../lib/yaml/node.ts';
import { stringifyYaml } from '../../lib/yaml/yaml.ts';
import { effectiveDocument } from '../../programme/language/effective_document.ts';
import type { LoadedProgramme } from '../../programme/language/load.ts';
import { type OutputOptions, printData, printJson } from '../output.ts';
import { configOf, loadNamed } from '../programmes.ts';

export interface ShowOptions extends OutputOptions {
  readonly config: string;
}

/** `jetway show PROGRAMME`. What it prints is itself a programme file that loads the same. */
export async function show(name: string, options: ShowOptions): Promise<void> {
  const loaded = loadNamed(configOf(options), name);
  const document = effectiveDocument(loaded);
  if (options.json === true) await printJson(document);
  else
    await printData(
      `${heading(loaded)}\n\n${stringifyYaml(document, provenance(loaded)).trimEnd()}`,
    );
}

/** Behind each value, the place it comes from; a value that no file says is Jetway's default. */
function provenance({ document }: LoadedProgramme): (path: Path) => string {
  return (path) => {
    const node = nodeAt(document, path) ?? listAround(document, path);
    return node === undefined ? 'default' : `${spellOut(node.at.file)}:${node.at.line}`;
  };
}

/** Fields may be given as a list of maps, whose members then have no place of their own here. */
function listAround(document: YamlNode, path: Path): YamlNode | undefined {
  return path
    .map((_, end) => nodeAt(document, path.slice(0, end)))
    .findLast((node) => node?.kind === 'list');
}

function heading({ id, definition, document }: LoadedProgramme): string {
  const { file } = positionAt(document, ['name']);
  const base =
    definition.variant === undefined ? '' : ` laid over the variant ${definition.variant}`;
  return `# ${id}: ${spellOut(file)}${base}, with every default filled in.`;
}
