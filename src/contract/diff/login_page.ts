// Owns the rows of a login page: what members see of it.

import { hash } from 'node:crypto';

import type { Logo } from '../../language/logos.ts';
import { formatDuration } from '../../lib/duration.ts';
import { loginFailureReasons } from '../../oauth/login_reasons.ts';
import { colourSchemes } from '../../programme/login/colours.ts';
import type { LoginTexts } from '../../programme/login/texts.ts';
import type { Programme } from '../../programme/programme.ts';
import { type Endpoint, type Row, limitText, text } from './rows.ts';

export function loginPage(programme: Programme): Endpoint {
  const { pagePath, lifetime, lockout, addressLimit, languages, palettes, brands, logo } =
    programme.login;
  const { tags } = languages;
  const standard = languages.texts(undefined).language;
  return {
    kind: 'login page',
    rows: [
      text('address', pagePath),
      text('time to log in', formatDuration(lifetime)),
      text(
        'wrong passwords for a username',
        lockout === undefined
          ? 'no limit'
          : `${lockout.attempts} in ${formatDuration(lockout.window)}, then locked for ${formatDuration(lockout.lock)}`,
      ),
      text('failed logins from one address', limitText(addressLimit)),
      text('languages', tags.join(', ')),
      text('usual language', standard),
      text('menu of languages', languages.offered.length === 0 ? 'none' : 'shown'),
      ...tags.flatMap((tag) => textRows(programme, languages.texts(tag), tag === standard)),
      text('logo', pictureText(logo)),
      ...colourSchemes.map((scheme) =>
        text(
          `colours, ${scheme}`,
          Object.entries(palettes[scheme])
            .map(([name, colour]) => `${name} ${colour}`)
            .join(', '),
        ),
      ),
      ...[...brands].map(([name, brand]) =>
        text(`brand ${name}`, `${brand.name}, logo: ${pictureText(brand.logo)}`),
      ),
    ],
  };
}

/** A picture by its content: the name of its file is not sent. */
function pictureText(logo: Logo | undefined): string {
  if (logo === undefined) return 'none';
  const paper = logo.adapts ? ', with colours for dark pages' : '';
  return `${logo.type}, SHA-256 ${hash('sha256', logo.bytes).slice(0, 12)}${paper}`;
}

/** Every text of one language, without the pages of failures that are redirects or told already. */
function textRows({ login }: Programme, texts: LoginTexts, isStandard: boolean): readonly Row[] {
  const { language, direction: _, pages, continueTo, ...others } = texts;
  const told = Object.entries(pages).filter(([name]) => {
    const reason = loginFailureReasons.find((one) => one === name);
    return reason === undefined || (!isStandard && 'page' in login.failure(reason));
  });
  const all = {
    ...others,
    continue_to: continueTo.join('{partner}'),
    page: Object.fromEntries(told),
  };
  return leaves(all).map(([path, words]) => text(`${language}: ${path.join(' ')}`, words));
}

interface Texts {
  readonly [name: string]: string | Texts;
}

function leaves(texts: object): readonly (readonly [path: readonly string[], words: string])[] {
  return Object.entries(texts as Texts).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [[[name], value] as const]
      : leaves(value).map(([path, words]) => [[name, ...path], words] as const),
  );
}
