// One payment: its details, its history, and its next step.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { paymentStoryQuery, type Payment, type PaymentStory } from '#api/payments.ts'
import type { Currency } from '#api/schema.ts'
import { formatMoney } from '#format/money.ts'
import { useShown } from '#shell/live-provider.tsx'
import { paths } from '#shell/paths.ts'
import { useParam, usePlace } from '#shell/place.ts'
import { RecordFailure } from '#shell/record-failure.tsx'
import { Copyable } from '#ui/copy.tsx'
import { Detail, PageHead, Row, Section } from '#ui/layout.tsx'
import { SkeletonLines } from '#ui/states.tsx'
import { Status } from '#ui/status.tsx'
import { CurrencyProvider, Json } from '#ui/values.tsx'
import { CompleteMenu } from './complete-menu.tsx'
import { NextRailCall } from './next-rail-call.tsx'
import { PaymentFacts } from './payment-facts.tsx'
import { PayerCode } from './payer-code.tsx'
import { PaymentDeliveries, PaymentMovements, PaymentTries } from './payment-tables.tsx'
import { hasFailedForGood, SendAgain } from './payment-actions.tsx'
import { canShareReceipt, hasReceipt, Receipt, ReceiptActions, useIsPrinting } from './receipt.tsx'
import { ShareReceipt } from './share-receipt.tsx'
import { Timeline } from './timeline.tsx'

export function PaymentPage() {
  const place = usePlace()
  const reference = useParam('reference')
  const { data, error, refetch } = useQuery(paymentStoryQuery(place, reference))
  useShown([reference])
  const isPrinting = useIsPrinting()
  if (data !== undefined && isPrinting && hasReceipt(data.payment)) return <Receipt payment={data.payment} />
  if (data !== undefined) return <Story story={data} />
  if (error === null) return <SkeletonLines lines={10} />
  return (
    <RecordFailure
      error={error}
      noun="payment"
      reference={reference}
      pathIn={(other) => paths.payment(other, reference)}
      onRetry={() => void refetch()}
    />
  )
}

function Story({ story }: { story: PaymentStory }) {
  const place = usePlace()
  const { payment, says, look, timeline, movements, movementsArchivedUntil, deliveries, tries } = story
  return (
    <CurrencyProvider currency={payment.currency as Currency}>
      <PageHead
        title={
          <Row>
            <Copyable text={payment.reference} what="the reference" children={payment.reference} />
            <Status status={payment.status} />
          </Row>
        }
        says={
          <>
            {formatMoney(payment.amount, payment.currency as Currency)}. {says}{' '}
            {look === null ? null : <NextRailCall look={look} />}
          </>
        }
        actions={<PaymentActions payment={payment} />}
      />
      <Detail aside={<PaymentFacts payment={payment} rail={story.rail} />}>
        <PayerCode payment={payment} />
        <Section title="What happened">
          <Timeline steps={timeline} />
        </Section>
        <Section title="In the ledger">
          <PaymentMovements movements={movements} movementsArchivedUntil={movementsArchivedUntil} />
        </Section>
        {deliveries === null ? null : (
          <Section
            title="Webhook deliveries"
            actions={
              <Link to={paths.deliveries(place)} search={{ reference: payment.reference }}>
                All deliveries of this payment
              </Link>
            }
          >
            <PaymentDeliveries deliveries={deliveries} />
          </Section>
        )}
        {tries.length === 0 ? null : (
          <Section title="Requests to the provider">
            <PaymentTries tries={tries} />
          </Section>
        )}
        {payment.metadata === null ? null : (
          <Section title="Metadata">
            <Json label="Metadata as JSON" text={JSON.stringify(payment.metadata)} />
          </Section>
        )}
      </Detail>
    </CurrencyProvider>
  )
}

function PaymentActions({ payment }: { payment: Payment }) {
  const place = usePlace()
  return (
    <>
      {hasReceipt(payment) ? <ReceiptActions payment={payment} /> : null}
      {canShareReceipt(payment) ? <ShareReceipt payment={payment} /> : null}
      {payment.kind === 'transfer' && hasFailedForGood(payment) ? <SendAgain transfer={payment} /> : null}
      {place.environment === 'staging' ? <CompleteMenu payment={payment} /> : null}
    </>
  )
}
