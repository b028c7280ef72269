// What Monnify tells by itself. The signature is over the bytes that came; what a notice says of a payout is only a reason
// to ask, and what it says of money that came is read again before it is believed. The sandbox signs nothing: there the
// trust is `reread`, and of a notice nothing at all is taken but which transaction to read.

import { createHmac } from 'node:crypto'
import { constantTimeEqual } from '#base/secret.ts'
import { parseExact } from '#rails/exact-json.ts'
import type { InboundAnswer, InboundNotices, RailNotice } from '#rails/rail.ts'
import { noticeBody } from './answers.ts'
import type { Call } from './call.ts'
import { readDeposit } from './deposits.ts'

const signatureHeader = 'monnify-signature'

export type Trust = 'signed' | 'reread'

export type NoticesOptions = { provider: string; call: Call; secretKey: string; trust: Trust }

export function createNotices({ provider, call, secretKey, trust }: NoticesOptions): InboundNotices {
  return {
    provider,
    tellsOfPayments: true,
    verify(headers, rawBody) {
      const given = headers[signatureHeader]
      if (given === undefined && trust === 'reread') return 'unsigned'
      const expected = createHmac('sha512', secretKey).update(rawBody).digest('hex')
      const isGenuine =
        typeof given === 'string' && constantTimeEqual(Buffer.from(given.toLowerCase()), Buffer.from(expected))
      return isGenuine ? 'genuine' : 'forged'
    },
    async read(rawBody) {
      const notice = noticeBody.safeParse(parseExact(rawBody.toString('utf8'))).data
      if (notice === undefined) return { kind: 'unreadable' }
      const { eventType, eventData } = notice
      const says = payoutEvents[eventType]
      if (says !== undefined) return aboutPayout(eventData, says)
      if (eventType === 'SUCCESSFUL_TRANSACTION')
        return readDeposit({ provider, call, isSigned: trust === 'signed' }, eventData)
      if (refundEvents.includes(eventType)) return aboutRefund(provider, eventData)
      return told({ about: 'other', name: eventType })
    },
  }
}

function told(notice: RailNotice): InboundAnswer {
  return { kind: 'notices', notices: [notice] }
}

type Said = Extract<RailNotice, { about: 'payment' }>['says']

const payoutEvents: Record<string, Said> = {
  SUCCESSFUL_DISBURSEMENT: 'succeeded',
  FAILED_DISBURSEMENT: 'failed',
  REVERSED_DISBURSEMENT: 'reversed',
}

const refundEvents = ['SUCCESSFUL_REFUND', 'FAILED_REFUND']

function aboutRefund(provider: string, { transactionReference: providerId }: Record<string, unknown>): InboundAnswer {
  return typeof providerId === 'string' ? told({ about: 'refund', provider, providerId }) : { kind: 'unreadable' }
}

function aboutPayout({ reference }: Record<string, unknown>, says: Said): InboundAnswer {
  if (typeof reference !== 'string') return { kind: 'unreadable' }
  return told({ about: 'payment', railReference: reference, says })
}
