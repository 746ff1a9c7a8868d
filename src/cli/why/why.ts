// Owns the verb `why`: the refusal of a request id, from the running server's memory or from a log.

import type { ProgrammeId } from '../../oauth/client.ts';
import { failed } from '../../server/exit.ts';
import { type Explanation, explain, type RuleLine } from '../../server/why/explain.ts';
import type { WhyAnswer } from '../../server/why/route.ts';
import { askServer } from '../control_client.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { whyOptions } from '../grammar/rows.ts';
import { printResult } from '../output.ts';
import { configOf, fileOf } from '../programmes.ts';
import { sheet } from '../table.ts';
import { searchLog } from './log_search.ts';
import { partnerText, partnerView } from './partner_text.ts';

type WhyOptions = GivenWithConfig<typeof whyOptions>;

/** Ends with exit code 1 where the refusal is not found, and tells where else to look. */
export async function why(given: string, options: WhyOptions): Promise<void> {
  // Read out on the telephone, or copied with a space.
  const id = given.trim().toUpperCase();
  const found = await (options.log === undefined
    ? askMemory(id, options)
    : askLog(id, options.log, options));
  if (options.partner === true) {
    const view = partnerView(found);
    return printResult(options, view, partnerText(view));
  }
  return printResult(options, found, operatorText(found));
}

async function askMemory(id: string, options: WhyOptions): Promise<Explanation> {
  const path = `/why?id=${encodeURIComponent(id)}`;
  const answer = (await askServer(configOf(options), 'GET', path)) as WhyAnswer;
  if (answer.refusal !== undefined) return answer.refusal;
  const { remembered, since } = answer;
  const reach =
    since === null
      ? 'it has refused none since its start'
      : `it remembers ${remembered} since ${since}`;
  throw failed(
    `the server remembers no refused request ${id} (${reach}): look in its log, jetway why ${id} --log FILE`,
  );
}

async function askLog(id: string, path: string, options: WhyOptions): Promise<Explanation> {
  const { refusal, events, since } = await searchLog(path, id);
  if (refusal === undefined) {
    const reach = since === undefined ? 'it has no lines with a time' : `it begins at ${since}`;
    throw failed(
      `${path} has no refused request ${id} (${reach}): look in older logs, or ask the server without --log`,
    );
  }
  const { programme } = refusal;
  const loaded =
    programme === undefined
      ? undefined
      : fileOf(configOf(options), programme as ProgrammeId).loaded;
  const present = 'lines are those of the files as they are now';
  return explain(refusal, loaded, [...events, present]);
}

function operatorText(found: Explanation): string {
  const { request_id, time, reason, status, method, path, endpoint, programme, notes } = found;
  const { client, claimed_client: claimed, grant, step, step_does } = found;
  const { expected, came, likely, remedy } = found;
  const { rule_line: rule, answer_line: answer, retry_after: wait } = found;
  const some = (text: string | undefined): readonly string[] => (text === undefined ? [] : [text]);
  const who = client === undefined ? claimed && `${claimed} (claimed)` : `${client} (proved)`;
  return [
    `${request_id} was refused at ${time}: ${reason}`,
    sheet([
      [
        'request',
        [
          path === ''
            ? `${method} to no endpoint`
            : `${method} ${path} (${endpoint.replaceAll('_', ' ')})`,
        ],
      ],
      ['programme', some(programme)],
      ['client', [who ?? 'not known']],
      ['grant', some(grant)],
      ['step', [`${step}: ${step_does}`]],
      ['expected', some(expected)],
      ['came', some(came)],
      ['likely', some(likely)],
      ['remedy', some(remedy)],
      ['rule', rule === undefined ? ["Jetway's own: no key changes it"] : lineText(rule)],
      ['answer', [`status ${status}`, ...(answer === undefined ? [] : lineText(answer))]],
      ['retry after', some(wait === undefined ? undefined : `${wait} s`)],
      ['note', notes],
    ]),
  ].join('\n');
}

function lineText({ at, key, value, is_default: isDefault }: RuleLine): readonly string[] {
  const held = value === undefined ? key : `${key}: ${value}`;
  return [at, isDefault ? `${held} (by default)` : held];
}
