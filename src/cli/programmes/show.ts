// Owns the verbs that tell of a programme: `show`, of its dialect, where that departs from the RFCs and why, and what
// partners get, the page and the OpenAPI document; and `diff`, of two files by what is seen of them on the wire.

import type { Config } from '../../config/config.ts';
import { readProgrammeFile } from '../../config/programme_files.ts';
import { contractChanges, formatChanges } from '../../contract/diff/changes.ts';
import { type Guide, makeGuide } from '../../contract/partner/guide.ts';
import { partnerHtml } from '../../contract/partner/html.ts';
import { openapiDocument } from '../../contract/partner/openapi/document.ts';
import { partnerPage } from '../../contract/partner/page/page.ts';
import { systemClock } from '../../lib/clock.ts';
import { nodeAt, positionAt } from '../../lib/document.ts';
import { FaultsError, type Path, formatPosition, quote, spellOut } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import type { YamlNode } from '../../lib/yaml/node.ts';
import { stringifyYaml } from '../../lib/yaml/yaml.ts';
import type { Client, ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { Programme } from '../../programme/programme.ts';
import type { Departure } from '../../rules/acceptances.ts';
import { effectiveDocument } from '../../rules/effective_document.ts';
import { type LoadedProgramme, compileLoaded } from '../../rules/load.ts';
import { failed } from '../../server/exit.ts';
import type { Given, GivenWithConfig } from '../grammar/options.ts';
import type { diffOptions, showOptions } from '../grammar/rows.ts';
import { withStore } from '../open_store.ts';
import { type VerbOptions, printData, printJson, printResult } from '../output.ts';
import { compileNamed, configOf, loadNamed } from '../programmes.ts';

export function showDepartures(
  { id, departures }: LoadedProgramme,
  options: VerbOptions,
): Promise<void> {
  const texts = departures.map(textOf);
  const text = texts.length === 0 ? `${id} departs from no RFC.` : texts.join('\n');
  return printResult(options, departures.map(viewOf), text);
}

function textOf({ warning, reason, isQuiet }: Departure): string {
  const { at, name, path, message, hint } = warning;
  const unaccepted = isQuiet === true ? 'check does not warn of it' : 'not accepted';
  return [
    `${formatPosition(at)}: ${name}: ${message}`,
    `  key: ${path}`,
    ...(hint === undefined ? [] : [`  note: ${hint}`]),
    `  ${reason === undefined ? unaccepted : `accepted: ${reason}`}`,
  ].join('\n');
}

function viewOf({ warning: { at, name, path, message, hint }, reason }: Departure): object {
  const rfcs = message.match(/RFC \d+/g) ?? [];
  const accepted = reason ?? null;
  return { name, rfcs: [...new Set(rfcs)], ...at, path, message, note: hint ?? null, accepted };
}

export type PageFormat = 'markdown' | 'html';

/** What a programme's partners are told; of one of its clients, if one is named. */
export async function guideFor(
  config: Config,
  name: string,
  clientId: string | undefined,
): Promise<Guide> {
  const programme = compileNamed(config, name);
  const client =
    clientId === undefined ? undefined : await findClient(config, programme.id, clientId);
  return guideOf(config, programme, client);
}

/** The same, of a client that was found. */
export function guideOf(
  { publicUrl, environment, partners, gateway }: Config,
  programme: Programme,
  client: Client | undefined,
): Guide {
  return makeGuide(programme, publicUrl, client, environment, {
    at: systemClock().now(),
    hasGateway: gateway !== undefined,
    ...present({ contact: partners?.contact }),
  });
}

function findClient(config: Config, programme: ProgrammeId, id: string): Promise<Client> {
  return withStore(config, async ({ store }) => {
    const found = await store.find('client', programme, id as ClientId);
    if (found !== undefined) return found;
    throw failed(`there is no client ${quote(id)} in ${programme}`);
  });
}

export function pageIn(format: PageFormat, guide: Guide): string {
  return format === 'html' ? partnerHtml(guide) : partnerPage(guide);
}

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

/** Stands for the configured address, which is the same before and after. */
const publicUrl = 'https://jetway.example';

export async function diff(
  old: string,
  changed: string,
  options: Given<typeof diffOptions>,
): Promise<void> {
  const files = [old, changed].map(readProgrammeFile);
  const [before, after] = files.map(({ loaded }) => loaded);
  if (before === undefined || after === undefined) {
    const faults = files.flatMap((file) => (file.loaded === undefined ? file.faults : []));
    throw new FaultsError(faults);
  }
  const [was, is] = [before, after].map((one) =>
    compileLoaded({ ...one, id: after.id }, publicUrl),
  );
  const changes = contractChanges(was, is);
  await printResult(options, changes, formatChanges(changes));
  if (options.exitCode === true && changes.length > 0) {
    throw failed('');
  }
}
