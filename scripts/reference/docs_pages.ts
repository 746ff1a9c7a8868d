// Owns the texts on the keys of the login page: its words, its languages, its look.

import type { KeyDocs } from './key_doc.ts';

export const pageDocs: KeyDocs = {
  'login.lifetime': {
    text: 'How long a member may take, from the login request to a correct password. After that the login has expired and begins anew at the partner.',
    example: '10m',
  },
  'login.title': {
    text: 'Heading and title of the page. In this and every text of the page `{programme}` stands for the `name`.',
    example: 'Log in to Harbour Hotels',
  },
  'login.website': {
    text: "Address of the programme's own website. The page links to it: members may have to update their details there (P-13).",
    example: 'https://www.example.com/',
    otherwise: 'no link',
  },
  'login.help': {
    text: 'Address of a page for members who have forgotten their username or password; the login page links to it.',
    example: 'https://www.example.com/forgotten',
    otherwise: 'no link',
  },
  'login.privacy': {
    text: 'Address of the privacy notice; every page of the login links to it at its foot.',
    example: 'https://www.example.com/privacy',
    otherwise: 'no link',
  },
  'login.terms': {
    text: 'Address of the terms; as `login.privacy`.',
    example: 'https://www.example.com/terms',
    otherwise: 'no link',
  },
  'login.imprint': {
    text: 'Address of the imprint; as `login.privacy`.',
    example: 'https://www.example.com/imprint',
    otherwise: 'no link',
  },
  'login.lockout': {
    text: 'When a username is locked, known or not: after so many failures within the window every attempt is refused for a while, in the words and the time of a wrong password. Tries during the lock do not prolong it; `jetway member unlock` ends it. A browser in which the member has logged in before is counted apart, so that strangers cannot lock the member out of it. In place of a map, `off`.',
    example: '{ attempts: 10, window: 1h, lock: 30m }',
  },
  'login.lockout.attempts': { text: 'Failures that are judged in one window.', example: '10' },
  'login.lockout.window': {
    text: 'Length of the window, from the first failure. A successful login ends it.',
    example: '1h',
  },
  'login.lockout.lock': {
    text: 'How long the lock lasts, from the attempt that was one too many.',
    example: '30m',
  },
  'login.address_limit': {
    text: "How many failed logins may come from one address (of IPv6, one /64) in a window of time; then every attempt from there gets a page with status 429 and `Retry-After` until the window ends. A browser that hangs up while its login waits for its turn counts as a failure; the browsers at which a member has logged in before are not held to it, but have as many failures together, and are like any other browser after that. Successful logins count nothing and clear nothing, and neither does the password grant, whose customers have their partner's address in common: `login.lockout` holds there, and `throttle`. In place of a map, `off`.",
    example: '{ limit: 100, window: 5m }',
  },
  'login.address_limit.limit': { text: 'Failures in one window.', example: '100' },
  'login.address_limit.window': {
    text: 'Length of the window, from the first failure.',
    example: '5m',
  },
  'login.messages': {
    text: 'What the page says when a login does not succeed; it is then shown again (G-8, P-13).',
    example: '{ username_blank: Please enter your membership number. }',
  },
  'login.labels': {
    text: 'The words of the form, its button and its links.',
    example: '{ username: Membership number, password: PIN }',
  },
  'login.pages': {
    text: 'Pages of the login itself, in place of the form. The pages of failed login requests stand in `authorize.failures`.',
    example: '{ expired: { title: Too late, text: Please start again. } }',
  },
  'login.pages.expired': {
    text: 'The login took longer than `lifetime`, is over, or never was.',
    example: '{ title: Too late }',
  },
  'login.pages.damaged': {
    text: "The page's address or its form holds no login of this programme.",
    example: '{ title: Something is missing }',
  },
  'login.pages.other_browser': {
    text: 'The cookie of the login did not come: it began in another browser, or this one takes no cookies.',
    example: '{ title: Cookies are needed }',
  },
  'login.pages.forged': {
    text: 'The form did not come from the page.',
    example: '{ title: This form is not ours }',
  },
  'login.pages.not_found': {
    text: "What a browser gets below the programme's path where nothing is (404). Who asks for no `text/html` gets JSON.",
    example: '{ title: Nothing here }',
  },
  'login.pages.wrong_method': {
    text: 'What a browser gets at a path of the login by a method that it does not have (405), as a login request that is a POST when it is typed into the address bar.',
    example: '{ title: Please start at your partner }',
  },
  'login.language': {
    text: 'The language of the texts of `login` and of the pages of `authorize.failures`. A file that says another language than its variant must bring all of them.',
    example: 'en',
  },
  'login.default_language': {
    text: 'The language for members who ask for none that is there.',
    example: 'fr',
    otherwise: 'as `language`',
  },
  'login.languages': {
    text: 'All texts in further languages, by language tag. A page is in the language that the login request asks for (`ui_locales`), or else the browser (`Accept-Language`). A text that is missing here is a fault; null removes a language that the variant has.',
    example: '{ fr: { title: "Bienvenue chez {programme}" } }',
  },
  'login.language_switch': {
    text: 'Whether the login page offers its other languages, where it has any. What a member chooses lasts to the end of the login.',
    example: 'true',
  },
  'login.logo': {
    text: "The programme's logo: an SVG or PNG file beside the programme file, of at most 10000 bytes. An SVG holds no script and loads nothing. On dark pages it stands on light paper, unless it is an SVG that changes its colours itself (`@media (prefers-color-scheme: dark)`).",
    example: 'harbour.svg',
    otherwise: 'no logo',
  },
  'login.colours': {
    text: 'Colours of the page by day and by night. Those that are hard to read do not load (WCAG 2.2 1.4.3 and 1.4.11); the fault names the nearest that would do.',
    example: '{ light: { accent: "#7a2457" }, dark: { accent: "#f0a8d0" } }',
  },
  'login.colours.light': {
    text: 'For browsers that are set to light.',
    example: '{ accent: "#7a2457" }',
    otherwise: "Jetway's own",
  },
  'login.colours.dark': {
    text: 'For browsers that are set to dark.',
    example: '{ accent: "#f0a8d0" }',
    otherwise: "Jetway's own, with the light accent made light enough",
  },
  'login.brands': {
    text: 'How partners are shown, by what the input `brand` of the login request says (P-3). A brand that is not here, or none, is shown by the name of the client.',
    example: '{ Harbour: { name: Harbour Hotels, logo: harbour.svg } }',
    on: 'partner-login',
  },

  'brand.name': {
    text: "The partner's name, as members know it.",
    example: 'Harbour Hotels',
  },
  'brand.logo': {
    text: "The partner's logo, beside the programme's; a file as `login.logo`.",
    example: 'harbour.svg',
    beside: 'login: { brands: { Harbour: { name: Harbour Hotels } } }',
    otherwise: 'no logo',
  },

  'colour_scheme.accent': {
    text: 'Buttons, links, and the ring around what has focus. Must have a contrast of 4.5:1 to the background.',
    example: '"#7a2457"',
    otherwise: "Jetway's own blue",
  },
  'colour_scheme.accent_text': {
    text: 'Text on buttons; 4.5:1 to the accent.',
    example: '"#ffffff"',
    otherwise: 'white where that can be read on the accent, else black',
  },
  'colour_scheme.text': {
    text: 'All other text; 4.5:1 to the background.',
    example: '"#101010"',
    otherwise: "Jetway's own",
  },
  'colour_scheme.background': {
    text: 'What text stands on. The surroundings of the card, muted text and the colours of messages follow from it.',
    example: '"#fdfbf7"',
    otherwise: "Jetway's own",
  },
  'colour_scheme.border': {
    text: 'Around fields; 3:1 to the background.',
    example: '"#6b6b6b"',
    otherwise: 'halfway from text to background, as far as 3:1 allows',
  },

  'language.title': {
    text: 'As `login.title`.',
    example: 'Bienvenue',
  },
  'language.website': {
    text: 'Where members go who read this language.',
    example: 'https://www.example.com/fr/',
    otherwise: '`login.website`',
  },
  'language.help': {
    text: 'Where members go who read this language.',
    example: 'https://www.example.com/fr/oubli',
    otherwise: '`login.help`',
  },
  'language.privacy': {
    text: 'The notice for members who read this language.',
    example: 'https://www.example.com/fr/confidentialite',
    otherwise: '`login.privacy`',
  },
  'language.terms': {
    text: 'The terms for members who read this language.',
    example: 'https://www.example.com/fr/conditions',
    otherwise: '`login.terms`',
  },
  'language.imprint': {
    text: 'The imprint for members who read this language.',
    example: 'https://www.example.com/fr/mentions-legales',
    otherwise: '`login.imprint`',
  },
  'language.messages': {
    text: 'As `login.messages`.',
    example: '{ difficulties: Veuillez patienter. }',
  },
  'language.labels': {
    text: 'As `login.labels`.',
    example: '{ log_in: Entrer }',
  },
  'language.pages': {
    text: 'As `login.pages`, and one page more.',
    example: '{ expired: { title: Trop tard } }',
  },
  'language.pages.expired': { text: 'As `login.pages.expired`.', example: '{ title: Trop tard }' },
  'language.pages.damaged': { text: 'As `login.pages.damaged`.', example: '{ title: Abîmé }' },
  'language.pages.other_browser': {
    text: 'As `login.pages.other_browser`.',
    example: '{ title: Cookies requis }',
  },
  'language.pages.forged': { text: 'As `login.pages.forged`.', example: '{ title: Refusé }' },
  'language.pages.not_found': {
    text: 'As `login.pages.not_found`.',
    example: '{ title: Introuvable }',
  },
  'language.pages.wrong_method': {
    text: 'As `login.pages.wrong_method`.',
    example: '{ title: Impossible ainsi }',
  },
  'language.pages.failed': {
    text: 'For each failure of a login request that is a page in `authorize.failures` and has no text under `failures`.',
    example: '{ title: Impossible }',
  },
  'language.failures': {
    text: 'What the pages of `authorize.failures` say in this language, by failure.',
    example: '{ unknown_client: { title: Inconnu } }',
  },

  'login_messages.not_recognised': {
    text: 'For an unknown username, a wrong password, a disabled or locked account: one text for all, so that nobody learns which it was.',
    example: 'These details are not right. Please try again.',
  },
  'login_messages.difficulties': {
    text: 'When the service or its directory cannot answer at the moment.',
    example: 'Please try again in a few minutes.',
  },
  'login_messages.username_blank': {
    text: 'When no username was typed. Both blank shows both messages.',
    example: 'Please enter your membership number.',
  },
  'login_messages.password_blank': {
    text: 'When no password was typed.',
    example: 'Please enter your PIN.',
  },
  'login_messages.too_many_attempts': {
    text: 'The page of an address with too many failed logins (`login.address_limit`).',
    example: 'Too many attempts. Please try again in a quarter of an hour.',
  },

  'login_labels.username': { text: 'Above the field for it.', example: 'Membership number' },
  'login_labels.password': { text: 'Above the field for it.', example: 'PIN' },
  'login_labels.log_in': { text: 'On the button.', example: 'Sign in' },
  'login_labels.show_password': {
    text: 'Name of the button that shows what was typed; there where scripts run.',
    example: 'Show PIN',
  },
  'login_labels.error': {
    text: "What the title of the browser's tab begins with when the form is shown again with a message.",
    example: '"Problem:"',
  },
  'login_labels.help': { text: 'The link to `login.help`.', example: 'Lost your PIN?' },
  'login_labels.website': {
    text: 'The link to `login.website`.',
    example: '"{programme} on the web"',
  },
  'login_labels.privacy': { text: 'The link to `login.privacy`.', example: 'Your data' },
  'login_labels.terms': { text: 'The link to `login.terms`.', example: 'Conditions' },
  'login_labels.imprint': { text: 'The link to `login.imprint`.', example: 'Legal notice' },
  'login_labels.unavailable': {
    text: 'Heading of the pages that say `difficulties` or `too_many_attempts` in place of the form.',
    example: 'Please come back later',
  },
  'login_labels.reference': {
    text: 'Stands in front of the reference on a page that ends a login; the same reference stands in the log, in the line `login_stopped`.',
    example: '"Reference:"',
  },
  'login_labels.continue_to': {
    text: "Below the heading; `{partner}` stands for the partner's name.",
    example: '"and go on to {partner}"',
  },

  'page_text.title': { text: 'Heading and title of the page.', example: 'Too late' },
  'page_text.text': {
    text: 'The sentence below the heading. It is shown as text: markup has no meaning in it.',
    example: 'Please start again.',
  },
};
