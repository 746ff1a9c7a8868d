// Owns the compiled login of a programme: its request, its page, and the answer to each failure.

import type { PageFailure, RedirectFailure } from '../../language/authorize_schema.ts';
import type { Definition } from '../../language/definition.ts';
import type { LockoutDefinition } from '../../language/login_schema.ts';
import type { Logo, Logos } from '../../language/logos.ts';
import { unlessOff } from '../../language/service_schemas.ts';
import { compileGenerator, usualIdentifierLength } from '../../language/value_shape.ts';
import { valueOf } from '../../language/value_tree.ts';
import { drawnValue } from '../../language/vocabularies.ts';
import type { Milliseconds } from '../../lib/clock.ts';
import { present } from '../../lib/present.ts';
import type { ThrottleLimit } from '../../oauth/client.ts';
import type { LoginFailureReason } from '../../oauth/login_reasons.ts';
import { compileRedirectAnswer, type RedirectWriter } from '../answers/redirect_answer.ts';
import { compilePalettes, type Palettes } from './colours.ts';
import { compileLoginEndpoint, type LoginEndpoint } from './endpoint.ts';
import { compileLanguages, type LoginLanguages } from './texts.ts';

export interface LoginRules {
  readonly endpoint: LoginEndpoint;
  readonly pagePath: string;
  readonly lifetime: Milliseconds;
  /** When a username is locked; undefined where `off`. */
  readonly lockout: LockoutDefinition | undefined;
  /** Limit on failed logins from one address; undefined where `off`. */
  readonly addressLimit: ThrottleLimit | undefined;
  readonly redirect: RedirectWriter;
  /** What each login draws, by name. */
  readonly draws: ReadonlyMap<string, Drawn>;
  readonly failure: (reason: LoginFailureReason) => PageFailure | RedirectFailure;
  readonly languages: LoginLanguages;
  readonly logo?: Logo;
  readonly palettes: Palettes;
  /** Brands by the names that login requests use. */
  readonly brands: ReadonlyMap<string, Brand>;
}

/** A value that each login draws anew. */
export interface Drawn {
  readonly draw: () => string;
  /** The parameter of the redirect that tells it. */
  readonly parameter: string;
}

/** The partner's name and logo on the page (P-3). */
export interface Brand {
  readonly name: string;
  readonly logo?: Logo;
}

/** Compiles the login; `ownPath` is the path of the programme's own pages. */
export function compileLogin(
  definition: Definition,
  { ownPath, issuer }: { readonly ownPath: string; readonly issuer: string },
  logos: Logos,
): LoginRules {
  const { authorize, login } = definition;
  return {
    endpoint: compileLoginEndpoint(definition),
    pagePath: ownPath + login.path,
    lifetime: login.lifetime,
    lockout: unlessOff(login.lockout),
    addressLimit: unlessOff(login.address_limit),
    redirect: compileRedirectAnswer(authorize.answer, {
      programme_identifier: definition.programme_identifier,
      issuer,
    }),
    draws: new Map(
      Object.entries(authorize.draws).map(([name, shape]) => [
        name,
        {
          draw: compileGenerator(shape, usualIdentifierLength),
          parameter:
            [...authorize.answer.more].find(
              ([, field]) => valueOf(field) === drawnValue(name),
            )?.[0] ?? name,
        },
      ]),
    ),
    failure: (reason) => authorize.failures[reason],
    languages: compileLanguages(definition),
    ...present({ logo: logos.get(login.logo ?? '') }),
    palettes: compilePalettes(login.colours),
    brands: new Map(
      Object.entries(login.brands).map(([brand, { name, logo = '' }]) => [
        brand,
        present({ name, logo: logos.get(logo) }),
      ]),
    ),
  };
}

export function picturesOf({ logo, brands }: LoginRules): readonly Logo[] {
  const all = [logo, ...[...brands.values()].map((brand) => brand.logo)];
  const shown = all.filter((one) => one !== undefined);
  return [...new Map(shown.map((one) => [one.fileName, one])).values()];
}
