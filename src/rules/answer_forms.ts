// Owns the checks of the forms in which a request can choose its answer: that some request can, and that each form can
// hold the answers.

import type { Definition } from '../language/definition.ts';
import { formsOf } from '../programme/answers/forms.ts';
import { layoutsOf } from '../programme/answers/layouts.ts';
import { choosesByType } from '../programme/requests/choices.ts';
import { type Complaint, wrong } from '../schema/faults.ts';
import { encodingComplaints } from './layouts.ts';

/** RFC 6838 4.2, as headers are compared. */
const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** Keys that say how one value looks. */
const shapes = [
  'scheme',
  'prefix',
  'characters',
  'length',
  'format',
  'allowed',
  'must_equal',
] as const;

export function* formComplaints(definition: Definition): Iterable<Complaint> {
  const { answer_forms: forms, token_endpoints: endpoints, token_response: response } = definition;
  const choosing = Object.entries(endpoints).flatMap(([name, { inputs }]) => {
    const { answer_form: input } = inputs;
    return input === undefined ? [] : [[name, input] as const];
  });
  if (forms === undefined) {
    for (const [name] of choosing) {
      yield [
        ['token_endpoints', name, 'inputs', 'answer_form'],
        'answer_forms does not say what forms a request can choose',
        'write answer_forms: { json: { encoding: json } }, or take this out',
      ];
    }
    return;
  }
  const names = Object.keys(forms);
  yield* wrong(
    [names.length === 0, ['answer_forms'], 'expected at least one form'],
    [
      choosing.length === 0,
      ['answer_forms'],
      `no token endpoint reads answer_form, so that no request can choose`,
      `add it to the inputs of an endpoint: answer_form: { name: format }`,
    ],
  );
  for (const [name, input] of choosing) {
    const at = ['token_endpoints', name, 'inputs', 'answer_form'];
    yield* wrong(
      [
        input.required,
        [...at, 'required'],
        'a request without it has the usual form: no request needs it',
        'take it out',
      ],
      ...shapes.map((key): readonly [boolean, ...Complaint] => [
        choosesByType(input) && input[key] !== undefined,
        [...at, key],
        'Accept lists media types, whatever their number',
        'take it out',
      ]),
    );
  }
  const usual = response.content_type.split(';')[0]?.trim().toLowerCase();
  const isByType = choosing.some(([, input]) => choosesByType(input));
  for (const name of names) {
    yield* wrong(
      [
        isByType && !mediaType.test(name),
        ['answer_forms', name],
        `requests choose by Accept: "${name}" is no media type in small letters`,
        'write one such as application/json',
      ],
      [
        forms[name]?.encoding === 'form' && forms[name].root !== undefined,
        ['answer_forms', name, 'root'],
        'a form has no objects',
        'take it out',
      ],
      [
        isByType && name === usual,
        ['answer_forms', name],
        'the usual answer is of this type already',
      ],
    );
  }
  for (const [name, one] of formsOf(definition)) {
    // Of the answer with tokens and the failure, what is wrong with both is told once.
    const told = new Map<string, Complaint>();
    for (const layout of layoutsOf(one)) {
      const { holder, form } = layout;
      if (form === 'texts' || (holder !== 'token answer' && holder !== 'error')) continue;
      for (const complaint of encodingComplaints({ ...layout, at: ['answer_forms', name] })) {
        told.set(complaint[1], complaint);
      }
    }
    yield* told.values();
  }
}
