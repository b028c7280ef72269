// Helpers that adapters share to read providers' notices and verify their signatures.

import { createHmac } from 'node:crypto'
import type { z } from 'zod'
import { constantTimeEqual } from '#platform/secrets.ts'
import { parseExact } from './provider.ts'
import type { InboundAnswer, InboundNotices, RailNotice } from './rail.ts'

type NoticeReader<Body> = Pick<InboundNotices, 'provider' | 'verify'> & {
  body: z.ZodType<Body>
  /** Interprets the parsed body of a notice. */
  tell(body: Body): Promise<InboundAnswer>
}

/** Builds the port of a provider that sends JSON and also reports payments. */
export function inboundNotices<Body>({ provider, verify, body, tell }: NoticeReader<Body>): InboundNotices {
  return {
    provider,
    tellsOfPayments: true,
    verify,
    async read(rawBody) {
      const notice = body.safeParse(parseExact(rawBody.toString('utf8'))).data
      return notice === undefined ? { kind: 'unreadable' } : tell(notice)
    },
  }
}

/** Both of our providers sign the bytes of a notice with HMAC-SHA-512 and send the digest in hexadecimal. */
export function isSigned(rawBody: Buffer, secretKey: string, given: string | string[] | undefined): boolean {
  const expected = createHmac('sha512', secretKey).update(rawBody).digest('hex')
  return typeof given === 'string' && constantTimeEqual(Buffer.from(given), Buffer.from(expected))
}

export function noticeAnswer(notice: RailNotice): InboundAnswer {
  return { kind: 'notices', notices: [notice] }
}

export type ReportedStatus = NonNullable<Extract<RailNotice, { about: 'payment' }>['says']>

/** A notice identifies a payment by the reference that we gave it. */
export function toldOfPayment({ reference }: Record<string, unknown>, says: ReportedStatus): InboundAnswer {
  if (typeof reference !== 'string') return { kind: 'unreadable' }
  return noticeAnswer({ about: 'payment', railReference: reference, says })
}
