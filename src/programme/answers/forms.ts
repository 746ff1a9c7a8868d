// Owns the forms in which a token request can choose its answer: which it chooses, and how the dialect's answers
// look in each.

import type { Definition } from '../../language/definition.ts';
import { preferredType } from '../../language/input_formats.ts';
import type { EndpointDefinition } from '../../language/input_schema.ts';
import { headerValues, type RequestHead, type WireRequest } from '../../oauth/wire_request.ts';
import { acceptHeader } from '../requests/choices.ts';
import type { Input } from '../requests/inputs.ts';
import { compileBodyReader, noBody } from '../requests/reading.ts';
import { compileReader } from '../requests/request_reader.ts';

/** The dialect with its answers in each form that a request can choose, by the form's name. */
export function formsOf(definition: Definition): ReadonlyMap<string, Definition> {
  const forms = Object.entries(definition.answer_forms ?? {});
  return new Map(forms.map(([name, form]) => [name, definitionIn(definition, form)]));
}

type Form = NonNullable<Definition['answer_forms']>[string];

function definitionIn(definition: Definition, { encoding, content_type, root }: Form): Definition {
  // What stands before their JSON is of the usual answers alone.
  const { before: _tokens, ...tokens } = definition.token_response;
  const { before: _errors, ...errors } = definition.errors;
  const form = { encoding, content_type };
  if (root === undefined || encoding === 'form') {
    return {
      ...definition,
      token_response: { ...tokens, ...form },
      errors: { ...errors, ...form },
    };
  }
  return {
    ...definition,
    token_response: { ...tokens, ...form, wrap: [root, ...tokens.wrap] },
    errors: { ...errors, ...form, fields: new Map([[root, { object: errors.fields }]]) },
  };
}

/** The form that a request chooses; undefined for the dialect's usual one. Its body may not have been read. */
export type FormChooser = (request: RequestHead & Partial<WireRequest>) => string | undefined;

/**
 * Reads nothing but the choice, whatever else is wrong with the request: its failures have the form, too. A choice
 * that cannot be read, or that is made twice, chooses nothing.
 *
 * @param inputs those of the endpoint
 */
export function compileFormChooser(
  definition: Definition,
  endpoint: EndpointDefinition,
  inputs: readonly Input[],
): FormChooser | undefined {
  const forms = definition.answer_forms;
  const input = inputs.find(({ role }) => role === 'answer_form');
  if (forms === undefined || input === undefined) return undefined;
  if (input.inHeader && input.wireName === acceptHeader) {
    const usual = definition.token_response.content_type;
    const types = [usual.split(';')[0]?.trim().toLowerCase() ?? '', ...Object.keys(forms)];
    return (request) => {
      const sent = headerValues(request, acceptHeader);
      const place = sent.length === 0 ? 0 : preferredType(sent.join(', '), types);
      return place > 0 ? types[place] : undefined;
    };
  }
  const readBody = compileBodyReader(endpoint, inputs);
  const read = compileReader(endpoint, [input], (request) => {
    try {
      return readBody(request);
    } catch {
      // What is wrong with the body is told by whoever reads all of it.
      return noBody;
    }
  });
  return (request) => {
    const { body = new Uint8Array() } = request;
    const value = read({ ...request, body } as WireRequest, () => {}).get('answer_form');
    return value !== undefined && input.fits(value) ? value : undefined;
  };
}
