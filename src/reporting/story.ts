// The story of a payment: its events with their times and sources, the money that it moved, its deliveries, and its
// rail's answers.

import type { Context, Tenant } from '#platform/context.ts'
import { movementsOf, type SourceMovement } from '#ledger/statement.ts'
import { kindNames } from '#payments/wire.ts'
import { isFinal, paymentKinds, type Payment } from '#payments/payment.ts'
import { hasExpired } from '#payments/collection-rules.ts'
import type { Payments } from '#payments/service.ts'
import { movedBy, readPaymentStory, type PaymentStory, type RailLeft, type Try } from '#payments/history.ts'
import type { LogRecord, DeliveryLog } from '#webhooks/log.ts'

export type StoryMoment = { at: Date; what: string; source: string; says: string }

export type Story = {
  payment: Payment
  says: string
  /** Null: the payment has ended, or waits for the payer. */
  look: StatusCheck | null
  timeline: StoryMoment[]
  movements: SourceMovement[]
  /** Movements before this time are only in archive files. Null: `movements` has all. */
  movementsArchivedUntil: Date | null
  deliveries: LogRecord[]
  tries: Try[]
}

/**
 * How often the service asked the rail about the payment, or tried to submit it, and when it does so next. `times` is 0
 * if that is not counted, as for a collection in its first minutes. `nextAt` is null while a process works on the
 * payment.
 */
export type StatusCheck = { did: 'asked' | 'tried'; times: number; nextAt: Date | null }

/** More than a payment has: at most two events for each of at most twenty subscriptions. */
const deliveriesMax = 100

export async function tellStory(
  { ctx, payments, log }: { ctx: Context; payments: Payments; log: DeliveryLog },
  tenant: Tenant,
  reference: string,
): Promise<Story | undefined> {
  const read = await Promise.all(paymentKinds.map((kind) => payments.read(tenant, kind, reference)))
  const payment = read.find((one) => one !== undefined)
  if (payment === undefined) return undefined
  const [known, { records }] = await Promise.all([
    readPaymentStory(ctx, tenant, payment),
    log.list(tenant, { reference, page: 1, limit: deliveriesMax }),
  ])
  const { sourceId, moved } = movedBy(payment, known)
  const { movements, archivedUntil } = await movementsOf(ctx, tenant, sourceId, moved)
  return {
    payment,
    says: sentenceOf(payment, known),
    look: statusCheckOf(payment, known),
    timeline: timelineOf(payment, known),
    movements,
    movementsArchivedUntil: archivedUntil,
    deliveries: records,
    tries: known.tries,
  }
}

function sentenceOf(payment: Payment, { railAnswer }: PaymentStory): string {
  const rail = payment.kind === 'bank_transfer' ? 'bank' : 'operator'
  switch (payment.status) {
    case 'SUCCESS':
      return payment.kind === 'momo_collection'
        ? 'The payer has paid. The money is in the balance.'
        : `The ${rail} confirmed that the money arrived.`
    case 'REVERSED':
      return `It succeeded first; then the ${rail} returned it. Amount and fee are in the balance again.`
    case 'FAILED':
      return payment.kind === 'momo_collection'
        ? failedCollectionSentence(payment)
        : 'It failed. Amount and fee are in the balance again.'
    case 'OTP_REQUIRED':
      return 'The payer received a code and has not given it to you yet.'
    case 'PENDING':
      return 'The payer was asked to confirm on the phone and has not answered yet.'
    case 'queued':
      return waitingSentence(payment, rail, railAnswer)
  }
}

function failedCollectionSentence(payment: Payment): string {
  return hasExpired(payment)
    ? 'Its time is over, and the operator has not seen it paid. If the payer’s money comes after all, it is credited.'
    : 'It failed. Nothing was taken from the payer.'
}

function waitingSentence({ submittedAt }: Payment, rail: string, railAnswer: PaymentStory['railAnswer']): string {
  if (railAnswer === 'no-rail') return 'It waits: its rail is not configured. It is sent as soon as there is one.'
  if (submittedAt === null)
    return railAnswer === null ? 'It waits to be sent.' : `It waits to be sent: the ${rail} has not taken it yet.`
  return railAnswer === 'unknown'
    ? `The ${rail} cannot say yet whether it succeeded.`
    : `It was sent. The ${rail} has not confirmed it yet.`
}

/**
 * A process that postpones a payment stores the rail's answer and the next due time. If no answer is stored, `due_at`
 * is the end of a lease and says nothing about the next question. `tries` counts unusual answers, and `asks` counts
 * questions without a result, so the larger of the two numbers is nearer to the truth.
 */
function statusCheckOf(
  { status, submittedAt }: Payment,
  { tries, asks, dueAt, railAnswer }: PaymentStory,
): StatusCheck | null {
  if (isFinal(status) || status === 'OTP_REQUIRED') return null
  const answered = tries.reduce((sum, { times }) => sum + times, 0)
  return {
    did: submittedAt === null ? 'tried' : 'asked',
    // If the payment has no rail, `asks` counts turns in which no provider was asked.
    times: railAnswer === 'no-rail' ? 0 : Math.max(asks, answered),
    nextAt: railAnswer === null ? null : dueAt,
  }
}

const answers: Record<Try['answered'], string> = {
  pending: 'it is under way',
  'otp-required': 'a code is needed',
  succeeded: 'it is done',
  failed: 'it failed',
  reversed: 'it came back',
  unknown: 'it cannot tell',
  'not-found': 'it does not know it',
}

const leavingReasons: Record<RailLeft['why'], string> = {
  stopped: 'its payouts were stopped',
  misconfigured: 'it refused our credentials',
  resting: 'it was failing',
  float: 'its balance was too small',
  'no-rail': 'it was no longer configured',
  refused: 'it refused the payment',
}

function railAt(at: Date, railsLeft: readonly RailLeft[], last: string): string {
  return railsLeft.find(({ leftAt }) => at.getTime() <= leftAt.getTime())?.rail ?? last
}

function timelineOf(payment: Payment, { succeededAt, tries, railsLeft }: PaymentStory): StoryMoment[] {
  const { status, createdAt, submittedAt, completedAt } = payment
  const rail = payment.rail ?? 'rail'
  const moments: StoryMoment[] = [
    { at: createdAt, what: 'accepted', source: 'Manilla', says: `The ${kindNames[payment.kind]} was accepted.` },
  ]
  if (submittedAt !== null) moments.push({ at: submittedAt, what: 'sent', source: 'Manilla', says: `Sent to ${rail}.` })
  for (const { asked, answered, detail, firstAt, times } of tries) {
    const more = times === 1 ? '' : ` (${times} times)`
    const words = detail === '' ? '' : `: ${detail}`
    moments.push({
      at: firstAt,
      what: asked,
      source: railAt(firstAt, railsLeft, rail),
      says: `The provider answered that ${answers[answered]}${words}${more}.`,
    })
  }
  for (const [index, { rail: from, why, leftAt }] of railsLeft.entries()) {
    const to = railsLeft[index + 1]?.rail ?? rail
    const says = `It moved from ${from} to ${to}, because ${leavingReasons[why]}.`
    moments.push({ at: leftAt, what: 'moved', source: 'Manilla', says })
  }
  if (payment.kind === 'momo_collection' && payment.otpAcceptedAt !== null)
    moments.push({ at: payment.otpAcceptedAt, what: 'code', source: rail, says: 'The payer’s code was accepted.' })
  const succeeded = status === 'REVERSED' ? succeededAt : status === 'SUCCESS' ? completedAt : null
  if (succeeded !== null) moments.push({ at: succeeded, what: 'succeeded', source: rail, says: 'It succeeded.' })
  if (payment.kind === 'momo_collection' && payment.expiredAt !== null)
    moments.push({ at: payment.expiredAt, what: 'failed', source: 'Manilla', says: `It failed: ${payment.expiredAs}.` })
  if (completedAt !== null && status === 'FAILED')
    moments.push({ at: completedAt, what: 'failed', source: rail, says: `It failed: ${payment.failureReason}.` })
  if (completedAt !== null && status === 'REVERSED')
    moments.push({ at: completedAt, what: 'returned', source: rail, says: 'It was returned.' })
  return moments.toSorted((left, right) => left.at.getTime() - right.at.getTime())
}
