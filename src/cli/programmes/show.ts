// Owns the verb `show`.

import { openapiDocument } from '../../contract/partner/openapi/document.ts';
import { nodeAt, positionAt } from '../../lib/document.ts';
import { type Path, spellOut } from '../../lib/fault.ts';
import type { YamlNode } from '../../lib/yaml/node.ts';
import { stringifyYaml } from '../../lib/yaml/yaml.ts';
import { effectiveDocument } from '../../rules/effective_document.ts';
import type { LoadedProgramme } from '../../rules/load.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { showOptions } from '../grammar/rows.ts';
import { printData, printJson, type VerbOptions } from '../output.ts';
import { configOf, loadNamed } from '../programmes.ts';
import { showDepartures } from './departures.ts';
import { guideFor, pageIn } from './partner.ts';

export async function show(
  programme: string,
  options: GivenWithConfig<typeof showOptions>,
): Promise<void> {
  const { for: reader, format, client, openapi = false, departures = false } = options;
  const ofPartner = reader !== undefined || openapi;
  const config = configOf(options);
  if (departures) return showDepartures(loadNamed(config, programme), options);
  if (!ofPartner) return showDialect(loadNamed(config, programme), options);
  const guide = await guideFor(config, programme, client);
  if (openapi) return printJson(openapiDocument(guide));
  const page = pageIn(format ?? 'markdown', guide);
  return options.json === true ? printJson({ page }) : printData(page.trimEnd());
}

/** The output is itself a programme file that loads to the same programme. */
function showDialect(loaded: LoadedProgramme, options: VerbOptions): Promise<void> {
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

function heading({ id, variant, document }: LoadedProgramme): string {
  const { file } = positionAt(document, ['name']);
  const base = variant === undefined ? '' : ` laid over the variant ${variant}`;
  return `# ${id}: ${spellOut(file)}${base}, with every default filled in.`;
}
