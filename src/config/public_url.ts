// Owns the form of the key `public_url`: the address under which clients reach the service.

import * as v from 'valibot';

export const publicUrlSchema: v.GenericSchema<unknown, string> = v.pipe(
  v.string(),
  v.check((text) => {
    const url = URL.parse(text);
    return (
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      url.username + url.password === '' &&
      // An empty query or fragment remains only in the text, not in the parsed URL.
      !/[?#]|\/$/.test(text) &&
      url.href.replace(/\/$/, '') === text
    );
  }, 'expected an http or https address in its plain form, without query or trailing slash, such as https://tokens.example.com'),
  // Requests are matched as sent: a path with a second spelling would be found by one spelling
  // only.
  v.check(
    (text) => /^(?:\/|(?:\/[\w.~-]+)+)$/.test(URL.parse(text)?.pathname ?? '/'),
    'segments of its path are of letters, digits, "-", "_", "." and "~"',
  ),
);
