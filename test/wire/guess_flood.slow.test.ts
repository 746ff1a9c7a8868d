// FAULTS 23: callers take turns within a kind of work, so that a flood of guesses has no partner refused.

import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';

import { askPartnerToken, openClub, paths, tokensIn } from '../support/club.ts';
import { until } from '../support/until.ts';

/** Connections that guess a client's secret again as soon as each is answered, until the test ends. */
function guess(t: TestContext, url: string, count: number, forwarded: string): Map<string, number> {
  const told = new Map<string, number>();
  const body = 'grant_type=client_credentials';
  const wrong = Buffer.from('partnerapi-12345:a-wrong-secret').toString('base64');
  const request = [
    `POST ${paths.grant} HTTP/1.1`,
    'Host: x',
    `X-Forwarded-For: ${forwarded}`,
    `Authorization: Basic ${wrong}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}\r\n\r\n${body}`,
  ].join('\r\n');
  const { port } = new URL(url);
  for (let opened = 0; opened < count; opened += 1) {
    const socket = connect(
      { host: '127.0.0.1', port: Number(port), localAddress: '127.0.0.2' },
      () => socket.write(request),
    );
    socket.on('data', (data) => {
      const status = data.toString('latin1').slice(9, 12);
      told.set(status, (told.get(status) ?? 0) + 1);
      socket.write(request);
    });
    socket.on('error', () => undefined);
    t.after(() => socket.destroy());
  }
  return told;
}

for (const trustedProxies of [[], ['127.0.0.0/8']]) {
  const where = trustedProxies.length === 0 ? 'by themselves' : 'behind a trusted proxy';
  test(`FAULTS 23: callers ${where} take turns: a flood of guesses has no partner refused`, async (t) => {
    const club = await openClub(t, { over: 'throttle: null', trustedProxies });
    // As many as keep any machine busy for longer than the oldest may wait.
    const told = guess(t, club.url, 900, '192.0.2.66');
    await until(() => (told.get('503') ?? 0) > 20, 'no guess was refused for want of room');
    for (let asked = 0; asked < 6; asked += 1) {
      const headers = { authorization: club.client.basic, 'x-forwarded-for': '192.0.2.1' };
      tokensIn(await askPartnerToken(club, headers));
    }
  });
}
