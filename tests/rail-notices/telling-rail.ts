// A rail whose notices a test writes. The signature is a fixed word, and the notices are JSON.

import type { Clock } from '#platform/clock.ts'
import type { InboundAnswer, InboundNotices, Rail } from '#rails/rail.ts'
import { createScriptedPayout, type ScriptedPayout } from '#tests/support/scripted-rail.ts'

export type TellingRail = Rail & { payout: ScriptedPayout; inbound: InboundNotices }

export const signed = { 'x-word': 'signed' }
export const unsigned = { 'x-word': 'nothing' }

export function createTellingRail(name: string, clock: Clock): TellingRail {
  const payout = createScriptedPayout(clock)
  payout.onSubmit = () => ({ kind: 'pending', askAgainAfterMs: 3_600_000 })
  return {
    name,
    payout,
    inbound: {
      provider: name,
      tellsOfPayments: true,
      verify(headers) {
        if (headers['x-word'] === signed['x-word']) return 'genuine'
        return headers['x-word'] === unsigned['x-word'] ? 'unsigned' : 'forged'
      },
      read: (rawBody) => Promise.resolve(readBody(rawBody)),
    },
  }
}

function readBody(rawBody: Buffer): InboundAnswer {
  try {
    return { kind: 'notices', notices: [JSON.parse(rawBody.toString('utf8'))] }
  } catch {
    return { kind: 'unreadable' }
  }
}

export const aboutPayment = (railReference: string, says: 'succeeded' | 'failed' | 'reversed') =>
  JSON.stringify({ about: 'payment', railReference, says })

export const aboutNothing = (name: string) => JSON.stringify({ about: 'other', name })
