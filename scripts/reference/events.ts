// Owns the page of the log's events, made of their list.

import { logEvents } from '../../src/engine/log_events.ts';

const head = `# Events of the log

Besides the lines of requests and logins, a running server writes these lines: as JSON, or for people (\`log.format\`). \`detail\` tells more in words, \`programme\` and \`request_id\` stand where an event is of one. A line of level \`error\` is worth a look; those of one kind that come too often are counted in \`lines_left_out\`. \`npm run reference\` writes this page.

`;

export function eventsPage(): string {
  const rows = Object.entries(logEvents)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { level, text }]) => `| \`${name}\` | ${level} | ${text} |`);
  return `${head}| event | level | tells |\n|---|---|---|\n${rows.join('\n')}\n`;
}
