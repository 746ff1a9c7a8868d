// Owns the checks across keys of a login page: its languages, its texts and its colours.

import type { Definition } from '../language/definition.ts';
import { languageNames, readVariant } from '../language/variants.ts';
import { nodeAt } from '../lib/document.ts';
import type { Path } from '../lib/fault.ts';
import { directionOf } from '../lib/language.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import { loginFailureReasons } from '../oauth/login_reasons.ts';
import { colourComplaints } from '../programme/login/colours.ts';
import type { Complaint } from '../schema/faults.ts';

export function* loginPageComplaints(
  definition: Definition,
  document: YamlNode,
): Iterable<Complaint> {
  yield* languageComplaints(definition);
  yield* untranslated(definition, document);
  yield* colourComplaints(definition.login.colours);
}

function* languageComplaints({ login }: Definition): Iterable<Complaint> {
  const { language, languages, default_language: standard } = login;
  const all = [language, ...Object.keys(languages)];
  for (const [tag, path] of [
    [language, ['login', 'language']] as const,
    ...Object.keys(languages).map((one) => [one, ['login', 'languages', one]] as const),
  ]) {
    if (directionOf(tag) !== undefined) continue;
    yield [path, `"${tag}" is no language tag (RFC 5646)`, 'fr, pt-BR and zh-Hant are'];
  }
  if (standard !== undefined && !all.includes(standard)) {
    yield [
      ['login', 'default_language'],
      `there are no texts in "${standard}"`,
      languageNames().includes(standard)
        ? `languages: { ${standard}: {} } adds those that are shipped`
        : `there are texts in ${all.join(', ')}`,
    ];
  }
  if (Object.hasOwn(languages, language)) {
    yield [
      ['login', 'languages', language],
      `"${language}" is the language of the texts in login already`,
      'to show it first, set default_language; otherwise give language another value',
    ];
  }
}

/** If a file changes `language`, it must set every text: its variant's texts are in another one. */
function* untranslated(definition: Definition, document: YamlNode): Iterable<Complaint> {
  const { variant, login } = definition;
  if (variant === undefined || login.language === languageOf(readVariant(variant))) return;
  const missing = textPaths(definition).filter(
    (path) => nodeAt(document, path)?.at.file !== document.at.file,
  );
  const [first] = missing;
  if (first === undefined) return;
  const others = missing.length === 1 ? '' : ` and ${missing.length - 1} more texts`;
  const list = missing.map((path) => path.join('.')).join(', ');
  const isThere = [...languageNames(), ...Object.keys(login.languages)].includes(login.language);
  const instead = `default_language: ${login.language}, languages: { ${login.language}: {} }`;
  yield [
    ['login', 'language'],
    `the language is "${login.language}", but ${first.join('.')}${others} are still those of the variant`,
    isThere ? `its texts are there if you write ${instead} in place of language; ${list}` : list,
  ];
}

function languageOf(document: YamlNode): unknown {
  const node = nodeAt(document, ['login', 'language']);
  return node?.kind === 'scalar' ? node.value : undefined;
}

/** The paths of all texts in `login.language`. */
function textPaths({ login, authorize }: Definition): readonly Path[] {
  const { messages, labels, pages } = login;
  const failures = loginFailureReasons.filter((reason) => 'page' in authorize.failures[reason]);
  return [
    ['login', 'title'],
    ...Object.keys(messages).map((key): Path => ['login', 'messages', key]),
    ...Object.keys(labels).map((key): Path => ['login', 'labels', key]),
    ...Object.keys(pages).flatMap((key) => inPage(['login', 'pages', key])),
    ...failures.flatMap((key) => inPage(['authorize', 'failures', key, 'page'])),
  ];
}

function inPage(page: Path): readonly Path[] {
  return [
    [...page, 'title'],
    [...page, 'text'],
  ];
}
