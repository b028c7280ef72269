// The kinds of letters: who gets each one, what it states, and its text. A letter never contains a secret, a full
// account number, or a link that acts without another step of its reader. The only tokens in letters are those of
// invitations and new passwords, which open a page with a form.

import type { Environment } from '#platform/context.ts'
import { hourMs } from '#platform/durations.ts'
import { firstUuid, type Uuid, formatId } from '#platform/ids.ts'

export type LetterBusiness = { id: Uuid; name: string; timeZone: string }

/** Times are in milliseconds since 1970, amounts are texts with their currency. */
export type LetterFacts = {
  invitation: { business: string; role: string; inviter: string | null; expiresAtMs: number; timeZone: string }
  /**
   * `requestedBy`: the colleague who sends it; undefined if the user requested it, or an earlier version wrote the
   * letter.
   */
  reset: { businesses: string[]; requestedBy?: string | undefined; expiresAtMs: number; timeZone: string }
  'new-device': { device: string; address: string; atMs: number; timeZone: string }
  'factor-removed': { isByOperator: boolean; isLast: boolean; atMs: number; timeZone: string }
  'live-key': { business: LetterBusiness; keyName: string; lastFour: string; by: string; atMs: number }
  'approval-waiting': {
    business: LetterBusiness
    environment: Environment
    draft: string
    maker: string
    rows: number
    total: string
  }
  'payouts-failed': { business: LetterBusiness; fromMs: number; failed: PaymentSum[]; returned: PaymentSum[] }
  'payout-stopped': { business: LetterBusiness; draft: string; title: string; total: string; reason: string }
  'webhook-failing': { business: LetterBusiness; host: string; state: 'failing' | 'disabled'; sinceMs: number }
  /** Letters that the previous version wrote have no currency: their amounts are in naira. */
  'low-balance': { business: LetterBusiness; currency?: string; available: string; threshold: string }
  mismatches: { count: number; sinceMs: number }
}

export type PaymentSum = { count: number; amount: string }

export type LetterKind = keyof LetterFacts

/** Letters that people can switch off. The others are about security or were requested. */
export type ChosenKind = 'approval-waiting' | 'payouts-failed' | 'webhook-failing' | 'low-balance' | 'mismatches'

type ChoiceRule = {
  title: string
  /** Roles that may see the contents of the letter; `operator` is a user who operates the installation. */
  roles: readonly string[]
  /** The roles, among those in `roles`, that get the letter by default. */
  usual: readonly string[]
}

export const chosen: Record<ChosenKind, ChoiceRule> = {
  'approval-waiting': {
    title: 'A payout waits for your approval',
    roles: ['owner', 'admin', 'finance'],
    usual: ['owner', 'admin', 'finance'],
  },
  'payouts-failed': {
    title: 'Payouts failed, were returned (at most once an hour) or were stopped (production)',
    roles: ['owner', 'admin', 'developer', 'finance', 'support', 'viewer'],
    usual: ['owner', 'admin', 'finance'],
  },
  'webhook-failing': {
    title: 'A webhook is failing or was disabled (production)',
    roles: ['owner', 'admin', 'developer', 'support'],
    usual: ['owner', 'admin', 'developer'],
  },
  'low-balance': {
    title: 'The balance is low (production, at most once a day)',
    roles: ['owner', 'admin', 'finance', 'viewer'],
    usual: ['owner', 'admin', 'finance'],
  },
  mismatches: {
    title: 'Reconciliation mismatches of this installation (at most every 15 minutes)',
    roles: ['operator'],
    usual: ['operator'],
  },
}

export const chosenKinds = Object.keys(chosen) as ChosenKind[]

/** Letters that a person cannot switch off, in the words of the dashboard. Requested ones, such as invitations, are left out. */
export const alwaysSent = [
  'Sign-in from a new device',
  'Second factor removed',
  'New live API key (owners and admins)',
] as const

/** The value of `letter_choice.business_id` for letters about the whole installation. */
export const installation = firstUuid

// The texts of letters: a subject, paragraphs, and one link, and the e-mail that is made of them.

type LetterText = {
  subject: string
  paragraphs: string[]
  /** `path` is relative to the address of the dashboard. */
  link: { label: string; path: string }
  /** Tells the recipient why they get the letter. */
  reason: string
}

/** `token`: the token of an invitation or of a new password; empty in other letters. */
export function textOf<Kind extends LetterKind>(kind: Kind, facts: LetterFacts[Kind], token: string): LetterText {
  return texts[kind](facts, token)
}

const openDashboard = { label: 'Open Manilla', path: '' }
const accountReason = 'It is about the security of your account, so it cannot be switched off.'
const memberReason = 'You can choose your e-mails under “My profile”.'

const texts: { [Kind in LetterKind]: (facts: LetterFacts[Kind], token: string) => LetterText } = {
  invitation: ({ business, role, inviter, expiresAtMs, timeZone }, token) => ({
    subject: `Invitation to ${plainName(business)} on Manilla`,
    paragraphs: [
      `${inviter === null ? 'An operator' : plainName(inviter)} invited you to join ${plainName(business)} on Manilla as ${role}.`,
      `The link works once, until ${timeIn(expiresAtMs, timeZone)}. If you did not expect this invitation, ignore this e-mail.`,
    ],
    link: { label: 'View the invitation', path: `/invitation#${token}` },
    reason: 'This address was invited.',
  }),
  reset: ({ businesses, requestedBy, expiresAtMs, timeZone }, token) => ({
    subject: 'Choose a new password for Manilla',
    paragraphs: [
      `${requestedBy === undefined ? 'A new password was requested' : `${plainName(requestedBy)} requested a new password`} for your account${businesses.length === 0 ? '' : ` at ${businesses.map(plainName).join(', ')}`}.`,
      `The link works once, until ${timeIn(expiresAtMs, timeZone)}. Your second factor stays as it is.`,
      `If you ${requestedBy === undefined ? 'did not request' : 'do not need'} it, ignore this e-mail. Your password has not changed.`,
    ],
    link: { label: 'Choose a new password', path: `/reset#${token}` },
    reason: 'A new password was requested for this address.',
  }),
  'new-device': ({ device, address, atMs, timeZone }) => ({
    subject: 'New device signed in to Manilla',
    paragraphs: [
      `Your account was used on a new device: ${deviceName(device)}, from the network address ${address}, at ${timeIn(atMs, timeZone)}.`,
      'If this was you, there is nothing to do. If not, change your password and sign out everywhere under “My profile”.',
    ],
    link: openDashboard,
    reason: accountReason,
  }),
  'factor-removed': ({ isByOperator, isLast, atMs, timeZone }) => ({
    subject: 'Second factor removed from your Manilla account',
    paragraphs: [
      `${isByOperator ? 'An operator removed a second factor of your account' : 'A second factor of your account was removed'} at ${timeIn(atMs, timeZone)}.${isLast ? ' It was the only one. Until you set up another one, you cannot change anything in production.' : ''}`,
      'If you did not expect this, change your password under “My profile” and tell an owner of your business.',
    ],
    link: openDashboard,
    reason: accountReason,
  }),
  'live-key': ({ business, keyName, lastFour, by, atMs }) => ({
    subject: `New live API key for ${plainName(business.name)}`,
    paragraphs: [
      `${plainName(by)} created a live API key for ${plainName(business.name)} at ${timeIn(atMs, business.timeZone)}: “${plainName(keyName)}”, ending in ${lastFour}. Live keys move real money.`,
      'If you did not expect this, revoke the key.',
    ],
    link: { label: 'View API keys', path: pathIn(business, 'production', 'keys') },
    reason: 'Owners and admins always get this e-mail.',
  }),
  'approval-waiting': ({ business, environment, draft, maker, rows, total }) => ({
    subject: `${environment === 'staging' ? '[Staging] ' : ''}Payout of ${total} waits for your approval`,
    paragraphs: [
      `${plainName(maker)} asks for approval of ${rows === 1 ? 'a payout' : `${rows} payouts`} of ${plainName(business.name)}${environment === 'staging' ? ' on staging' : ''}: ${total}${rows === 1 ? '' : ' in total'}.`,
      'Check the recipients before you approve. Nothing is paid until you approve it in the dashboard.',
    ],
    link: { label: 'View the payout', path: pathIn(business, environment, `approvals/${draft}`) },
    reason: memberReason,
  }),
  'payouts-failed': ({ business, fromMs, failed, returned }) => ({
    subject: `${sentenceCase(outcomesOf(failed, returned))} at ${plainName(business.name)}`,
    paragraphs: [
      `Between ${timeIn(fromMs, business.timeZone)} and ${timeIn(fromMs + hourMs, business.timeZone)}:`,
      ...failed.map((sum) => `${countOf(sum)} failed, ${sum.amount} in total. The money is available again.`),
      ...returned.map(
        (sum) =>
          `${countOf(sum)} ${sum.count === 1 ? 'was' : 'were'} returned after success, ${sum.amount} in total. The money is available again.`,
      ),
    ],
    link: { label: 'View payouts', path: pathIn(business, 'production', 'payments') },
    reason: memberReason,
  }),
  'payout-stopped': ({ business, draft, title, total, reason }) => ({
    subject: `Payout of ${total} was stopped at ${plainName(business.name)}`,
    paragraphs: [
      `The service stopped “${plainName(title)}” of ${plainName(business.name)}. ${reason}`,
      'The person who made it can edit it and submit it again, or discard it.',
    ],
    link: { label: 'View the payout', path: pathIn(business, 'production', `approvals/${draft}`) },
    reason: memberReason,
  }),
  'webhook-failing': ({ business, host, state, sinceMs }) => ({
    subject: `Webhook ${state === 'failing' ? 'is failing' : 'was disabled'} at ${plainName(business.name)}`,
    paragraphs:
      state === 'failing'
        ? [
            `All deliveries to your webhook at ${host} have failed since ${timeIn(sinceMs, business.timeZone)}. Your system does not receive events.`,
            'Manilla keeps retrying. A webhook that fails for five days is disabled.',
          ]
        : [
            `Your webhook at ${host} was disabled at ${timeIn(sinceMs, business.timeZone)}, because it no longer accepts deliveries. Your system does not receive events.`,
            'Fix the endpoint, enable the webhook, and retry the failed deliveries.',
          ],
    link: { label: 'View webhooks', path: pathIn(business, 'production', 'webhooks') },
    reason: memberReason,
  }),
  'low-balance': ({ business, currency = 'NGN', available, threshold }) => ({
    subject: `Low balance at ${plainName(business.name)}: ${available}`,
    paragraphs: [
      `The available balance of ${plainName(business.name)} is ${available}, below your limit of ${threshold}.`,
      'Payouts above the available balance are refused. Add money to your balance.',
    ],
    link: { label: 'View the balance', path: pathIn(business, 'production', balancePageOf(currency)) },
    reason: memberReason,
  }),
  mismatches: ({ count, sinceMs }) => ({
    subject: `${count} reconciliation ${count === 1 ? 'mismatch' : 'mismatches'} to review`,
    paragraphs: [
      `${count === 1 ? 'A mismatch between a provider and the books is' : `${count} mismatches between providers and the books are`} open, the oldest since ${timeIn(sinceMs, 'UTC')}.`,
      'Review each one on the page “Operations”. A mismatch can mean that money is missing.',
    ],
    link: openDashboard,
    reason: memberReason,
  }),
}

function pathIn({ id }: LetterBusiness, environment: string, page: string): string {
  return `/b/${formatId('business', id)}/${environment}/${page}`
}

function balancePageOf(currency: string): string {
  return currency === 'NGN' ? 'balance' : `balance?currency=${currency}`
}

function outcomesOf(failed: PaymentSum[], returned: PaymentSum[]): string {
  const [countFailed, countReturned] = [failed, returned].map((sums) => sums.reduce((sum, { count }) => sum + count, 0))
  const parts = [
    ...(countFailed === 0 ? [] : [`${payouts(countFailed ?? 0)} failed`]),
    ...(countReturned === 0 ? [] : [`${countFailed === 0 ? payouts(countReturned ?? 0) : countReturned} returned`]),
  ]
  return parts.join(', ')
}

function countOf({ count }: PaymentSum): string {
  return payouts(count)
}

function payouts(count: number): string {
  return `${count} ${count === 1 ? 'payout' : 'payouts'}`
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** `26 Nov 2026, 22:15 (Africa/Lagos)`. */
function timeIn(ms: number, timeZone: string): string {
  const form = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'short' })
  return `${form.format(ms)} (${timeZone})`
}

const nameLengthMax = 100

/**
 * A name that a user typed, as part of a sentence. Line breaks are removed, and text that looks like an address is
 * broken up, so that a mail program does not turn a name into a link to another site.
 */
function plainName(name: string): string {
  const flat = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  const unlinked = flat
    .replaceAll(/:\/+/g, ': ')
    .replaceAll(/[@<>]/g, ' ')
    .replaceAll(/\.(?=[\p{L}\p{N}])/gu, '. ')
  return Array.from(unlinked).slice(0, nameLengthMax).join('')
}

const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

/** `Chrome on Windows`. The text of an unknown browser is not repeated, because an attacker could choose it. */
function deviceName(userAgent: string): string {
  const find = (names: readonly (readonly [string, string])[]) => names.find(([part]) => userAgent.includes(part))?.[1]
  const [browser, system] = [find(browsers), find(systems)]
  if (browser === undefined) return 'an unknown browser'
  return system === undefined ? browser : `${browser} on ${system}`
}

// An e-mail has plain text, and a small HTML part without images or styles from elsewhere.

export type RenderedLetter = { subject: string; text: string; html: string }

export function renderLetter({ subject, paragraphs, link, reason }: LetterText, dashboardUrl: string): RenderedLetter {
  const url = `${dashboardUrl}${link.path}`
  const footer = `Manilla sent this e-mail. ${reason}`
  return {
    subject,
    text: [...paragraphs, `${link.label}:\n${url}`, `-- \n${footer}`, ''].join('\n\n').trimEnd() + '\n',
    html: [
      '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>',
      escapeHtml(subject),
      '</title></head><body style="font-family:sans-serif;line-height:1.5;max-width:36em">',
      ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
      `<p><a href="${escapeHtml(url)}">${escapeHtml(link.label)}</a></p>`,
      `<p style="font-size:.85em;color:#555">${escapeHtml(footer)}</p></body></html>\n`,
    ].join(''),
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}
