// What follows from a notice. It is never more than a reason to ask: what it says of a payment its rail is asked about now,
// what it says of money that came was read again by the rail's own `read`. So it does no harm to believe the same notice
// twice, late, or in two processes.

import { within } from '#base/clock.ts'
import type { Context, Environment } from '#base/context.ts'
import type { Deposits } from '#deposits/deposits.ts'
import type { Payments } from '#payments/payments.ts'
import type { InboundAnswer, RailNotice } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { answerMsMax } from '#rails/time-limits.ts'

/** `again`: it could not be confirmed now. `hopeless`: nobody will ever make sense of it. */
export type Belief = { kind: 'done' } | { kind: 'again'; detail: string } | { kind: 'hopeless'; detail: string }

export type Believers = {
  ctx: Context
  rails: RailRegistry
  payments: Pick<Payments, 'hear'>
  deposits: Pick<Deposits, 'receive' | 'hearOfRefund'>
  laneNumbers: () => Promise<number[]>
}

export type Told = { environment: Environment; rail: string; rawBody: Buffer }

export async function believe(believers: Believers, { environment, rail, rawBody }: Told): Promise<Belief> {
  const served = believers.rails.inbound(environment, { rail })
  if (served.kind === 'missing') return { kind: 'again', detail: 'the rail is not configured' }
  const reading = served.port.read(rawBody)
  const answer: InboundAnswer = (await within(answerMsMax, reading))
    ? await reading
    : { kind: 'unavailable', detail: 'the rail did not answer in time' }
  if (answer.kind === 'unreadable') return { kind: 'hopeless', detail: 'its rail cannot read it' }
  if (answer.kind === 'unavailable') return { kind: 'again', detail: answer.detail }
  let belief: Belief = { kind: 'done' }
  for (const notice of answer.notices) {
    const one = await believeOne(believers, { environment, rail, notice })
    if (one.kind !== 'done') belief = one // The others are done all the same.
  }
  return belief
}

type One = { environment: Environment; rail: string; notice: RailNotice }

async function believeOne(believers: Believers, { environment, rail, notice }: One): Promise<Belief> {
  const { ctx, deposits } = believers
  switch (notice.about) {
    case 'payment':
      return aboutPayment(believers, { environment, rail, notice })
    case 'deposit': {
      const outcome = await deposits.receive(environment, notice.deposit)
      // Its account was found, and is not there: it is being made at this moment.
      return outcome.kind === 'not-found' ? { kind: 'again', detail: 'the account is not there yet' } : { kind: 'done' }
    }
    case 'refund':
      return (await deposits.hearOfRefund(environment, notice)) === 'asked'
        ? { kind: 'again', detail: 'its rail is asked what became of the refund' }
        : { kind: 'done' }
    case 'other':
      ctx.log.info({ environment, rail, event: notice.name }, 'a rail told of something that needs nothing of us')
      return { kind: 'done' }
  }
}

type AboutPayment = Omit<One, 'notice'> & { notice: Extract<RailNotice, { about: 'payment' }> }

async function aboutPayment(believers: Believers, { environment, rail, notice }: AboutPayment): Promise<Belief> {
  const { ctx, payments, laneNumbers } = believers
  const { railReference, says } = notice
  const heard = await payments.hear({ environment, rail, railReference, says, lanes: await laneNumbers() })
  switch (heard.kind) {
    case 'settled':
    case 'unchanged':
      return { kind: 'done' }
    case 'unconfirmed':
      return { kind: 'again', detail: heard.detail }
    case 'unknown-payment':
      ctx.log.error({ environment, rail, railReference }, 'a rail told of a payment that is not ours; ask the provider')
      return { kind: 'done' }
  }
}
