// Owns the page that tells a programme's partners how to get and use tokens, as Markdown.

import { listed } from '../../../lib/present.ts';
import { logsIn } from '../../../programme/programme.ts';
import { type Guide, isToldOf } from '../guide.ts';
import { escaped } from '../markdown.ts';
import { failureSection } from './failures.ts';
import { furtherSections, helpSection } from './further.ts';
import { givenSection, overview } from './given.ts';
import { loginSection } from './login.ts';
import { sandboxSection } from './sandbox.ts';
import { tokenSections } from './tokens.ts';
import { callSection, lifetimeSection, limitSection, retrySection } from './use.ts';

/** Which of a partner's pages this is. */
function issueText({ programme, deployed }: Guide): string {
  const version = `Version ${escaped(programme.interfaceVersion)} of the interface`;
  if (deployed === undefined) return `${version}.`;
  const { environment, at } = deployed;
  const [day] = new Date(at).toISOString().split('T');
  return `${version}, in the ${environment} environment, as of ${day}.`;
}

/** The page in the order in which a partner's developer needs it. */
export function partnerPage(guide: Guide): string {
  const { programme } = guide;
  const sections = listed<string>([
    `# ${escaped(programme.name)}: guide for partners`,
    'How your software logs members in, gets tokens and uses them. This page is made from what the server does, so it holds to the letter.',
    issueText(guide),
    overview(guide),
    givenSection(guide),
    logsIn(programme) && isToldOf(guide, 'member') && loginSection(guide),
    tokenSections(guide),
    callSection(guide),
    lifetimeSection(guide),
    retrySection(guide),
    limitSection(guide),
    failureSection(guide),
    sandboxSection(guide),
    furtherSections(guide),
    helpSection(guide),
  ]);
  return `${sections.join('\n\n')}\n`;
}
