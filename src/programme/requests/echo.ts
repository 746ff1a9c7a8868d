// Owns which values of a token request its answer may repeat: none that is a secret, and each as far as
// its input accepts it.

import type { Definition } from '../../language/definition.ts';
import type { InputDefinition } from '../../language/input_schema.ts';
import { knownInput } from '../../language/known_inputs.ts';
import { writtenValues } from '../../language/value_tree.ts';
import { sentPrefix } from '../../language/vocabularies.ts';
import { layoutsOf } from '../answers/layouts.ts';
import type { Input, Inputs } from './inputs.ts';

/** Values by their names in files: `sent.echo_token`. */
export type Sent = Readonly<Record<string, string>>;

/** Longer values are left out: an answer is no place to store them. */
const longest = 200;

/** Whether a value sent for the input can open something. */
export function isSecretInput(role: string, input: InputDefinition): boolean {
  return (
    knownInput(role)?.isSecret === true ||
    input.scheme !== undefined ||
    input.in === 'cookie' ||
    input.must_equal === 'client.api_key'
  );
}

/** Names of the inputs whose values some answer repeats. */
export function repeatedInputs(definition: Definition): readonly string[] {
  const layouts = layoutsOf(definition).filter((layout) => layout.repeatsRequest);
  const names = new Set(layouts.flatMap(({ fields }) => [...writtenValues(fields)]));
  return [...names].flatMap((name) =>
    name.startsWith(sentPrefix) ? [name.slice(sentPrefix.length)] : [],
  );
}

/** A function that picks them from a request's inputs; undefined where no answer repeats any. */
export function compileEcho(
  definition: Definition,
  inputsHere: readonly Input[],
): ((inputs: Inputs) => Sent) | undefined {
  const repeated = new Set(repeatedInputs(definition));
  const told = inputsHere.filter(({ role }) => repeated.has(role));
  if (told.length === 0) return undefined;
  return (inputs) => {
    const sent: Record<string, string> = {};
    for (const { role, fits } of told) {
      const value = inputs.get(role);
      if (value === undefined || value.length > longest || !fits(value)) continue;
      sent[sentPrefix + role] = value;
    }
    return sent;
  };
}
