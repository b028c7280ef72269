// The receipt that is printed. Only a payment that succeeded has one, because a receipt is read as proof of payment.

import { useSyncExternalStore } from 'react'
import { addressOf, under } from '#api/client.ts'
import type { Payment } from '#api/payments.ts'
import type { Currency } from '#api/schema.ts'
import { OperatorName } from '#shell/operator-name.tsx'
import { payeeLabelOf, payeeNumberOf } from '#shell/momo-payee.ts'
import { formatMoney } from '#format/money.ts'
import { formatDay, formatTime, nameZone } from '#format/time.ts'
import { sayMoney } from '#format/money-words.ts'
import { findMembership, useMe, usePlace } from '#shell/place.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { Facts, type Fact } from '#ui/layout.tsx'
import { useZone } from '#ui/values.tsx'
import styles from './receipt.module.css'

export function ReceiptActions({ payment: { reference } }: { payment: Payment }) {
  const path = under(usePlace(), `payments/${encodeURIComponent(reference)}/receipt`)
  return (
    <>
      <a className={buttonLook()} href={addressOf(path)} download>
        Download receipt
      </a>
      <Button onClick={() => window.print()}>Print receipt</Button>
    </>
  )
}

/** True while the browser prints, even if the person chose to print in the browser's menu. */
export function useIsPrinting(): boolean {
  return useSyncExternalStore(onPrint, () => printing.matches)
}

const printing = matchMedia('print')

function onPrint(change: () => void): () => void {
  printing.addEventListener('change', change)
  return () => printing.removeEventListener('change', change)
}

type Payout = Exclude<Payment, { kind: 'collection' }>

export function hasReceipt(payment: Payment): payment is Payout {
  return payment.kind !== 'collection' && payment.status === 'SUCCESS'
}

/** Also true for a returned payment, because links that were created before the return can still be revoked. */
export function canShareReceipt({ kind, status }: Payment): boolean {
  return kind !== 'collection' && (status === 'SUCCESS' || status === 'REVERSED')
}

/** In print, the receipt replaces the page, which is meant for people who work with payments. */
export function Receipt({ payment }: { payment: Payout }) {
  const place = usePlace()
  const business = findMembership(useMe(), place)?.name ?? ''
  const zone = useZone()
  const nowMs = new Date().getTime()
  const { reference, id, amount, narration, completedAt } = payment
  const currency = payment.currency as Currency
  return (
    <article className={styles.receipt}>
      <p>{business}</p>
      <h1>Payment receipt</h1>
      {place.environment === 'staging' ? <p>Test payment in staging. No money was moved.</p> : null}
      <p className={styles.amount}>{formatMoney(amount, currency)}</p>
      <p>{sayMoney(amount, currency)}</p>
      <Facts
        facts={[
          ['Status', 'Succeeded'],
          completedAt === null ? undefined : ['Paid on', formatDay(completedAt, zone)],
          completedAt === null
            ? undefined
            : ['Time', `${formatTime(completedAt, zone, nowMs)} ${nameZone(zone, nowMs)}`],
          ...recipientOf(payment),
          narration === null ? undefined : ['Narration', narration],
          ['Reference', reference],
          ['Payment id', id],
        ]}
      />
    </article>
  )
}

function recipientOf(payment: Payout): (Fact | undefined)[] {
  if (payment.kind === 'transfer') {
    return [
      ['Recipient', payment.accountName],
      ['Account number', payment.accountNumber],
      ['Bank', payment.bankName],
      payment.sessionId === null ? undefined : ['Session id', payment.sessionId],
    ]
  }
  const { accountName: name, accountReference: account, operator, operatorReference } = payment
  return [
    name === null ? undefined : ['Recipient', name],
    [payeeLabelOf(payment), payeeNumberOf(payment)],
    account === null ? undefined : ['Account', account],
    ['Operator', <OperatorName key="operator" slug={operator} />],
    operatorReference === null ? undefined : ['Operator’s reference', operatorReference],
  ]
}
