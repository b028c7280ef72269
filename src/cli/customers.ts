// `manilla customers show` and `erase`: the data stored about one customer, and its erasure.

import type { Environment } from '#platform/context.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { createSecretBox, loadSecretKeys, requireSecretKeys } from '#platform/secrets.ts'
import { eraseCustomer, type Blockers, type Erasure } from '#privacy/erase.ts'
import { showCustomer, type CustomerData } from '#privacy/customer-data.ts'
import { businessIdOf, tenantOf, noteIn } from './arguments.ts'
import { withContext } from './database.ts'
import { table, type Output } from './output.ts'
import { readConfig } from './settings.ts'

export type WhoseCustomer = { business?: string; environment: Environment }

export async function showCustomerCommand(output: Output, reference: string, whose: WhoseCustomer): Promise<void> {
  const businessId = businessIdOf(whose)
  const config = readConfig()
  const keys = await loadSecretKeys(config)
  const box = createSecretBox(keys.secretKey, keys.previousSecretKeys)
  const held = await withContext(config, output.step, async (ctx) => {
    await requireSecretKeys(ctx.db, keys)
    return showCustomer(ctx, box, await tenantOf(ctx, businessId, whose.environment), reference)
  })
  if (held === undefined) throw notFound(reference)
  output.result(held, summaryOf(held))
}

export async function eraseCustomerCommand(
  output: Output,
  reference: string,
  options: WhoseCustomer & { note: string },
): Promise<void> {
  const businessId = businessIdOf(options)
  const note = noteIn(options)
  const outcome = await withContext(readConfig(), output.step, async (ctx) =>
    eraseCustomer(ctx, await tenantOf(ctx, businessId, options.environment), { reference, note }),
  )
  switch (outcome.kind) {
    case 'erased':
      output.result(documentOf(reference, outcome.erasure), tellOf(reference, outcome.erasure))
      return
    case 'refused':
      throw new OperatorError(`${refusalOf(outcome.blockers)} Nothing was erased.`)
    case 'not-found':
      throw notFound(reference)
  }
}

function notFound(reference: string): OperatorError {
  return new OperatorError(
    `There is no customer ${reference} of this business in this environment. Check --business and --environment.`,
  )
}

function summaryOf({ customer, accounts, openings, deposits, hasMoreDeposits, notices }: CustomerData): string {
  const rows = [
    ['customer', customer.id],
    ['status', customer.status],
    ['name', `${customer.firstName} ${customer.lastName}`],
    ['email', customer.email ?? ''],
    ['phone', customer.phoneNumber ?? ''],
    ['BVN', customer.bvn === null ? '' : 'held'],
    [
      'accounts',
      [...accounts.map(({ accountNumber }) => accountNumber), ...openings.map(() => 'being opened')].join(' '),
    ],
    ['deposits', `${deposits.length}${hasMoreDeposits ? ' and more' : ''}`],
    ['kept notices', String(notices.length)],
  ]
  return `${table(['field', 'value'], rows)}\nRun the same command with --json to see all of it.`
}

/** Names one reason against the erasure, though there may be several, and what to do about it. */
function refusalOf({ openAccounts, openings, pendingDeposits, openNotices }: Blockers): string {
  if (openings > 0) return 'An account for this customer is being opened. Retry in 15 minutes.'
  if (openAccounts.length > 0) {
    return `The customer has open accounts: ${openAccounts.join(', ')}. The business must close each of them first: DELETE /v1/virtual-accounts/NUMBER.`
  }
  if (pendingDeposits > 0)
    return `${pendingDeposits} deposits of the customer are PENDING. Retry when they have completed.`
  return `Money for the customer's accounts is in the review queue (${openNotices}). See: npx manilla exceptions list`
}

function documentOf(reference: string, { customerId, ...rest }: Erasure): Record<string, unknown> {
  return { reference, id: formatId('customer', customerId), ...rest, kept: keptAlways }
}

const keptAlways = [
  'references and ids',
  'amounts and times',
  'account numbers of the business',
  'the ledger',
  'the audit log',
]

function tellOf(reference: string, erasure: Erasure): string {
  const { again, deposits, events, answers, notices, toReturn, deliveriesDue } = erasure
  const listed = toReturn.slice(0, 20).join(', ') + (toReturn.length > 20 ? ` and ${toReturn.length - 20} more` : '')
  return [
    again ? `${reference} was already erased; its data was erased again.` : `Erased ${reference}.`,
    `Erased: the personal data, the names of the accounts, and the payers in ${deposits} deposits, ${events} events, ${answers} webhook responses and ${notices} notices.`,
    `Kept, because the law requires complete books: ${keptAlways.join(', ')}.`,
    ...(toReturn.length > 0
      ? [
          `Kept, because the money must be returned: the payers of ${listed}. Run this command again when it has been returned.`,
        ]
      : []),
    ...(deliveriesDue > 0
      ? [
          `${deliveriesDue} webhook deliveries are still in progress. Run this command again when they have ended, to erase the responses.`,
        ]
      : []),
    'Not erased: log files, backups, webhook receivers and providers. See docs/runbooks/privacy.md.',
  ].join('\n')
}
