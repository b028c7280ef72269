// Monnify's notices. The signature covers the received bytes. A notice about a payout only triggers a status query,
// and reported money is read again before it is credited. The sandbox signs nothing: there the trust is `reread`, and
// only the transaction's reference is taken from a notice.

import { inboundNotices, isSigned, noticeAnswer, toldOfPayment, type ReportedStatus } from '#rails/notices.ts'
import type { InboundAnswer, InboundNotices } from '#rails/rail.ts'
import { noticeBody } from './answers.ts'
import type { MonnifyCall } from './call.ts'
import { readDeposit } from './deposits.ts'

const signatureHeader = 'monnify-signature'

export type NoticeTrust = 'signed' | 'reread'

export type MonnifyNoticesOptions = { provider: string; call: MonnifyCall; secretKey: string; trust: NoticeTrust }

export function createNotices({ provider, call, secretKey, trust }: MonnifyNoticesOptions): InboundNotices {
  return inboundNotices({
    provider,
    verify(headers, rawBody) {
      const given = headers[signatureHeader]
      if (given === undefined && trust === 'reread') return 'unsigned'
      return isSigned(rawBody, secretKey, String(given).toLowerCase()) ? 'genuine' : 'forged'
    },
    body: noticeBody,
    async tell({ eventType, eventData }) {
      const says = payoutEvents[eventType]
      if (says !== undefined) return toldOfPayment(eventData, says)
      if (eventType === 'SUCCESSFUL_TRANSACTION')
        return readDeposit({ provider, call, isSigned: trust === 'signed' }, eventData)
      if (refundEvents.includes(eventType)) return aboutRefund(provider, eventData)
      return noticeAnswer({ about: 'other', name: eventType })
    },
  })
}

const payoutEvents: Partial<Record<string, ReportedStatus>> = {
  SUCCESSFUL_DISBURSEMENT: 'succeeded',
  FAILED_DISBURSEMENT: 'failed',
  REVERSED_DISBURSEMENT: 'reversed',
}

const refundEvents = ['SUCCESSFUL_REFUND', 'FAILED_REFUND']

function aboutRefund(provider: string, { transactionReference: providerId }: Record<string, unknown>): InboundAnswer {
  return typeof providerId === 'string'
    ? noticeAnswer({ about: 'refund', provider, providerId })
    : { kind: 'unreadable' }
}
