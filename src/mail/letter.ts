// The kinds of letters: what each one states, and who gets it. A letter never contains a secret, a full account number, or a
// link that acts without another step of its reader. The only tokens in letters are those of invitations and new passwords,
// which open a page with a form.

import type { Environment } from '#platform/context.ts'
import { dayMs } from '#platform/durations.ts'
import { firstUuid, type Uuid } from '#platform/ids.ts'

/** The business that a letter is about, with its name and its time zone. */
export type LetterBusiness = { id: Uuid; name: string; timeZone: string }

/** Times are in milliseconds, amounts are ready to be read. */
export type LetterFacts = {
  invitation: { business: string; role: string; inviter: string | null; expiresAtMs: number; timeZone: string }
  /** `requestedBy`: the colleague who sends it; undefined if the user requested it, or an earlier version wrote the letter. */
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
  'webhook-failing': { business: LetterBusiness; host: string; state: 'failing' | 'disabled'; sinceMs: number }
  /** Letters that the version before wrote have no currency: they are about naira. */
  'low-balance': { business: LetterBusiness; currency?: string; available: string; threshold: string }
  mismatches: { count: number; sinceMs: number }
}

/** Payments of one currency: how many, and how much together. */
export type PaymentSum = { count: number; amount: string }

export type LetterKind = keyof LetterFacts

/** Letters that people can switch off. The others are about the security of their account or were asked for. */
export type ChosenKind = 'approval-waiting' | 'payouts-failed' | 'webhook-failing' | 'low-balance' | 'mismatches'

type ChoiceRule = {
  title: string
  /** Roles that may see what the letter says; `operator` is a user who operates the installation. */
  roles: readonly string[]
  /** Those of them that get it unless they switch it off. */
  usual: readonly string[]
}

export const chosen: Record<ChosenKind, ChoiceRule> = {
  'approval-waiting': {
    title: 'A payout waits for your approval',
    roles: ['owner', 'admin', 'finance'],
    usual: ['owner', 'admin', 'finance'],
  },
  'payouts-failed': {
    title: 'Payouts failed or were returned (production, at most once an hour)',
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

/** The letters that are always sent. */
export const alwaysSent = [
  'Sign-in from a new device',
  'Second factor removed',
  'New live API key (owners and admins)',
] as const

/** The place of the installation in `letter_choice`. */
export const installation = firstUuid

/** A letter is tried for a day, but no longer than its link works. */
export const triedForMs = dayMs

/**
 * How many letters of a kind one address gets within a day, so that no caller can flood a mailbox. The letters above the limit are
 * dropped.
 */
export const perDayMax: Record<LetterKind, number> = {
  invitation: 5,
  reset: 10,
  'new-device': 20,
  'factor-removed': 20,
  'live-key': 50,
  'approval-waiting': 200,
  'payouts-failed': 200,
  'webhook-failing': 50,
  'low-balance': 50,
  mismatches: 100,
}

/** How many invitations a business mails within a day. The address and the business name are what its people typed. */
export const invitationsPerDayMax = 100
