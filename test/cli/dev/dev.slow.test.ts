// Owns the promise that each command which `dev` offers does in bash what it says, in every dialect there
// is a file of.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

import { isByOwnToken, isSigning } from '../../../src/contract/samples/proof.ts';
import { instant } from '../../../src/lib/clock.ts';
import { type FailureReason, failureReasons } from '../../../src/oauth/reasons.ts';
import { compileProgramme, endpointsFor } from '../../../src/programme/programme.ts';
import { loadProgramme } from '../../../src/rules/load.ts';
import { shippedLogos } from '../../support/jetway.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { testNeeding } from '../../support/tools.ts';
import { configText, environment, workFolder } from '../command.ts';
import { dialects } from '../dialects.ts';
import { startDev } from './dev_process.ts';

const test = testNeeding('curl');

/** A line of the commands, and what bash printed at it. */
interface Ran {
  readonly line: string;
  /** The heading that it stands under. */
  readonly under: string;
  readonly printed: string;
}

/** Runs all commands in one bash, as if they were pasted. */
async function paste(t: TestContext, sheet: string): Promise<readonly Ran[]> {
  const lines: { line: string; under: string }[] = [];
  let under = '';
  for (const line of sheet.split('\n')) {
    if (line.startsWith('# ')) under = line.slice(2);
    else if (line !== '') lines.push({ line, under });
  }
  const script = lines.map(({ line }, index) => `printf '\\n@@${index}@@'\n${line}`).join('\n');
  const { PATH = '' } = environment;
  const env = { PATH, TMPDIR: scratchFolder(t, 'dev') };
  const child = spawn('bash', ['-c', script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(stderr, '');
  const printed = stdout.split(/\n@@\d+@@/).slice(1);
  assert.equal(printed.length, lines.length);
  return lines.map((one, index) => ({ ...one, printed: printed[index] ?? '' }));
}

/** An answer as `curl -i` prints it. */
function readAnswer(printed: string) {
  const [, status = '', head = '', body = ''] =
    /^HTTP\/1\.1 (\d+) [^\r]*\r\n(.*?)\r\n\r\n(.*)\n$/s.exec(printed) ?? [];
  const headers = head.split('\r\n').map((field) => {
    const colon = field.indexOf(': ');
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 2)];
  });
  return {
    status: Number(status),
    headers: Object.fromEntries(headers) as Record<string, string | undefined>,
    body,
  };
}

/** Times and identifiers of an answer are its own. */
function masked(body: string): string {
  return (
    body
      .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d:\d\d)?/g, 'TIME')
      // What a request says of itself is known to the request alone.
      .replace(/"txId":"[^"]*",/, '')
      .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID')
  );
}

/** A gateway lets pass what is answered with success: those a dialect words so are told plainly. */
const plain: Readonly<Record<string, number>> = { insufficient_scope: 403 };

/** What each programme's commands came to; the reasons among them. */
function assertRan(id: string, yaml: string, url: string, ran: readonly Ran[]): readonly string[] {
  const { loaded } = loadProgramme(`${id}.yaml`, yaml);
  assert.ok(loaded);
  const { definition } = loaded;
  const programme = compileProgramme(loaded.id, definition, url);
  const reasons: string[] = [];
  let passed = '';
  for (const { line, under, printed } of ran) {
    const what = `${id}: ${under}\n${line}\n${printed}`;
    const [, reason, wrong = ''] = /; echo {2}# (\w+): (.*)$/.exec(line) ?? [];
    if (line.endsWith('; echo  # 200 OK')) {
      const { status, headers } = readAnswer(printed);
      assert.equal(status, 200, what);
      assert.equal(headers['x-auth-programme'], id, what);
      const [, mode = ''] = /\/verify\/(\w+); echo/.exec(line) ?? [];
      assert.equal(headers['x-auth-kind'], mode, what);
      passed += `${mode} `;
    } else if (reason === undefined) {
      // The answer with the tokens is held to by the line that asks whether it may pass.
      if (line.startsWith('TOKENS=')) assert.notEqual(printed, '\n', what);
      else assert.equal(printed, '', what);
    } else if (under.startsWith('Errors of a login')) {
      const { status, headers, body } = readAnswer(printed);
      const failure =
        definition.authorize.failures[reason as keyof typeof definition.authorize.failures];
      if ('page' in failure) {
        assert.deepEqual([status, headers['location']], [failure.page.status, undefined], what);
        assert.match(body, /<h1>[^<]+<\/h1>/, what);
      } else {
        const { error, code, mode } = definition.authorize.answer;
        const posted = [...body.matchAll(/ name="([^"]*)" value="([^"]*)"/g)];
        const back =
          mode === 'form_post'
            ? new Map(posted.map(([, name, value]) => [name, value]))
            : new URL(headers['location'] ?? 'about:blank').searchParams;
        assert.deepEqual(
          [status, back.get(error), back.get(code) ?? null],
          [mode === 'form_post' ? 200 : 302, failure.redirect, null],
          what,
        );
      }
    } else {
      const { status, headers, body } = readAnswer(printed);
      const known = reason as FailureReason;
      assert.ok(failureReasons.includes(known), what);
      const replies = [undefined, ...wrong.split(' ')].map((parameter) =>
        programme.renderFailure(known, {
          ...(parameter === undefined ? {} : { parameter }),
          at: instant(Date.now()),
          ...(known === 'invalid_scope' ? { scope: 'unheard_of' } : {}),
        }),
      );
      const [usual] = replies;
      assert.ok(usual);
      const isRaised = under.startsWith('Errors that a gateway') && usual.status < 400;
      assert.equal(status, isRaised ? (plain[reason] ?? 401) : usual.status, what);
      assert.equal(headers['content-type'], usual.headers['Content-Type'], what);
      assert.ok(
        replies.some((reply) => masked(reply.body) === masked(body)),
        `${what}\n${replies.map((r) => r.body).join('\n')}`,
      );
      reasons.push(reason);
    }
  }
  // No command signs an assertion, nor has a token of the client's own for the code of a login.
  const isOwnToken = endpointsFor(programme, 'authorization_code').some((one) =>
    isByOwnToken(one.authentication),
  );
  const asked = [...programme.grants].filter(
    (grant) =>
      grant !== 'jwt_bearer' &&
      !isSigning(programme.clients.authentication) &&
      (!isOwnToken || grant === 'client_credentials'),
  );
  const isMembers = asked.some((grant) => grant === 'authorization_code' || grant === 'password');
  const kinds = asked.flatMap((grant) => {
    const places =
      grant === 'authorization_code' ? [''] : (definition.grants[grant]?.endpoint ?? []);
    const isOwn = grant === 'client_credentials' || !isMembers;
    return places.map(() => (isOwn ? 'client' : 'member'));
  });
  assert.deepEqual(passed.trim().split(' ').toSorted(), ['none', ...kinds].toSorted(), id);
  return reasons;
}

/** What no request by itself can bring about. */
const beyond = new Set<string>([
  'body_too_large',
  'grant_not_allowed',
  'throttled',
  'server_error',
  'temporarily_unavailable',
]);

test('Use 6: every command does in bash what it says, in every dialect', async (t) => {
  const files = [...dialects].map(([id, yaml]) => [`programmes/${id}.yaml`, yaml]);
  const folder = workFolder(t, {
    'config.yaml': configText,
    ...(Object.fromEntries(files) as Record<string, string>),
    ...shippedLogos(),
  });
  const { url } = await startDev(t, folder, '--config', 'config.yaml');
  const provoked = new Set<string>();
  for (const [id, yaml] of dialects) {
    const commands = await (await fetch(`${url}/demo/${id}/commands`)).text();
    const reasons = assertRan(id, yaml, url, await paste(t, commands));
    for (const reason of reasons) provoked.add(reason);
  }
  const expected = failureReasons.filter((reason) => !beyond.has(reason));
  assert.deepEqual(provoked, new Set(expected));
});
