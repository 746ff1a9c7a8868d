// Owns sending a sample request over HTTP, as a partner's program would.

import type { SampleRequest } from '../programme/sample_request.ts';

export async function sendSample(
  base: string,
  request: SampleRequest,
): Promise<{ readonly status: number; readonly body: string }> {
  const { method, path, query, credentials, form, json } = request;
  const headers = new Headers(request.headers.map(([name, value]) => [name, value]));
  if (credentials !== undefined) {
    const token = Buffer.from(`${credentials.id}:${credentials.secret}`).toString('base64');
    headers.set('authorization', credentials.bare ? token : `Basic ${token}`);
  }
  if (json !== undefined) headers.set('content-type', 'application/json');
  const search = new URLSearchParams(query.map(([name, value]) => [name, value])).toString();
  const fields = form?.map(([name, value]) => [name, value] as [string, string]);
  const body = json === undefined ? fields && new URLSearchParams(fields) : JSON.stringify(json);
  const response = await fetch(base + path + (search === '' ? '' : `?${search}`), {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, body: await response.text() };
}
