// Writes an entry of the audit log in words: the action, and the record that it was about.

import type { AuditEntry } from '#api/audit.ts'
import type { Place } from '#api/client.ts'
import type { Currency } from '#api/schema.ts'
import { shortenId } from '#format/ids.ts'
import { formatMoney } from '#format/money.ts'
import { paths } from '#shell/paths.ts'

/** Operations of the API that a person asked for in the dashboard. */
const operations = new Map([
  ['initiateTransfer', 'Send payout'],
  ['initiateTransfers', 'Send payouts in bulk'],
  ['initiateMomoTransfer', 'Send payout to a wallet'],
  ['initiateMomoCollection', 'Request payment from a wallet'],
  ['verifyCollectionOtp', 'Enter the code of a payer'],
  ['createCustomer', 'Create customer'],
  ['updateCustomer', 'Change customer'],
  ['openStaticAccount', 'Open static account'],
  ['openDynamicAccount', 'Open dynamic account'],
  ['closeVirtualAccount', 'Close account'],
  ['retryWebhookDelivery', 'Retry webhook delivery'],
  ['retryWebhookDeliveries', 'Retry webhook deliveries'],
  ['testWebhook', 'Send test webhook'],
  ['fundBalance', 'Fund the balance (simulator)'],
  ['simulateDeposit', 'Pay into an account (simulator)'],
  ['settleDeposit', 'Settle deposit (simulator)'],
  ['triggerWebhookEvent', 'Trigger event (simulator)'],
  ['completeTransfer', 'Complete payout (simulator)'],
  ['completeMomoTransfer', 'Complete wallet payout (simulator)'],
  ['completeMomoCollection', 'Complete collection (simulator)'],
])

/**
 * Actions with names of their own. The name of any other action is its code, with spaces instead of points and hyphens.
 */
const acts = new Map([
  ['audit.exported', 'Audit log exported'],
  ['data.exported', 'List exported'],
  ['exception.closed', 'Review item closed'],
  ['go-live.waived', 'Go-live step waived'],
  ['key.created', 'API key created'],
  ['key.revoked', 'API key revoked'],
  ['key.rolled', 'API key rolled'],
  ['low-balance.set', 'Low-balance alert set'],
  ['notice.retried', 'Provider notice retried'],
  ['payout.proposed', 'Payout submitted for approval'],
  ['payout-policy.set', 'Approval policy set'],
  ['payout-policy.proposed', 'Approval policy proposed'],
  ['person.created', 'Account created'],
  ['person.factor-added', 'Second factor added'],
  ['person.factor-removed', 'Second factor removed'],
  ['person.recovery-codes-made', 'Recovery codes created'],
  ['rail.break-closed', 'Reconciliation mismatch closed'],
  ['sign-in.ended', 'Signed out'],
  ['sign-in.made', 'Signed in'],
  ['sign-in.stepped-up', 'Second factor confirmed'],
  ['webhook.forgery-sent', 'Wrong signature sent to webhook'],
])

export function sayAct({ act, details }: Pick<AuditEntry, 'act' | 'details'>): string {
  if (act !== 'dashboard.asked') return acts.get(act) ?? sayWords(act)
  const operation = details?.['operation']
  if (typeof operation !== 'string') return 'Action in the dashboard'
  return operations.get(operation) ?? operation
}

/** `payout.approved` and `accountName` → `Payout approved`, `Account name`. */
export function sayWords(code: string): string {
  const words = code.replaceAll(/[.-]/g, ' ').replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Entries state amounts in the minor unit. An amount without a currency is in naira. */
const amounts = new Set(['total', 'amount', 'amountBefore'])

export function sayDetail(name: string, details: NonNullable<AuditEntry['details']>): string {
  const { [name]: value = null, currency = 'NGN' } = details
  if (value === null) return '–'
  if (!amounts.has(name) || !/^-?\d+$/.test(String(value))) return String(value)
  return formatMoney(Number(value), currency as Currency)
}

/** Leaves out the first entry of an action that has ended, because its second entry has everything. */
export function withoutEndedStarts(entries: readonly AuditEntry[]): AuditEntry[] {
  const ended = new Set(entries.flatMap(({ outcome, requestId }) => (outcome === 'asked' ? [] : [requestId])))
  return entries.filter(({ outcome, requestId }) => outcome !== 'asked' || !ended.has(requestId))
}

const ofPayments = new Set(
  [...operations.keys()].filter((operation) => /^(initiate\w+[a-z]|complete\w+|verifyCollectionOtp)$/.test(operation)),
)

/**
 * The address of the payment that an entry is about. Undefined for a request that failed, because it may not have
 * created a payment.
 */
export function paymentOf({ subject, environment, outcome, details }: AuditEntry, place: Place): string | undefined {
  const operation = details?.['operation']
  if (subject === null || outcome === 'failed' || typeof operation !== 'string' || !ofPayments.has(operation))
    return undefined
  if (environment !== 'staging' && environment !== 'production') return undefined
  return paths.payment({ ...place, environment }, subject)
}

export type Names = ReadonlyMap<string, string>

export function sayTarget({ subject }: Pick<AuditEntry, 'subject'>, names: Names): string {
  return subject === null ? '–' : (names.get(subject) ?? shortenId(subject))
}

export function sayActor({ person, actor, actorKind }: AuditEntry, names: Names): string {
  return (person === null ? undefined : names.get(person)) ?? shortenId(actor ?? actorKind)
}
