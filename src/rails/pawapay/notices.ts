// pawaPay's callbacks. Each is only a reason to ask for the status of the payment that it names, signed or not. The
// signature keeps strangers out; with `callbacks: "unsigned"` the token in the address does.

import type { Clock } from '#platform/clock.ts'
import { hourMs, minuteMs } from '#platform/durations.ts'
import { inboundNotices, noticeAnswer, type ReportedStatus } from '#rails/notices.ts'
import type { InboundNotices } from '#rails/rail.ts'
import { callbackBody } from './answers.ts'
import { hasDigestOf, isSignedBy, signatureIn, type SignatureClaim } from './http-signatures.ts'
import type { KeySet } from './keys.ts'

type CallbackOptions = { provider: string; keys: KeySet; clock: Clock; callbacks: 'signed' | 'unsigned' }

export function createNotices({ provider, keys, clock, callbacks }: CallbackOptions): InboundNotices {
  return inboundNotices({
    provider,
    async verify(headers, rawBody, address) {
      if (callbacks === 'unsigned') return 'unsigned'
      const claim = signatureIn(headers)
      if (claim === undefined || !covers(claim) || !isTimely(claim, clock.now()) || !hasDigestOf(rawBody, headers))
        return 'forged'
      const found = await keys.find(claim.keyId)
      if (found.kind === 'unavailable') return 'unavailable'
      return found.kind === 'key' && isSignedBy(found.key, claim, { ...address, headers }) ? 'genuine' : 'forged'
    },
    body: callbackBody,
    tell({ payoutId, depositId, status }) {
      const railReference = payoutId ?? depositId
      // Statements and other operations have callbacks of their own.
      if (railReference === undefined) return Promise.resolve(noticeAnswer({ about: 'other', name: 'callback' }))
      return Promise.resolve(noticeAnswer({ about: 'payment', railReference, says: words[status ?? ''] }))
    },
  })
}

const words: Partial<Record<string, ReportedStatus>> = { COMPLETED: 'succeeded', FAILED: 'failed' }

/** Without these, what was signed could be another request. */
const required = ['@method', '@path', 'content-digest']

function covers({ components }: SignatureClaim): boolean {
  return required.every((name) => components.includes(name))
}

const slackMs = minuteMs
/** A signature that does not say when it expires. */
const lifeMsMax = hourMs

function isTimely({ createdAtMs, expiresAtMs = createdAtMs + lifeMsMax }: SignatureClaim, nowMs: number): boolean {
  return createdAtMs <= nowMs + slackMs && nowMs <= Math.min(expiresAtMs, createdAtMs + lifeMsMax) + slackMs
}
