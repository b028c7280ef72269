// One deposit: payer, account, credited amount, and the reason if the money was sent back.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { accountQuery } from '#api/accounts.ts'
import type { Place } from '#api/client.ts'
import { depositQuery, depositValidationQuery } from '#api/deposits.ts'
import type { Currency, Deposit } from '#api/schema.ts'
import { orDash } from '#format/ids.ts'
import { formatMoney } from '#format/money.ts'
import { useShown } from '#shell/live-provider.tsx'
import { paths } from '#shell/paths.ts'
import { useParam, usePlace } from '#shell/place.ts'
import { RecordFailure } from '#shell/record-failure.tsx'
import { Copyable } from '#ui/copy.tsx'
import { Detail, Facts, PageHead, Panel, Row, Section, Stack, type Fact } from '#ui/layout.tsx'
import { Notice, SkeletonLines } from '#ui/states.tsx'
import { Status } from '#ui/status.tsx'
import { AccountNumber, Id, Money, Time } from '#ui/values.tsx'
import { SettleButtons } from './settle-buttons.tsx'
import { whyReturned } from './why-returned.ts'

export function DepositPage() {
  const place = usePlace()
  const reference = useParam('reference')
  const { data, error, refetch } = useQuery(depositQuery(place, reference))
  useShown([reference])
  if (data !== undefined) return <OneDeposit deposit={data} />
  if (error === null) return <SkeletonLines lines={8} />
  return (
    <RecordFailure
      error={error}
      noun="deposit"
      reference={reference}
      pathIn={(other) => paths.deposit(other, reference)}
      onRetry={() => void refetch()}
    />
  )
}

function OneDeposit({ deposit }: { deposit: Deposit }) {
  const place = usePlace()
  const currency = deposit.currency as Currency
  const isSettleable = place.environment === 'staging' && deposit.status === 'PENDING'
  const reference = <Copyable text={deposit.reference} what="the reference" children={deposit.reference} />
  return (
    <>
      <PageHead
        title={
          <Row>
            {reference}
            <Status status={deposit.status} />
          </Row>
        }
        says={`${formatMoney(deposit.amount, currency)}${deposit.senderAccountName === '' ? '' : ` from ${deposit.senderAccountName}`}`}
        actions={isSettleable ? <SettleButtons reference={deposit.reference} /> : undefined}
      />
      <Detail aside={<Validation reference={deposit.reference} />}>
        {deposit.status === 'FAILED' ? <Returned deposit={deposit} /> : null}
        <Section title="Sender">
          <Facts
            facts={[
              ['Name', orDash(deposit.senderAccountName)],
              ['Account', <AccountNumber key="account" number={orDash(deposit.senderAccountNumber)} />],
              ['Bank', orDash(deposit.senderBankName)],
              ['Narration', orDash(deposit.narration)],
            ]}
          />
        </Section>
        <Section title="Money">
          <Facts
            facts={[
              ['Amount', <Money key="amount" kobo={deposit.amount} currency={currency} />],
              ['Fee', <Money key="fee" kobo={deposit.fee} currency={currency} />],
              [
                'Credited',
                <Money
                  key="credited"
                  kobo={deposit.status === 'SUCCESSFUL' ? deposit.amount - deposit.fee : null}
                  currency={currency}
                />,
              ],
              ['Received', <Time key="received" at={deposit.createdAt} ago />],
              ['Id', <Id key="id" id={deposit.id} />],
            ]}
          />
        </Section>
        {deposit.recipientAccountNumber === '' ? <ByCollection deposit={deposit} /> : <Into deposit={deposit} />}
      </Detail>
    </>
  )
}

function Into({ deposit }: { deposit: Deposit }) {
  const place = usePlace()
  const { data: account } = useQuery(accountQuery(place, deposit.recipientAccountNumber))
  const customer = account?.customer?.reference
  return (
    <Section title="Paid into">
      <Facts
        facts={[
          ['Name', deposit.recipientAccountName],
          ['Account', <AccountNumber key="account" number={deposit.recipientAccountNumber} />],
          ['Bank', deposit.recipientBankName],
          account === undefined
            ? undefined
            : [
                'Details',
                <Link key="page" to={paths.account(place, account.accountNumber)}>
                  Virtual account
                </Link>,
              ],
          customer === undefined
            ? undefined
            : [
                'Customer',
                <Link key="customer" to={paths.customer(place, customer)}>
                  {customer}
                </Link>,
              ],
          reportedBy(place, deposit),
        ]}
      />
    </Section>
  )
}

/**
 * A deposit that a collection brought has no account, and does not name its collection. So the page links to all
 * collections from its payer.
 */
function ByCollection({ deposit }: { deposit: Deposit }) {
  const place = usePlace()
  return (
    <Section title="Paid by a collection">
      <Facts
        facts={[
          [
            'Details',
            <Link
              key="collections"
              to={paths.payments(place)}
              search={{ tab: 'collections', payee: deposit.senderAccountNumber }}
            >
              Collections from this payer
            </Link>,
          ],
          reportedBy(place, deposit),
        ]}
      />
    </Section>
  )
}

function reportedBy(place: Place, { reference }: Deposit): Fact {
  return [
    'Reported by',
    <Link key="told" to={paths.deliveries(place)} search={{ reference }}>
      Webhook deliveries
    </Link>,
  ]
}

/** The account stores only its last failure, with the amount. The reason of an earlier failure is not known. */
function Returned({ deposit }: { deposit: Deposit }) {
  const place = usePlace()
  const { data: account } = useQuery(accountQuery(place, deposit.recipientAccountNumber))
  const failure = account?.lastFailure
  const isThis = failure !== undefined && failure !== null && failure.reference === deposit.reference
  return (
    <Notice tone="failed">
      {isThis ? whyReturned(failure, account?.amount ?? null) : 'This deposit failed. Nothing was credited.'}
    </Notice>
  )
}

function Validation({ reference }: { reference: string }) {
  const { data } = useQuery(depositValidationQuery(usePlace(), reference))
  if (data?.exists !== true) return null
  return (
    <Panel>
      <Stack>
        <h2>{data.valid ? 'Confirmed' : 'Not confirmed'}</h2>
        <p>
          {data.valid
            ? 'The money is in the balance. You can fulfill the order.'
            : 'The money is not in the balance. Do not fulfill the order.'}
        </p>
      </Stack>
    </Panel>
  )
}
