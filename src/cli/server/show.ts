// Owns the verb `show`.

import { nodeAt, positionAt } from '../../lib/document.ts';
import { type Path, spellOut } from '../../lib/fault.ts';
import type { YamlNode } from '../../lib/yaml/node.ts';
import { stringifyYaml } from '../../lib/yaml/yaml.ts';
import { effectiveDocument } from '../../programme/language/effective_document.ts';
import type { LoadedProgramme } from '../../programme/language/load.ts';
import { printData, printJson, type VerbOptions } from '../output.ts';
import { configOf, loadNamed } from '../programmes.ts';

/** The output is itself a programme file that loads to the same programme. */
export async function show(name: string, options: VerbOptions): Promise<void> {
  const loaded = loadNamed(configOf(options), name);
  const document = effectiveDocument(loaded);
  if (options.json === true) return printJson(document);
  const yaml = stringifyYaml(document, provenance(loaded)).trimEnd();
  return printData(`${heading(loaded)}\n\n${yaml}`);
}

/** The comment behind each value: its position in a file, or `default`. */
function provenance({ document }: LoadedProgramme): (path: Path) => string {
  return (path) => {
    const node = nodeAt(document, path) ?? listAround(document, path);
    return node === undefined ? 'default' : `${spellOut(node.at.file)}:${node.at.line}`;
  };
}

/** Fields may be a list of maps, whose members have no position of their own. */
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
