// The names of statuses on screen, and one of six styles for each. A word and a shape carry the meaning; the color
// repeats it.

export type Tone = 'done' | 'moving' | 'asks' | 'failed' | 'back' | 'idle'
export type StatusLook = { tone: Tone; words: string }

const looks = new Map<string, StatusLook>(
  Object.entries({
    SUCCESS: { tone: 'done', words: 'Succeeded' },
    SUCCESSFUL: { tone: 'done', words: 'Succeeded' },
    delivered: { tone: 'done', words: 'Delivered' },
    ACTIVE: { tone: 'done', words: 'Active' },
    active: { tone: 'done', words: 'Active' },
    COMPLETED: { tone: 'done', words: 'Paid' },
    enabled: { tone: 'done', words: 'Enabled' },
    done: { tone: 'done', words: 'Done' },
    closed: { tone: 'done', words: 'Closed' },
    ok: { tone: 'done', words: 'Works' },
    queued: { tone: 'moving', words: 'Queued' },
    PENDING: { tone: 'moving', words: 'Pending' },
    pending: { tone: 'moving', words: 'Pending' },
    asked: { tone: 'moving', words: 'Started' },
    OTP_REQUIRED: { tone: 'asks', words: 'Code needed' },
    editing: { tone: 'idle', words: 'Draft' },
    waiting: { tone: 'asks', words: 'Needs approval' },
    approved: { tone: 'moving', words: 'Sending' },
    scheduled: { tone: 'done', words: 'Scheduled' },
    paused: { tone: 'idle', words: 'Paused' },
    late: { tone: 'asks', words: 'Late' },
    unreadable: { tone: 'failed', words: 'Stopped' },
    ended: { tone: 'idle', words: 'Ended' },
    rejected: { tone: 'failed', words: 'Rejected' },
    unsent: { tone: 'moving', words: 'Not sent yet' },
    open: { tone: 'asks', words: 'Open' },
    expiring: { tone: 'asks', words: 'Ending' },
    refused: { tone: 'asks', words: 'Refused' },
    'half-open': { tone: 'asks', words: 'Trying again' },
    FAILED: { tone: 'failed', words: 'Failed' },
    failed: { tone: 'failed', words: 'Failed' },
    retrying: { tone: 'asks', words: 'Retrying' },
    failing: { tone: 'failed', words: 'Failing' },
    stopped: { tone: 'failed', words: 'Stopped' },
    misconfigured: { tone: 'failed', words: 'Misconfigured' },
    REVERSED: { tone: 'back', words: 'Returned' },
    RETURNED: { tone: 'back', words: 'Returned' },
    returned: { tone: 'back', words: 'Returned' },
    EXPIRED: { tone: 'idle', words: 'Expired' },
    expired: { tone: 'idle', words: 'Expired' },
    CLOSED: { tone: 'idle', words: 'Closed' },
    DISABLED: { tone: 'idle', words: 'Disabled' },
    disabled: { tone: 'idle', words: 'Disabled' },
    revoked: { tone: 'idle', words: 'Revoked' },
    ERASED: { tone: 'idle', words: 'Erased' },
    waived: { tone: 'idle', words: 'Waived' },
  } satisfies Record<string, StatusLook>),
)

/** A status of a later version is shown as the server calls it. */
export function lookOf(status: string): StatusLook {
  return looks.get(status) ?? { tone: 'idle', words: status }
}

/** A sentence of the service with its codes in words: "It failed: invalid account." */
export function sayCodes(sentence: string): string {
  return sentence.replaceAll(/\b(?:[A-Z]+(?:_[A-Z]+)+|DUPLICATE|EXPIRED)\b/g, (code) => sayReason(code).toLowerCase())
}

/** A failure reason of the API in words: INVALID_ACCOUNT → `Invalid account`. */
export function sayReason(reason: string): string {
  const words = reason
    .replaceAll('_', ' ')
    .toLowerCase()
    .replace(/^otp\b/, 'code')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
