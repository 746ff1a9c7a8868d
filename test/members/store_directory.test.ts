// Tests of the embedded directory: who matches, who does not, and that both cost the same work.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';

import type { HashingTask } from '../../src/members/hashing_worker.ts';
import { hashPassword, longestPassword } from '../../src/members/password.ts';
import { createStoreDirectory, type MemberRecords } from '../../src/members/store_directory.ts';
import { Unavailable } from '../../src/oauth/failure.ts';
import type { MemberRecord, Subject } from '../../src/oauth/member.ts';
import { aMember, club } from '../store/fixtures.ts';
import { attempt } from './directory_fixture.ts';

const password = 'correct horse';

describe('store directory', () => {
  const members: MemberRecord[] = [];
  const asked: string[] = [];
  const records: MemberRecords = {
    findBy: async (_kind, _lookUp, programme, username) => {
      asked.push(`${programme} ${username}`);
      return members.filter((member) => member.username === username);
    },
    find: async (_kind, programme, subject) => {
      asked.push(`${programme} ${subject}`);
      return members.find((member) => member.subject === subject);
    },
    change: async (_kind, _programme, subject, change) => {
      const index = members.findIndex((member) => member.subject === subject);
      const found = members[index];
      if (found === undefined) return undefined;
      return (members[index] = change(found));
    },
  };
  const directory = createStoreDirectory(club, records);
  const verify = (username: string, typed = password) =>
    directory.verify(attempt(username, { username, password: typed }));

  before(async () => {
    const passwordHash = await hashPassword(password);
    const off = 'off' as Subject;
    members.push(
      aMember({ username: 'ann', passwordHash }),
      aMember({ username: 'dora', subject: off, status: 'disabled', passwordHash }),
    );
  });

  test('a match tells the member and nothing of the record besides', async () => {
    assert.deepEqual(await verify('ann'), {
      outcome: 'match',
      member: {
        subject: 'subject-1',
        level: 'AUTHN-LEVEL-12',
        membershipNumber: '1234567890123456',
        properties: { tier: 'gold', ['__proto__']: 'a name like any other' },
      },
    });
  });

  test('the name is looked for as it is normalised, in the directory’s programme', async () => {
    asked.length = 0;
    assert.equal((await verify(' ANN\u200b ')).outcome, 'match');
    assert.deepEqual(asked, [`${club} ann`]);
  });

  test('unknown, wrong, disabled and over-long are all no match', async () => {
    const attempts = await Promise.all([
      verify('nobody'),
      verify('ann', 'wrong'),
      verify('ann', ''),
      verify('dora'),
      verify('ann', 'x'.repeat(longestPassword + 1)),
      verify('', ''),
    ]);
    for (const answer of attempts) assert.deepEqual(answer, { outcome: 'no_match' });
  });

  test('HOSTILE 17: a name that is unknown costs the hash that a wrong password costs', async (t) => {
    // The first miss makes the hash that all misses are held against.
    await verify('nobody');
    const { mock } = t.mock.method(Worker.prototype, 'postMessage');
    const workFor = async (username: string, typed: string): Promise<readonly string[]> => {
      mock.resetCalls();
      await verify(username, typed);
      return mock.calls.map(({ arguments: [task] }) => {
        const { verb, hash } = task as HashingTask & { readonly hash: string };
        return `${verb} ${hash.slice(0, hash.indexOf('p=1$'))}`;
      });
    };
    const one = ['check $argon2id$v=19$m=19456,t=2,'];
    assert.deepEqual(await workFor('ann', password), one);
    assert.deepEqual(await workFor('ann', 'wrong'), one);
    assert.deepEqual(await workFor('nobody', 'wrong'), one);
    assert.deepEqual(await workFor('dora', password), one);
    assert.deepEqual(await workFor('', ''), one);
  });

  test('a hash from elsewhere is made anew at the first login that succeeds, and only then', async () => {
    const brought = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
    members.push(
      aMember({ username: 'bob', subject: 'bob' as Subject, passwordHash: brought }),
      aMember({
        username: 'dan',
        subject: 'dan' as Subject,
        status: 'disabled',
        passwordHash: brought,
      }),
    );
    const hashOf = (username: string): string =>
      members.find((member) => member.username === username)?.passwordHash ?? '';
    assert.deepEqual(await verify('bob', 'U*V'), { outcome: 'no_match' });
    assert.deepEqual(await verify('dan', 'U*U'), { outcome: 'no_match' });
    assert.deepEqual([hashOf('bob'), hashOf('dan')], [brought, brought]);
    assert.equal((await verify('bob', 'U*U')).outcome, 'match');
    const renewed = hashOf('bob');
    assert.match(renewed, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.equal((await verify('bob', 'U*U')).outcome, 'match');
    assert.deepEqual(await verify('bob', 'U*V'), { outcome: 'no_match' });
    assert.equal(hashOf('bob'), renewed);
  });

  test('HOSTILE 71: a password that bcrypt would cut off is no match, and never kept in its place', async () => {
    // crypt_blowfish 1.3, wrapper.c: the vector whose "chars after 72 are ignored".
    const brought = '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui';
    const whole = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
    const short = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
    // 72 bytes, in half as many characters.
    const accents = 'é'.repeat(36);
    const accented = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.Msh9GTqEdRbfZzYwvijW0diUTS7ZS6e';
    members.push(
      aMember({ username: 'eve', subject: 'eve' as Subject, passwordHash: brought }),
      aMember({ username: 'fay', subject: 'fay' as Subject, passwordHash: short }),
      aMember({ username: 'guy', subject: 'guy' as Subject, passwordHash: accented }),
    );
    const hashOf = (username: string): string =>
      members.find((member) => member.username === username)?.passwordHash ?? '';
    const cutOff = [
      ['eve', `${whole}chars after 72 are ignored`],
      ['eve', `${whole}x`],
      ['fay', 'U*U\0U*U'],
      ['guy', `${accents}x`],
    ] as const;
    for (const [username, typed] of cutOff) {
      assert.deepEqual(await verify(username, typed), { outcome: 'no_match' }, typed);
    }
    assert.deepEqual(['eve', 'fay', 'guy'].map(hashOf), [brought, short, accented]);
    assert.equal((await verify('guy', accents)).outcome, 'match');
    assert.equal((await verify('eve', whole)).outcome, 'match');
    assert.match(hashOf('eve'), /^\$argon2id/);
    assert.deepEqual(await verify('eve', `${whole}x`), { outcome: 'no_match' });
  });

  test('a password that was changed during its login stays changed', async () => {
    const brought = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
    const record = aMember({ passwordHash: brought });
    let stored: MemberRecord = { ...record, passwordHash: 'changed meanwhile' };
    const racing = createStoreDirectory(club, {
      findBy: async () => [record],
      find: async () => record,
      change: async (_kind, _programme, _subject, change) => (stored = change(stored)),
    });
    assert.equal((await racing.verify(attempt('ann', { password: 'U*U' }))).outcome, 'match');
    assert.equal(stored.passwordHash, 'changed meanwhile');
  });

  test('a member is active until it is disabled, or gone', async () => {
    assert.equal(await directory.isActive('subject-1' as Subject), true);
    assert.equal(await directory.isActive('off' as Subject), false);
    assert.equal(await directory.isActive('gone' as Subject), false);
  });

  test('an outage of the records is no answer of the directory’s', async () => {
    const outage = new Unavailable('store');
    const broken = createStoreDirectory(club, {
      findBy: () => Promise.reject(outage),
      find: () => Promise.reject(outage),
      change: () => Promise.reject(outage),
    });
    await assert.rejects(broken.verify(attempt('ann')), outage);
    await assert.rejects(async () => broken.isActive('subject-1' as Subject), outage);
  });
});
