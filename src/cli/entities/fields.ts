// Owns the description of a field, from which its options, file columns, checks, changes by `set`
// and output are made. The *_fields.ts files hold the descriptions.

import { Option } from 'commander';

import { type Position, quote } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import type { Programme } from '../../programme/programme.ts';
import { option, type OptionSpec } from '../grammar/options.ts';
import type { Uses } from '../table.ts';

/** Options as commander returns them, by commander's names. */
export type Typed = Readonly<Record<string, unknown>>;

/** A text in an option or in a file. */
export interface Given {
  readonly text: string;
  /** The name in messages: `--partner-id`, `partner_id`. */
  readonly label: string;
  /** Its position, if it is in a file. */
  readonly at?: Position;
}

/** All texts for one item, by the names of inputs. */
export type Inputs = ReadonlyMap<string, readonly Given[]>;

export type Complaint = Pick<Given, 'at'> & { readonly message: string };

/** A way to give a field, or a part of it: a column of files and an option. */
export interface Input {
  /** The column in a CSV file, and the key in a YAML file. */
  readonly name: string;
  /**
   * The map of a YAML file that contains it, and its key there; without `key` any name is allowed.
   */
  readonly nested?: { readonly map: string; readonly key?: string; readonly like: string };
  /** Why a name of a nested value without `key` is refused. */
  readonly nameFault?: (name: string) => string | undefined;
  /** The name in messages about files, if it is not the column's. */
  readonly words?: string;
  /** The option, in commander's form; left out for a column of files alone. */
  readonly flags?: string;
  readonly help?: string;
  readonly choices?: readonly string[];
  /** The option's help at `set`, if it differs from `add`. */
  readonly helpAtSet?: string;
  /** Only `set` has the option; files have no such column. */
  readonly onlyAtSet?: true;
  /** The option, `--no-…`, removes the field's value. */
  readonly takesAway?: true;
  /** Each row of a file must have it. */
  readonly required?: true;
  /** A file can hold several, separated by spaces. */
  readonly many?: true;
  /** Messages may quote the value; never set for a secret. */
  readonly quoted?: true;
  /**
   * Why a text is refused, as the end of a sentence; undefined if it is accepted. Without a
   * programme, which may be unknown yet, checks that depend on it are left out.
   */
  readonly check?: (
    text: string,
    programme: Programme | undefined,
    all: Inputs,
  ) => string | undefined;
}

/** A field of an item. Methods (bivariant), so that fields of different values fit one list. */
export interface Field<Value, Json extends string = string> {
  readonly json: Json;
  /** The label in sheets, if it is not the key with spaces. */
  readonly label?: string;
  readonly inputs: readonly Input[];
  /** The value from inputs without complaints; also called without any input. */
  read(given: Inputs): Value;
  /** The value after `set`; if left out, the result of `read`. */
  change?(before: Value, given: Inputs): Value;
  /** Complaints besides those of the inputs' checks. */
  complaints?(given: Inputs): readonly Complaint[];
  /** What `set` is to remove and the item does not have. */
  lacks?(before: Value, given: Inputs): readonly string[];
  /** The value in JSON, if it is not the value itself or null. */
  view?(value: Value, uses: Uses): unknown;
  /** The lines of the value in a sheet. */
  lines?(value: Value, uses: Uses): readonly string[];
}

export type Fields<Item, Json extends string = string> = {
  readonly [Name in keyof Item]-?: Field<Item[Name], Json>;
};
export type SomeFields<Item> = Partial<Fields<Item>>;

/** The fields of an item, with the names that they have in JSON. */
export function fieldsOf<Item>() {
  return <Json extends string>(fields: Fields<Item, Json>): Fields<Item, Json> => fields;
}

/** A field of one optional text; `withoutIt` is the help of `--no-…`. */
export function textField<Name extends string>(
  input: Input & { readonly name: Name; readonly flags: string },
  withoutIt: string,
): Field<string | undefined, NoInfer<Name>> {
  const { name, flags } = input;
  return {
    json: name,
    inputs: [input, takingAway(labelOf(flags).replace('--', '--no-'), withoutIt)],
    read: (given) => textsOf(given, name)[0],
  };
}

/** What a list of texts is called. */
interface ListWords<Name extends string> extends Pick<Input, 'check' | 'help' | 'helpAtSet'> {
  readonly name: Name;
  /** One of them in messages. */
  readonly noun: string;
  /** All of them in help. */
  readonly plural: string;
  /** The option that gives all of them, without its dashes: `origin <origin...>`. */
  readonly flags: string;
}

type ListField<Name extends string> = Required<
  Pick<
    Field<readonly string[], Name>,
    'json' | 'inputs' | 'read' | 'change' | 'complaints' | 'lacks'
  >
>;

/** A field of several texts: the whole list, and what `set` adds to it and takes from it. */
export function listField<Name extends string>({
  name: all,
  noun,
  plural,
  flags,
  check,
  ...helps
}: ListWords<Name>): ListField<Name> {
  const [added, removed] = [`add_${all}`, `remove_${all}`];
  const checked = { ...present({ check }), many: true, quoted: true } as const;
  const read = (given: Inputs): readonly string[] => [...new Set(textsOf(given, all))];
  return {
    json: all,
    inputs: [
      { ...checked, ...helps, name: all, flags: `--${flags}` },
      {
        ...checked,
        name: added,
        onlyAtSet: true,
        flags: `--add-${flags}`,
        help: `${plural} beside those it has`,
      },
      {
        name: removed,
        onlyAtSet: true,
        flags: `--remove-${flags}`,
        help: `${plural} it is not to have any more`,
      },
    ],
    read,
    change: (before, given) => {
      if (given.has(all)) return read(given);
      const kept = before.filter((one) => !textsOf(given, removed).includes(one));
      return [...new Set([...kept, ...textsOf(given, added)])];
    },
    complaints: (given) => {
      const both = textsOf(given, added)
        .filter((one) => textsOf(given, removed).includes(one))
        .map((one) => ({ message: `${quote(one)} is to be added and to be removed` }));
      const [whole] = given.get(all) ?? [];
      if (whole === undefined || !(given.has(added) || given.has(removed))) return both;
      const [add, remove] = ['--add-', '--remove-'].map((word) => whole.label.replace('--', word));
      const message = `${whole.label} replaces all there are: leave out ${add} and ${remove}`;
      return [{ message }, ...both];
    },
    lacks: (before, given) =>
      textsOf(given, removed)
        .filter((one) => !before.includes(one))
        .map((one) => `${noun} ${quote(one)}`),
  };
}

/** The input of an option that removes a field's value. */
export function takingAway(flags: string, help: string): Input {
  return { name: flags, flags, help, onlyAtSet: true, takesAway: true };
}

/** Refuses texts of another form, which `words` name: `must be 1 to 50 letters, not "a1"`. */
export function formFault(form: RegExp, words: string): (text: string) => string | undefined {
  return (text) => (form.test(text) ? undefined : `must be ${words}, not ${quote(text)}`);
}

export function textsOf(given: Inputs, name: string): readonly string[] {
  return given.get(name)?.map(({ text }) => text) ?? [];
}

export function listOf<Item, Json extends string = string>(
  fields: SomeFields<Item>,
): readonly (readonly [name: keyof Item, field: Field<unknown, Json>])[] {
  return Object.entries(fields) as never;
}

export function inputsOf<Item>(fields: SomeFields<Item>): readonly Input[] {
  return listOf(fields).flatMap(([, { inputs }]) => inputs);
}

/** The inputs of a new item: the options of `add`, and the columns of files. */
export function newInputsOf<Item>(fields: SomeFields<Item>): readonly Input[] {
  return inputsOf(fields).filter(({ onlyAtSet }) => onlyAtSet !== true);
}

export function optionsOf({ flags, help = '', choices }: Input): readonly OptionSpec[] {
  return flags === undefined ? [] : [option(flags, help, present({ choices }))];
}

export function addOptions<Item>(fields: SomeFields<Item>): readonly OptionSpec[] {
  return newInputsOf(fields).flatMap((input) =>
    optionsOf(input).map((spec) => (input.required ? { ...spec, required: true } : spec)),
  );
}

export function setOptions<Item>(fields: SomeFields<Item>): readonly OptionSpec[] {
  return inputsOf(fields).flatMap((input) =>
    optionsOf(present({ ...input, help: input.helpAtSet ?? input.help })),
  );
}

function labelOf(flags: string): string {
  return flags.replace(/ .*/, '');
}

/** The value of an option; false for `--no-…`. */
export function valueOf(options: Typed, flags: string): unknown {
  return options[new Option(flags).attributeName()];
}

export function givenIn(options: Typed, inputs: readonly Input[]): Inputs {
  const given = new Map<string, readonly Given[]>();
  for (const { name, flags, takesAway } of inputs) {
    if (flags === undefined) continue;
    const label = labelOf(flags);
    const value = valueOf(options, flags);
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

/** All complaints about an item: of its inputs, its fields, and `others`. */
export function complaintsOf<Item>(
  fields: SomeFields<Item>,
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

/** Complains of a value that is both set and removed. */
function clashes({ inputs }: Field<unknown>, given: Inputs): readonly Complaint[] {
  const used = inputs.filter(({ name }) => given.has(name));
  const away = used.find(({ takesAway }) => takesAway);
  const [first] = used.flatMap(({ name, takesAway }) => (takesAway ? [] : (given.get(name) ?? [])));
  if (first === undefined || away === undefined) return [];
  return [{ message: `${away.name} and ${first.label} do not go together` }];
}

/** The fields of a new item, from inputs without complaints. */
export function readFields<Item>(fields: Fields<Item>, given: Inputs): Item {
  const values = listOf(fields).map(([name, field]) => [name, field.read(given)]);
  return present(Object.fromEntries(values) as object) as Item;
}

/** The item after `set`. A field without inputs does not change. */
export function changeFields<Item extends object>(
  fields: SomeFields<Item>,
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
  return present({ ...before, ...Object.fromEntries(values) }) as Item;
}

export function lackingIn<Item>(
  fields: SomeFields<Item>,
  before: Item,
  given: Inputs,
): readonly string[] {
  return listOf(fields).flatMap(([name, field]) => field.lacks?.(before[name], given) ?? []);
}
