// A member directory for Jetway, whole: see member-directory.md. Members come from a JSON file:
// [{ "username": "ann", "password": "<hex salt>:<hex scrypt>", "subject": "4711", "active": true }]
//   SECRET_FILES=hook.secret MEMBERS=members.json PORT=9000 node member-directory-server.mjs

import { createHmac, scryptSync, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const sameBytes = (a, b) => a.length === b.length && timingSafeEqual(a, b);

/** Whether one of our secrets made one of the signatures, no longer than five minutes ago. */
function isSigned({ headers }, body, secrets, now) {
  const timestamp = String(headers['jetway-timestamp']);
  if (!/^\d+$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > 300) return false;
  const sent = String(headers['jetway-signature'])
    .split(',')
    .map((one) => Buffer.from(one));
  return secrets.some((secret) => {
    const mac = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
    return sent.some((one) => sameBytes(one, Buffer.from(`v1=${mac}`)));
  });
}

/** An unknown member costs what a known one does, so that time does not tell who exists. */
function isPassword(password, stored = '00:00') {
  const [salt, key] = stored.split(':').map((hex) => Buffer.from(hex, 'hex'));
  return sameBytes(scryptSync(password, salt, 32), key);
}

const questions = {
  '/verify': (members, { username, password }) => {
    const found = members.find((one) => one.username === username);
    if (!isPassword(password, found?.password)) return { outcome: 'no_match' };
    if (!found.active) return { outcome: 'blocked' };
    const { subject, membership_number, level, properties } = found;
    // JSON leaves out what is undefined.
    return { outcome: 'match', member: { subject, membership_number, level, properties } };
  },
  '/status': (members, { subject }) => {
    const active = members.some((one) => one.subject === subject && one.active);
    return { outcome: active ? 'active' : 'inactive' };
  },
};

/** A request listener for node:http or node:https; secrets are none where TLS says who asks. */
export function memberDirectory({ secrets, members, now = Date.now }) {
  return async (request, response) => {
    const reply = (status, answer) =>
      response
        .writeHead(status, { 'Content-Type': 'application/json' })
        .end(JSON.stringify(answer));
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const answer = questions[request.url.replace(/^.*(?=\/)/, '')];
    if (request.method !== 'POST' || answer === undefined)
      return reply(404, { error: 'not_found' });
    if (secrets.length > 0 && !isSigned(request, body, secrets, now()))
      return reply(401, { error: 'signature' });
    return reply(200, answer(members, JSON.parse(body)));
  };
}

if (import.meta.main) {
  const { SECRET_FILES = '', MEMBERS = 'members.json', PORT = '9000' } = process.env;
  const secrets = SECRET_FILES.split(',').map((path) => readFileSync(path, 'utf8').trim());
  const members = JSON.parse(readFileSync(MEMBERS, 'utf8'));
  createServer(memberDirectory({ secrets, members })).listen(Number(PORT), '127.0.0.1');
}
