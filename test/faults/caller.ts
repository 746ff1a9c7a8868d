// Owns a partner and its member as they use one programme of a running server, telling a hoard of
// every secret that passes either way.

import { openRefreshEnvelope } from '../../src/token/refresh_envelope.ts';
import { parseRefreshText } from '../../src/token/sealed/refresh_text.ts';
import { openLogin, type OpenLogin, submitLogin } from '../support/login.ts';
import { type Answer, ask, post } from '../support/wire.ts';
import type { Hoard } from './hoard.ts';

type Fields = Readonly<Record<string, string>>;

/** How a programme is spoken to. */
export interface Dialect {
  readonly programme: string;
  readonly base: string;
  readonly loginMethod: string;
  readonly login: (id: string) => string;
  readonly redeem: (fields: Fields) => Request;
  readonly refresh: (fields: Fields) => Request;
  /** Headers beside those of the client. */
  readonly headers: Fields;
}

interface Request {
  readonly target: string;
  readonly form: Fields;
}

export function grantDialect(programme: string, base: string): Dialect {
  const request = (form: Fields): Request => ({ target: `${base}/api/grant`, form });
  return {
    programme,
    base,
    loginMethod: 'GET',
    login: (id) => `${base}/auth/login?${query({ client_id: id, response_type: 'code' })}`,
    redeem: request,
    refresh: request,
    headers: {},
  };
}

export function partnerDialect(programme: string, identifier: string, context: string): Dialect {
  const base = `/${programme}`;
  const headers = { 'programme-identifier': identifier, 'business-context-identifier': context };
  return {
    programme,
    base,
    loginMethod: 'POST',
    login: (id) =>
      `${base}/secure/code?${query({ response_type: 'code', client_id: id, ...headers })}`,
    redeem: (fields) => ({ target: `${base}/secure/key?${query(fields)}`, form: {} }),
    refresh: (form) => ({ target: `${base}/secure/refresh`, form }),
    headers,
  };
}

function query(fields: Fields): string {
  return new URLSearchParams(fields).toString();
}

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

interface Registration {
  readonly id: string;
  readonly secret: string;
  readonly apiKey: string;
  readonly password: string;
}

export class Caller {
  /** Where the server listens. */
  server = '';
  readonly dialect: Dialect;
  readonly #hoard: Hoard;
  readonly #registration: Registration;

  constructor(hoard: Hoard, dialect: Dialect, registration: Registration) {
    this.#hoard = hoard;
    this.dialect = dialect;
    this.#registration = registration;
  }

  get id(): string {
    return this.#registration.id;
  }

  /** Types a wrong password, the right one where the name belongs, and posts a foreign form. */
  async failToLogIn(password: string): Promise<void> {
    const login = await this.#openLogin();
    const right = { username: 'ann', password: this.#registration.password };
    await submitLogin(this.server, login, { ...right, password });
    await submitLogin(this.server, login, { username: right.password, password });
    const forged = { ...login, hidden: { ...login.hidden, csrf: `${login.hidden['csrf']}x` } };
    await submitLogin(this.server, forged, right);
    await submitLogin(this.server, { ...login, cookie: '' }, right);
  }

  async codeFor(): Promise<string> {
    const answer = await this.askLogin();
    const code = URL.parse(answer.headers['location'] ?? '')?.searchParams.get('code');
    if (!code) throw new Error(`no code: ${answer.status} ${answer.body}`);
    return this.#hoard.keep('a code', code);
  }

  /** A whole login; its last answer. */
  async askLogin(): Promise<Answer> {
    const { password } = this.#registration;
    return submitLogin(this.server, await this.#openLogin(), { username: 'ann', password });
  }

  redeem(code: string, { secret }: { readonly secret?: string } = {}): Promise<Answer> {
    const request = this.dialect.redeem({ grant_type: 'authorization_code', code });
    return this.#send(request, secret);
  }

  async tokensFor(code: string): Promise<Tokens> {
    return this.#tokensIn(await this.redeem(code));
  }

  async refresh({ refresh }: Tokens): Promise<Tokens> {
    return this.#tokensIn(await this.#refresh(refresh));
  }

  /** The status that a refresh token is refused with. */
  async refusal({ refresh }: Tokens): Promise<number> {
    const { status } = await this.#refresh(refresh);
    return status;
  }

  async askOwnTokens(): Promise<void> {
    const { status, body } = await this.#send(
      this.dialect.redeem({ grant_type: 'client_credentials' }),
    );
    if (status !== 200) return;
    const { access_token: token } = JSON.parse(body) as { readonly access_token: string };
    this.#hoard.keep('a token of its own', token);
    if (!token.includes('.')) this.#hoard.keep('the bytes of a token of its own', token.slice(1));
  }

  /** Shows a token to whoever may ask for it, in every way there is. */
  async present(token: string): Promise<void> {
    const authorization = `Bearer ${token}`;
    const { base } = this.dialect;
    for (const kind of ['none', 'member', 'client']) {
      await ask(this.server, `${base}/verify/${kind}/accounts?access_token=${token}`, {
        headers: { authorization, 'x-api-key': this.#registration.apiKey },
      });
    }
    for (const path of ['introspect', 'revoke']) {
      await post(this.server, `${base}/${path}`, { token: `${token}x` }, this.#headers());
    }
  }

  /** Secrets where none is expected: in a query, in a body, in a name, in half a header. */
  async misplace(code: string, secret: string): Promise<void> {
    const { base, login } = this.dialect;
    const { id } = this.#registration;
    const both = { client_id: id, client_secret: secret, code };
    const redeem = this.dialect.redeem({ grant_type: 'authorization_code', ...both });
    await this.#send(redeem);
    await this.#send({ ...redeem, target: `${redeem.target}?${query(both)}` });
    await ask(this.server, `${base}/api/grant?${query(both)}`);
    await ask(this.server, `/nowhere/${encodeURIComponent(secret)}?${query(both)}`);
    await ask(this.server, `${login(id)}&${query({ state: secret, password: secret })}`);
    await ask(this.server, login(secret));
    for (const authorization of [
      `Basic ${Buffer.from(`${secret}:${id}`).toString('base64')}`,
      `Basic ${Buffer.from(id + secret).toString('base64')}`,
      `Basic ${encodeURIComponent(secret)}`,
      `Bearer ${encodeURIComponent(secret)}`,
    ]) {
      await post(this.server, redeem.target, redeem.form, { ...this.#headers(), authorization });
    }
  }

  /** Line breaks, and what would be an event if they were taken for the end of a line. */
  async forgeLines(): Promise<void> {
    const event = JSON.stringify({ time: '', level: 'error', event: 'forged' });
    for (const text of [`x\n${event}\n`, `x\r\n${event}\r\n`, `x\u2028${event}\u2028`]) {
      await ask(this.server, this.dialect.login(text), { method: this.dialect.loginMethod });
      await this.#send(this.dialect.redeem({ grant_type: text, code: text, scope: text }));
      await this.#refresh(text);
      const login = await this.#openLogin();
      await submitLogin(this.server, login, { username: text, password: text });
      const basic = `Basic ${Buffer.from(`${text}:${text}`).toString('base64')}`;
      await post(this.server, this.dialect.redeem({}).target, {}, { authorization: basic });
    }
  }

  async #openLogin(): Promise<OpenLogin> {
    const { login, loginMethod } = this.dialect;
    const opened = await openLogin(this.server, login(this.id), loginMethod);
    for (const [name, value] of Object.entries(opened.hidden)) this.#hoard.keep(name, value);
    this.#hoard.keep('a cookie', opened.cookie.slice(opened.cookie.indexOf('=') + 1));
    return opened;
  }

  #refresh(token: string): Promise<Answer> {
    const fields = { grant_type: 'refresh_token', refresh_token: token };
    return this.#send(this.dialect.refresh(fields));
  }

  #send({ target, form }: Request, secret?: string): Promise<Answer> {
    return post(this.server, target, form, this.#headers(secret));
  }

  #headers(secret: string = this.#registration.secret): Fields {
    const basic = Buffer.from(`${this.id}:${secret}`).toString('base64');
    const { apiKey } = this.#registration;
    return { ...this.dialect.headers, authorization: `Basic ${basic}`, 'x-app-key': apiKey };
  }

  #tokensIn({ status, body }: Answer): Tokens {
    if (status !== 200) throw new Error(`no tokens: ${status} ${body}`);
    const found = JSON.parse(body) as Readonly<Record<string, string>>;
    const access = this.#hoard.keep('an access token', found['access_token']);
    const refresh = this.#hoard.keep('a refresh token', found['refresh_token']);
    if (found['id_token'] !== undefined) this.#hoard.keep('an identity token', found['id_token']);
    const read = parseRefreshText(openRefreshEnvelope(refresh) ?? '');
    if (read === undefined) throw new Error(`no refresh token: ${refresh}`);
    const { text, loginSecret } = read;
    this.#hoard.keep('a login secret', loginSecret);
    this.#hoard.keep('the secret of a generation', text.split(loginSecret).at(-1));
    // The letter in front of a token is not part of what its bytes are the text of.
    if (!access.includes('.')) this.#hoard.keep('the bytes of an access token', access.slice(1));
    return { access, refresh };
  }
}
