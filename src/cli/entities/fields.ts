// Owns the description of a field: from one entry come its options, its columns in files, its checks,
// its change by `set`, and how it is shown. Which fields there are is said in the *_fields.ts files.

import { Option } from 'commander';

import { type Position, quote } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import type { Programme } from '../../programme/programme.ts';
import { option, type OptionSpec } from '../grammar/grammar.ts';

/** Options as commander hands them over, by its names for them. */
export type Typed = Readonly<Record<string, unknown>>;

/** A text that an operator gave, in an option or in a file. */
export interface Given {
  readonly text: string;
  /** The name that messages use: `--partner-id`, `partner_id`. */
  readonly label: string;
  /** Its place, where it stands in a file. */
  readonly at?: Position;
}

/** All that was given for one item, by the names of inputs. */
export type Inputs = ReadonlyMap<string, readonly Given[]>;

/** What is wrong with something given, in a sentence. */
export type Complaint = Pick<Given, 'at'> & { readonly message: string };

/** One way to give (a part of) a field: a column of files and an option. */
export interface Input {
  /** The column in a CSV file, and the key in a YAML file. */
  readonly name: string;
  /** The map of a YAML file that it stands in, and its key there; `key` is absent where any name is one. */
  readonly nested?: { readonly map: string; readonly key?: string; readonly like: string };
  /** Why a name of a nested value without `key` is refused. */
  readonly nameFault?: (name: string) => string | undefined;
  /** The name that messages about files use, where it is not the column's. */
  readonly words?: string;
  readonly option?: OptionSpec;
  /** The help of the option at `set`, where it is not that at `add`. */
  readonly helpAtSet?: string;
  /** Whether only `set` has the option, and no file the column. */
  readonly onlyAtSet?: true;
  /** Whether the option, `--no-…`, takes the field's value away. */
  readonly takesAway?: true;
  /** Whether each row of a file must have it. */
  readonly required?: true;
  /** Whether a file can hold several, with spaces between them. */
  readonly many?: true;
  /** Whether messages quote the value; never for a secret. */
  readonly quoted?: true;
  /**
   * Why a text is refused, to follow its label in a sentence; undefined if it is not. Without a
   * programme (it is not known yet) what depends on the programme is not judged.
   */
  readonly check?: (
    text: string,
    programme: Programme | undefined,
    all: Inputs,
  ) => string | undefined;
}

/** A field of an item. Methods, so that fields of different values fit one list. */
export interface Field<Value> {
  /** The key in JSON output. */
  readonly json: string;
  /** The label in sheets; the key with spaces, where there is none. */
  readonly label?: string;
  readonly inputs: readonly Input[];
  /** The value that inputs without complaints say, also when they say nothing. */
  read(given: Inputs): Value;
  /** The value after `set`; without this, what `read` makes of the inputs. */
  change?(before: Value, given: Inputs): Value;
  /** Complaints beside those of the inputs' checks. */
  complaints?(given: Inputs): readonly Complaint[];
  /** What is to be removed by `set` and is not there. */
  lacks?(before: Value, given: Inputs): readonly string[];
  /** The value in JSON; the value itself, or null, without this. */
  view?(value: Value): unknown;
  /** The value in a sheet, one text a line. */
  lines?(value: Value): readonly string[];
}

/** A description of every property. */
export type Fields<Item> = { readonly [Name in keyof Item]-?: Field<Item[Name]> };

/** A field of one text that may be absent; `withoutIt` is what `--no-…` says in help. */
export function textField(
  input: Input & { readonly option: OptionSpec },
  withoutIt: string,
): Field<string | undefined> {
  const { name } = input;
  const flags = labelOf(input.option).replace('--', '--no-');
  return {
    json: name,
    inputs: [input, takingAway(flags, withoutIt)],
    read: (given) => textsOf(given, name)[0],
  };
}

/** The input of an option that takes a field's value away. */
export function takingAway(flags: string, description: string): Input {
  return { name: flags, option: option(flags, description), onlyAtSet: true, takesAway: true };
}

/** Texts given for an input. */
export function textsOf(given: Inputs, name: string): readonly string[] {
  return given.get(name)?.map(({ text }) => text) ?? [];
}

/** Fields in their order, without their types. */
export function listOf<Item>(
  fields: Fields<Item>,
): readonly (readonly [name: keyof Item, field: Field<unknown>])[] {
  return Object.entries(fields) as never;
}

/** Everything that can be given of an item. */
export function inputsOf<Item>(fields: Fields<Item>): readonly Input[] {
  return listOf(fields).flatMap(([, { inputs }]) => inputs);
}

/** The inputs of a new item: those of `add`, and the columns of files. */
export function newInputsOf<Item>(fields: Fields<Item>): readonly Input[] {
  return inputsOf(fields).filter(({ onlyAtSet }) => onlyAtSet !== true);
}

/** The options of `add`. */
export function addOptions<Item>(fields: Fields<Item>): readonly OptionSpec[] {
  return newInputsOf(fields).flatMap((input) => input.option ?? []);
}

/** The options of `set`. */
export function setOptions<Item>(fields: Fields<Item>): readonly OptionSpec[] {
  return inputsOf(fields).flatMap(({ option: spec, helpAtSet }) => {
    if (spec === undefined) return [];
    const { required: _, ...optional } = spec;
    return [{ ...optional, description: helpAtSet ?? spec.description }];
  });
}

/** The option as messages name it: `--partner-id`. */
function labelOf({ flags }: OptionSpec): string {
  return flags.replace(/ .*/, '');
}

/** What was given for an option; false for `--no-…`. */
export function valueOf(options: Typed, { flags }: OptionSpec): unknown {
  return options[new Option(flags).attributeName()];
}

/** What was given in options. */
export function givenIn(options: Typed, inputs: readonly Input[]): Inputs {
  const given = new Map<string, readonly Given[]>();
  for (const { name, option: spec, takesAway } of inputs) {
    if (spec === undefined) continue;
    const label = labelOf(spec);
    const value = valueOf(options, spec);
    const texts = [value].flat().filter((one) => typeof one === 'string');
    if (takesAway === true && value === false) given.set(name, [{ text: '', label }]);
    if (takesAway === true || texts.length === 0) continue;
    given.set(
      name,
      texts.map((text) => ({ text, label })),
    );
  }
  return given;
}

/** What the checks of inputs have against what was given for them. */
function checkInputs(
  inputs: readonly Input[],
  given: Inputs,
  programme: Programme | undefined,
): readonly Complaint[] {
  return inputs.flatMap(({ name, check, quoted }) =>
    (given.get(name) ?? []).flatMap(({ text, label, at }) => {
      const reason = check?.(text, programme, given);
      if (reason === undefined) return [];
      const value = quoted ? `${at === undefined ? '' : ':'} ${quote(text)}` : '';
      return [present({ message: `${label}${value} ${reason}`, at })];
    }),
  );
}

/** What is wrong with all that was given of an item, by its fields and `others`. */
export function complaintsOf<Item>(
  fields: Fields<Item>,
  given: Inputs,
  programme?: Programme,
  others: readonly Input[] = [],
): readonly Complaint[] {
  return [
    ...checkInputs(others, given, programme),
    ...listOf(fields).flatMap(([, field]) => [
      ...clashes(field, given),
      ...checkInputs(field.inputs, given, programme),
      ...(field.complaints?.(given) ?? []),
    ]),
  ];
}

/** A value that is given and taken away at once. */
function clashes({ inputs }: Field<unknown>, given: Inputs): readonly Complaint[] {
  const used = inputs.filter(({ name }) => given.has(name));
  const away = used.find(({ takesAway }) => takesAway);
  const [first] = used.flatMap(({ name, takesAway }) => (takesAway ? [] : (given.get(name) ?? [])));
  if (first === undefined || away === undefined) return [];
  return [{ message: `${away.name} and ${first.label} do not go together` }];
}

/** The fields of a new item by inputs without complaints. */
export function readFields<Item>(fields: Fields<Item>, given: Inputs): Item {
  const values = listOf(fields).map(([name, field]) => [name, field.read(given)]);
  return present(Object.fromEntries(values) as object) as Item;
}

/** The item after `set`. A field whose inputs say nothing stays as it is. */
export function changeFields<Shape extends object, Item extends Shape>(
  fields: Fields<Shape>,
  before: Item,
  given: Inputs,
): Item {
  const values = listOf(fields).map(([name, field]) => {
    const used = field.inputs.filter((input) => given.has(input.name));
    if (used.length === 0) return [name, before[name]];
    const isEmptied = used.some(({ takesAway }) => takesAway);
    const after = isEmptied ? undefined : field.change?.(before[name], given);
    return [name, after ?? field.read(given)];
  });
  return present({ ...before, ...(Object.fromEntries(values) as Shape) }) as Item;
}

/** What `set` is to remove from an item that does not have it. */
export function lackingIn<Shape>(
  fields: Fields<Shape>,
  before: Shape,
  given: Inputs,
): readonly string[] {
  return listOf(fields).flatMap(([name, field]) => field.lacks?.(before[name], given) ?? []);
}
