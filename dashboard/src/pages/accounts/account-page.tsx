// One virtual account: the payment that it waits for, the details for its payer, and the money that came in.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { accountQuery } from '#api/accounts.ts'
import type { VirtualAccountDetails } from '#api/schema.ts'
import { groupAccountNumber } from '#format/ids.ts'
import { PayerCard } from './payer-card.tsx'
import { paths } from '#shell/paths.ts'
import { useParam, usePlace, useRefusal } from '#shell/place.ts'
import { RecordFailure } from '#shell/record-failure.tsx'
import { Button, buttonLook } from '#ui/button.tsx'
import { Copyable } from '#ui/copy.tsx'
import { Detail, Facts, PageHead, Row, Section } from '#ui/layout.tsx'
import { SkeletonLines } from '#ui/states.tsx'
import { Status } from '#ui/status.tsx'
import { Id, Json, Money, Time } from '#ui/values.tsx'
import { AccountDeposits } from './account-deposits.tsx'
import { CloseAccount } from './close-account.tsx'
import { Expiry } from './expiry.tsx'

export function AccountPage() {
  const place = usePlace()
  const number = useParam('number')
  const { data, error, refetch } = useQuery(accountQuery(place, number))
  if (data !== undefined) return <OneAccount account={data} />
  if (error === null) return <SkeletonLines lines={8} />
  return (
    <RecordFailure
      error={error}
      noun="virtual account"
      reference={number}
      pathIn={(other) => paths.account(other, number)}
      onRetry={() => void refetch()}
    />
  )
}

function OneAccount({ account }: { account: VirtualAccountDetails }) {
  const [isClosing, setClosing] = useState(false)
  const { accountNumber, accountName, metadata } = account
  const grouped = groupAccountNumber(accountNumber)
  return (
    <>
      <PageHead
        title={
          <Row>
            <Copyable text={accountNumber} what="the account number" children={grouped} />
            <Status status={account.status} />
          </Row>
        }
        says={accountName}
        actions={<Actions account={account} onClose={() => setClosing(true)} />}
      />
      <Detail aside={<PayerCard account={account} />}>
        <Section title="Account">
          <AccountFacts account={account} />
        </Section>
        <Section title="Deposits">
          <AccountDeposits accountNumber={accountNumber} />
        </Section>
        {metadata === null ? null : (
          <Section title="Metadata">
            <Json label="Metadata as JSON" text={JSON.stringify(metadata)} />
          </Section>
        )}
      </Detail>
      {isClosing ? <CloseAccount account={account} onClose={() => setClosing(false)} /> : null}
    </>
  )
}

function Actions({ account, onClose }: { account: VirtualAccountDetails; onClose: () => void }) {
  const place = usePlace()
  const refusal = useRefusal('customers.change')
  return (
    <>
      {place.environment === 'staging' ? (
        <Link to={paths.simulator(place)} search={{ account: account.accountNumber }} className={buttonLook()}>
          Simulate deposit
        </Link>
      ) : null}
      <Button disabledReason={whyNotClosed(account) ?? refusal} onClick={onClose}>
        Close account
      </Button>
    </>
  )
}

function whyNotClosed({ status, type }: VirtualAccountDetails): string | undefined {
  if (status !== 'ACTIVE') return 'This account accepts no money any more.'
  return type === 'dynamic' ? 'A dynamic account cannot be closed. It completes or expires by itself.' : undefined
}

function AccountFacts({ account }: { account: VirtualAccountDetails }) {
  const place = usePlace()
  const { customer, amount, expiresAt } = account
  return (
    <Facts
      facts={[
        ['Type', account.type === 'static' ? 'Static: any amount, no expiry' : 'Dynamic: one payment'],
        ['Bank', account.bankName],
        amount === null ? undefined : ['Amount', <Money key="amount" kobo={amount} />],
        account.amountPolicy === null
          ? undefined
          : ['Other amounts', account.amountPolicy === 'exact' ? 'Returned' : 'Accepted'],
        account.reference === null ? undefined : ['Reference', account.reference],
        customer === undefined || customer === null
          ? undefined
          : [
              'Customer',
              <Link key="customer" to={paths.customer(place, customer.reference)}>
                {customer.reference}
              </Link>,
            ],
        expiresAt === null
          ? undefined
          : ['Expires', <Expiry key="expires" at={expiresAt} isOpen={account.status === 'ACTIVE'} />],
        ['Opened', <Time key="opened" at={account.createdAt} ago />],
        ['Id', <Id key="id" id={account.id} />],
      ]}
    />
  )
}
