// Owns sending a sample request over HTTP, as a partner's program would.

import type { SampleRequest } from '../../programme/requests/sample_request.ts';

export interface SampleAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export async function sendSample(base: string, request: SampleRequest): Promise<SampleAnswer> {
  const { method, path, query, credentials, form, json, raw } = request;
  const headers = new Headers(request.headers.map(([name, value]) => [name, value]));
  if (credentials !== undefined) {
    const token = Buffer.from(`${credentials.id}:${credentials.secret}`).toString('base64');
    headers.set('authorization', credentials.bare ? token : `Basic ${token}`);
  }
  if (json !== undefined) headers.set('content-type', 'application/json');
  if (raw !== undefined) headers.set('content-type', raw.type);
  const search = encoded(query)?.toString() ?? '';
  const body = raw?.text ?? (json && JSON.stringify(json)) ?? encoded(form);
  const response = await fetch(base + path + (search === '' ? '' : `?${search}`), {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

function encoded(pairs: SampleRequest['form']): URLSearchParams | undefined {
  return pairs && new URLSearchParams(pairs.map(([name, value]) => [name, value]));
}
