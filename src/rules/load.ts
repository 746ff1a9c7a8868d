// Owns loading: merges a programme file with its variant, and returns a Definition or faults.

import { type Definition, definitionSchema } from '../language/definition.ts';
import { spreadErrorGroups } from '../language/error_groups.ts';
import { type Logos, type ReadBeside, readLogos } from '../language/logos.ts';
import {
  withForeignWord,
  ambiguousNumbers,
  atTheNull,
  type IdleNull,
  idleNulls,
  withoutVariant,
} from '../language/slips.ts';
import { takesAnotherForm, variantFor, variantNames } from '../language/variants.ts';
import { mergeNodes, nodeAt, positionAt } from '../lib/document.ts';
import { byPosition, errorAt, type Fault, quote } from '../lib/fault.ts';
import { didYouMean } from '../lib/suggest.ts';
import { type MapNode, parseYaml, type YamlNode } from '../lib/yaml/yaml.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { compileProgramme, type Programme } from '../programme/programme.ts';
import { validate } from '../schema/faults.ts';
import { type Departure, withoutAccepted } from './acceptances.ts';
import { checkDefinition } from './check.ts';
import { gatherMissingTexts } from './members.ts';

/** A programme file without errors. */
export interface LoadedProgramme {
  readonly id: ProgrammeId;
  readonly definition: Definition;
  /** The built-in dialect that the file builds on. */
  readonly variant: string | undefined;
  /** The merged document; each node names its file. */
  readonly document: YamlNode;
  /** Where it departs from the RFCs, in reading order, and what else it accepts. */
  readonly departures: readonly Departure[];
  /** The logos that could be read. */
  readonly logos: Logos;
}

export interface LoadResult {
  readonly loaded?: LoadedProgramme;
  /**
   * The file's faults in reading order; no errors if `loaded` is present. Faults across keys are there
   * once each key by itself holds.
   */
  readonly faults: readonly Fault[];
}

/** The form of programme identifiers, and so of file names. */
export const programmeIdForm: RegExp = /^[a-z][a-z0-9-]{0,39}$/;

const longestName = 40;

const nameHint =
  'name the file with lower-case letters, digits and "-", a letter first, such as frequent-flyer.yaml';

/** Why a text cannot be a programme's identifier; undefined if it can. */
function faultOfName(id: string): string | undefined {
  if (programmeIdForm.test(id)) return undefined;
  if (id === '') return 'it is empty';
  const [odd] = id.match(/[^a-z0-9-]/u) ?? [];
  if (odd !== undefined) return `it holds ${quote(odd)}`;
  if (id.length > longestName)
    return `it has ${id.length} characters, and ${longestName} at most are taken`;
  return `it begins with ${quote(id.slice(0, 1))}`;
}

/** Loads one programme. Its identifier is the file's name without folder and `.yaml`. */
export function loadProgramme(file: string, text: string): LoadResult {
  const id = programmeIdOf(file);
  const whole = { file, line: 1, column: 1 };
  const nameFault = faultOfName(id);
  const nameFaults =
    nameFault === undefined
      ? []
      : [errorAt(whole, [], `"${id}" cannot name a programme: ${nameFault}`, nameHint)];
  const { root, faults: syntaxFaults } = parseYaml(file, text);
  if (root?.kind !== 'map') {
    const empty = 'a programme file is a map of keys such as name and base_path';
    const told = syntaxFaults.length > 0 ? syntaxFaults : [errorAt(whole, [], empty)];
    return { faults: [...nameFaults, ...told] };
  }
  const { document, idle: nulls, faults: variantFaults } = layOverVariant(root);
  const faults = [...nameFaults, ...syntaxFaults, ...variantFaults];
  // Without its variant a file lacks most keys; a fault for each would hide the cause.
  if (variantFaults.length > 0) {
    return { faults: [...faults, ...faultsOverAny(root)].toSorted(byPosition) };
  }
  const { output: definition, faults: raw } = validate(definitionSchema, document);
  const worded = raw.map((fault) => withForeignWord(document, fault));
  const schemaFaults = gatherMissingTexts(document, worded);
  const nullFaults = [...idleNulls(definitionSchema, document, nulls)];
  const sound = nullFaults.some(isError) ? undefined : definition;
  const found = [
    ...faults,
    ...schemaFaults,
    ...nullFaults,
    ...ambiguousNumbers(root, schemaFaults),
    // Only once each key holds: what is wrong across keys could follow from a fault of one.
    ...(sound === undefined ? [] : checkDefinition(sound, document)),
  ];
  const { told, departures } = withoutAccepted(document, found);
  const all = withoutVariant(root, told, variantNames())
    .map((fault) => atTheNull(root, atHome(fault, root)))
    .toSorted(byPosition);
  if (sound === undefined || all.some(isError)) return { faults: all };
  const loaded = {
    id: id as ProgrammeId,
    definition: sound,
    variant: sound.variant,
    document,
    departures,
    logos: new Map(),
  };
  return { loaded, faults: all };
}

/** Compiles a programme; `serviceUrl` as for `compileProgramme`. */
export function compileLoaded(
  { id, definition, logos }: LoadedProgramme,
  serviceUrl: string,
): Programme {
  return compileProgramme(id, definition, serviceUrl, logos);
}

function isError({ severity }: Fault): boolean {
  return severity === 'error';
}

/** Adds the logos that the file names; an unfit logo removes `loaded`. */
export function withLogos({ loaded, faults }: LoadResult, read: ReadBeside): LoadResult {
  if (loaded === undefined) return { faults };
  const { logos, faults: found } = readLogos(loaded.definition, loaded.document, read);
  const { told, departures } = withoutAccepted(loaded.document, found);
  const all = [...faults, ...told].toSorted(byPosition);
  if (found.some(isError)) return { faults: all };
  const listed = [...loaded.departures, ...departures];
  return { loaded: { ...loaded, departures: listed, logos }, faults: all };
}

/**
 * Moves a fault in the variant to the operator's own file: to the deepest key of its path that the
 * file has, or else to the key `variant`.
 */
function atHome(fault: Fault, root: YamlNode): Fault {
  if (fault.at.file === root.at.file) return fault;
  const path = fault.path.split('.');
  let depth = 0;
  while (depth < path.length && nodeAt(root, path.slice(0, depth + 1)) !== undefined) depth += 1;
  const own = depth === 0 ? ['variant'] : path.slice(0, depth);
  const source = `${fault.path} in ${fault.at.file.slice('src/'.length)}, line ${fault.at.line}`;
  return {
    ...fault,
    at: positionAt(root, own),
    hint: [fault.hint, source].filter((text) => text !== undefined).join('; '),
  };
}

function programmeIdOf(file: string): string {
  return (file.split('/').at(-1) ?? '').replace(/\.ya?ml$/, '');
}

/** What is wrong with the keys of a file, whichever variant it means. */
function faultsOverAny(root: MapNode): readonly Fault[] {
  const [first = [], ...others] = variantNames().map((name) => {
    const node: YamlNode = { kind: 'scalar', at: root.at, value: name };
    const variant = { keyAt: root.at, node };
    const { document } = layOverVariant({
      ...root,
      entries: new Map([...root.entries, ['variant', variant]]),
    });
    return validate(definitionSchema, document)
      .faults.filter(({ at }) => at.file === root.at.file)
      .map((fault) => withForeignWord(document, fault));
  });
  const isAlike = (one: Fault, other: Fault): boolean =>
    one.path === other.path && one.message === other.message;
  return first.filter((one) => others.every((some) => some.some((other) => isAlike(one, other))));
}

function layOverVariant(root: MapNode): {
  readonly document: YamlNode;
  readonly idle: readonly IdleNull[];
  readonly faults: readonly Fault[];
} {
  const idle: IdleNull[] = [];
  const variant = nodeAt(root, ['variant']);
  if (variant === undefined) {
    const nothing = { ...root, entries: new Map() };
    const groups = spreadErrorGroups(nothing, root);
    const document = groups === nothing ? root : mergeNodes(groups, root);
    return { document, idle, faults: [] };
  }
  const names = variantNames();
  const name = variant.kind === 'scalar' ? String(variant.value) : '';
  if (!names.includes(name)) {
    const hint = didYouMean(name, names) ?? `there are ${names.join(', ')}`;
    const fault = errorAt(variant.at, ['variant'], `there is no variant "${name}"`, hint);
    return { document: root, idle, faults: [fault] };
  }
  const base = spreadErrorGroups(variantFor(name, root), root);
  const document = mergeNodes(base, root, {
    replaces: takesAnotherForm(definitionSchema),
    onIdleNull: (path, at) => {
      // A map of another form may remove a key of the form that it replaces.
      if (nodeAt(base, path) === undefined) idle.push({ path, at });
    },
  });
  return { document, idle, faults: [] };
}
