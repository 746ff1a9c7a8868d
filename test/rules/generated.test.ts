// Owns the checks of what Jetway generates: forms of tokens that could be guessed, or could not travel.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { errorsOf, overlays } from '../support/definition.ts';

const cases = overlays(`
tokens: { access: { form: { prefix: gho_, length: 36 } }, refresh: { form: { characters: visible, length: 20 } } }
  none
tokens: { access: { form: { prefix: gho_, length: 21 } } }
  tokens.access.form: a token of this shape has 125 random bits; RFC 6749 10.10 asks for 128
tokens: { access: { form: { characters: digits, length: 39 } } }
  none
tokens: { refresh: { form: { characters: lower_hex, length: 16..31 } } }
  tokens.refresh.form: a token of this shape has 124 random bits; RFC 6749 10.10 asks for 128
tokens: { access: { form: { length: 1100 } } }
  tokens.access.form: a token can have 1024 characters at most
tokens: { access: { format: jwt, form: { length: 40 } }, refresh: { format: jwt, form: { length: 40 } } }
  tokens.access.form: a JWT has a form already
  tokens.refresh.form: a JWT has a form already
tokens: { access: { form: { prefix: "a b", length: 40 } }, refresh: { form: { characters: printable, length: 40 } } }
  tokens.access.form: a token of this shape cannot stand in a header Authorization (RFC 6750 2.1)
  tokens.refresh.form: a token of this shape can hold what no refresh token may (RFC 6749 A.17)
grants: { client_credentials: { access_form: { characters: visible, length: 40 } } }
  grants.client_credentials.access_form: a token of this shape cannot stand in a header Authorization (RFC 6750 2.1)
tokens: { refresh: { form: { prefix: ghr_, length: 40 } } }
token_endpoints: { grant: { inputs: { refresh_token: { length: 61 } } } }
  token_endpoints.grant.inputs.refresh_token.length: this refuses refresh tokens of the shape in tokens.refresh.form
`);

for (const [over, errors] of cases) {
  test(over, () => assert.deepEqual(errorsOf(over), errors));
}
