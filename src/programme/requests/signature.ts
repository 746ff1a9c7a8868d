// Owns what a client signs of a token request, and the signature that its signing secret gives.

import { methodOf, type RequestSignature } from '../../language/signature_schema.ts';
import { secretWord, signatureOf } from '../../oauth/proofs/signature.ts';

/** @param valueOf the value of an input that is signed; of each there is one */
export function signRequest(
  recipe: RequestSignature,
  valueOf: (role: string) => string,
  secret: string,
): string {
  const values = recipe.of.map((one) => (one === secretWord ? secret : valueOf(one)));
  return signatureOf(methodOf(recipe), values.join(recipe.separator), secret);
}
