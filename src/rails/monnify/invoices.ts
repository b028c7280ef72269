// Invoices: an account of Monnify's that waits for one payment until a time that we name.

import { isAccountNumber } from '#rails/account-number.ts'
import { jsonNumber } from '#rails/exact-json.ts'
import { nairaOf } from '#rails/naira.ts'
import { detailOf } from '#rails/outcome.ts'
import type { DynamicAccountOrder, NewAccount } from '#rails/rail-accounts.ts'
import { plainName } from '#rails/text.ts'
import { invoiceBody } from './answers.ts'
import type { AccountsOptions } from './accounts.ts'
import { lagosTextOf, lagosTimeOf } from './lagos-time.ts'

/** In kobo. */
const amountMin = 20_00n

/** Whether another amount than that of the invoice is welcome, the deposits decide: Monnify takes any. */
export async function createInvoice(
  { call, contractCode, emailDomain }: AccountsOptions,
  order: DynamicAccountOrder,
  reference: string,
): Promise<NewAccount> {
  if (order.amount < amountMin) return { kind: 'unsupported', what: 'small-amount' }
  const said = await call({
    endpoint: 'invoice',
    method: 'POST',
    path: '/api/v1/invoice/create',
    body: {
      amount: jsonNumber(nairaOf(order.amount)),
      invoiceReference: reference,
      description: 'Payment',
      currencyCode: 'NGN',
      contractCode,
      customerEmail: `${reference}@${emailDomain}`,
      customerName: plainName(order.accountName),
      expiryDate: lagosTextOf(order.expiresAtMs),
      paymentMethods: ['ACCOUNT_TRANSFER'],
    },
  })
  if (said.kind === 'success') return accountIn(said.body, order, reference)
  if (said.kind === 'unknown' || !/already exists/i.test(said.message))
    return { kind: 'unavailable', detail: detailOf('invoice', said) }
  const again = await call({ endpoint: 'invoice', method: 'GET', path: `/api/v1/invoice/${reference}/details` })
  return again.kind === 'success'
    ? accountIn(again.body, order, reference)
    : { kind: 'unavailable', detail: detailOf('invoice', again) }
}

function accountIn(body: unknown, order: DynamicAccountOrder, reference: string): NewAccount {
  const found = invoiceBody.safeParse(body).data
  const isOurs = found?.invoiceReference === reference && found.amount === order.amount
  if (!isOurs || !isAccountNumber(found.accountNumber))
    return { kind: 'unavailable', detail: 'invoice: an answer about another invoice, or without its account' }
  const expiresAtMs = lagosTimeOf(found.expiryDate ?? '')
  return {
    kind: 'created',
    accountNumber: found.accountNumber,
    accountName: found.accountName,
    bankName: found.bankName,
    bankSlug: slugOf(found.bankCode ?? '', found.bankName),
    handle: `invoice ${reference}`,
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  }
}

/** The banks that Monnify opens accounts at, as our directory calls them. */
const slugs: Record<string, string> = { '50515': 'moniepoint-mfb-ng', '035': 'wema-bank', '232': 'sterling-bank' }

/** It only says where the account is: of a bank that is new there, the name tells it too. */
function slugOf(bankCode: string, bankName: string): string {
  return slugs[bankCode] ?? bankName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}
