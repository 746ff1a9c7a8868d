// Owns sending sample requests over HTTP.

import { authorizationOf, type SampleRequest } from '../../contract/samples/requests.ts';
import { present } from '../../lib/present.ts';

export interface SampleAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a sample request; follows no redirect. */
export async function sendSample(base: string, request: SampleRequest): Promise<SampleAnswer> {
  const { method, path, query, credentials, form, multipart, json, raw } = request;
  const headers = new Headers(request.headers.map(([name, value]) => [name, value]));
  if (credentials !== undefined) {
    headers.set('authorization', authorizationOf(credentials));
  }
  if (json !== undefined) headers.set('content-type', 'application/json');
  if (raw !== undefined) headers.set('content-type', raw.type);
  const search = encoded(query)?.toString() ?? '';
  const body =
    raw?.text ?? (json && JSON.stringify(json)) ?? (multipart === true ? parts : encoded)(form);
  const response = await fetch(base + path + (search === '' ? '' : `?${search}`), {
    method,
    headers,
    redirect: 'manual',
    ...present({ body }),
  });
  const cookies = response.headers.getSetCookie();
  return {
    status: response.status,
    headers: {
      ...Object.fromEntries(response.headers),
      ...(cookies.length > 0 && { 'set-cookie': cookies.join('\n') }),
    },
    body: await response.text(),
  };
}

function parts(pairs: SampleRequest['form'] = []): FormData {
  const body = new FormData();
  for (const [name, value] of pairs) body.append(name, value);
  return body;
}

function encoded(pairs: SampleRequest['form']): URLSearchParams | undefined {
  return pairs && new URLSearchParams(pairs.map(([name, value]) => [name, value]));
}
