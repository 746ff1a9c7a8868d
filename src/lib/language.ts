// Owns language tags: reading those that a browser accepts, and choosing the best of those offered.

/** A primary language, then region, script or variants (RFC 5646, as far as pages need). */
export const languageTagForm: RegExp = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/;

/** Writing direction of a language; undefined where there is no such language. */
export function directionOf(tag: string): 'ltr' | 'rtl' | undefined {
  try {
    return new Intl.Locale(tag).getTextInfo().direction === 'rtl' ? 'rtl' : 'ltr';
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Tags and characters of one header that are read; the rest is ignored. */
const mostAsked = 20;
const longestAsked = 500;

/** The tags of an `Accept-Language` header, best first; `*` and those of quality 0 are left out. */
export function acceptedLanguages(header: string): readonly string[] {
  return header
    .slice(0, longestAsked)
    .split(',', mostAsked)
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
      const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
      return { tag, quality: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ tag, quality }) => tag !== '*' && tag !== '' && quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}

/** The tags of a `ui_locales` parameter, best first (OpenID Connect Core 3.1.2.1). */
export function spacedLanguages(value: string): readonly string[] {
  return value
    .slice(0, longestAsked)
    .split(' ', mostAsked)
    .filter((tag) => tag !== '');
}

/**
 * The language at hand for the first tag that has one: the same tag, a more general one (RFC 4647
 * 3.4), or else one of the same primary language.
 */
export function chooseLanguage(
  asked: readonly string[],
  atHand: readonly string[],
): string | undefined {
  for (const tag of asked) {
    const subtags = tag.toLowerCase().split('-');
    for (let length = subtags.length; length > 0; length--) {
      const general = subtags.slice(0, length).join('-');
      const found = atHand.find((one) => one.toLowerCase() === general);
      if (found !== undefined) return found;
    }
    const cousin = atHand.find((one) => one.toLowerCase().split('-')[0] === subtags[0]);
    if (cousin !== undefined) return cousin;
  }
  return undefined;
}
