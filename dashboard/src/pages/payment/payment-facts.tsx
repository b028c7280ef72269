// The details of a payment, by its kind. Values that a user passes on can be copied.

import { Link } from '@tanstack/react-router'
import type { Place } from '#api/client.ts'
import type { Payment } from '#api/payments.ts'
import { payeeLabelOf, payeeNumberOf } from '#shell/momo-payee.ts'
import { OperatorName } from '#shell/operator-name.tsx'
import { paths } from '#shell/paths.ts'
import { usePlace } from '#shell/place.ts'
import { Copyable } from '#ui/copy.tsx'
import { Facts, Panel, type Fact } from '#ui/layout.tsx'
import { AccountNumber, Id, Money, Time } from '#ui/values.tsx'

export function PaymentFacts({ payment, rail }: { payment: Payment; rail: string | null }) {
  const place = usePlace()
  return (
    <Panel>
      <Facts
        facts={[
          ...partyOf(payment),
          ['Amount', <Money key="amount" kobo={payment.amount} />],
          ...feeOf(payment),
          ['Narration', payment.narration ?? '–'],
          payment.failureMessage === null ? undefined : ['Why it failed', payment.failureMessage],
          depositOf(payment, place),
          rail === null ? undefined : ['Rail', rail],
          ['Created', <Time key="created" at={payment.createdAt} ago />],
          payment.completedAt === null ? undefined : ['Ended', <Time key="ended" at={payment.completedAt} ago />],
          ['Id', <Id key="id" id={payment.id} />],
        ]}
      />
    </Panel>
  )
}

/** A payment that failed costs nothing: its fee goes back with the amount, or is never taken. */
function feeOf(payment: Payment): Fact[] {
  if (payment.status === 'FAILED') return [['Fee', 'Not charged']]
  const fee: Fact = ['Fee', <Money key="fee" kobo={payment.fee} />]
  if (payment.kind !== 'collection') return [fee, ['Total', <Money key="total" kobo={payment.totalDebit} />]]
  const label = payment.status === 'SUCCESS' ? 'Credited' : 'To be credited'
  return [fee, [label, <Money key="credited" kobo={payment.amount - payment.fee} />]]
}

function depositOf(payment: Payment, place: Place): Fact | undefined {
  if (payment.kind !== 'collection' || payment.depositReference === null) return undefined
  const { depositReference } = payment
  return [
    'Deposit',
    <Link key="deposit" to={paths.deposit(place, depositReference)}>
      {depositReference}
    </Link>,
  ]
}

function partyOf(payment: Payment): (Fact | undefined)[] {
  if (payment.kind === 'transfer') {
    const { sessionId } = payment
    return [
      ['To', payment.accountName],
      ['Account', <AccountNumber key="account" number={payment.accountNumber} />],
      ['Bank', payment.bankName],
      sessionId === null
        ? undefined
        : ['Session', <Copyable key="session" text={sessionId} what="the session id" children={sessionId} />],
    ]
  }
  const { operatorReference } = payment
  return [
    ...(payment.kind === 'collection'
      ? [numberFact('From', 'Phone number', payment.phoneNumber)]
      : momoPayeeOf(payment)),
    ['Operator', <OperatorName key="operator" slug={payment.operator} />],
    operatorReference === null
      ? undefined
      : [
          'Operator’s reference',
          <Copyable
            key="theirs"
            text={operatorReference}
            what="the operator’s reference"
            children={operatorReference}
          />,
        ],
  ]
}

/** The recipient. A wallet has the label "To"; a till or paybill has a label that says which of the two it is. */
function momoPayeeOf(payment: Extract<Payment, { kind: 'momo-transfer' }>): (Fact | undefined)[] {
  const { phoneNumber, accountReference: account, accountName } = payment
  const label = payeeLabelOf(payment)
  return [
    numberFact(phoneNumber === null ? label : 'To', label, payeeNumberOf(payment)),
    account === null ? undefined : numberFact('Account at the paybill', 'Account at the paybill', account),
    accountName === null ? undefined : ['Name', accountName],
  ]
}

function numberFact(name: string, label: string, number: string): Fact {
  return [name, <Copyable key={name} text={number} what={`the ${label.toLowerCase()}`} children={number} />]
}
