// A business's receiver, written from the specification of the signature alone.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { useReceiver } from './receiver.ts'

type Arrival = {
  headers: IncomingHttpHeaders
  rawBody: Buffer
  // Tests read any field of the body, so it has no type.
  body: any // oxlint-disable-line typescript/no-explicit-any
  /** True if a secret that the business knew at that moment verified it. */
  genuine: boolean
}

export type VerifyingReceiver = {
  url: string
  /** The secrets that the business has received so far. */
  secrets: string[]
  arrivals: Arrival[]
  /** The answers, one after the other; then 200. */
  answers: number[]
  /** While set, it answers when this resolves. */
  held: Promise<void> | undefined
}

const oldestSeconds = 300

/** 1. read t and v1; 2. `<t>.<raw body>`; 3. HMAC-SHA256 with the secret; 4. compare; 5. refuse what is old. */
export function verify(header: unknown, rawBody: Buffer, secret: string, nowMs = Date.now()): boolean {
  const parts = String(header)
    .split(',')
    .map((part) => part.split('='))
  const t = parts.find(([name]) => name === 't')?.[1] ?? ''
  const age = nowMs / 1_000 - Number(t)
  if (t === '' || !(age <= oldestSeconds)) return false
  const expected = createHmac('sha256', secret).update(`${t}.`).update(rawBody).digest()
  return parts.some(([name, value = '']) => {
    const given = Buffer.from(value, 'hex')
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

/** Stays open until the test file ends. */
export async function useVerifyingReceiver(): Promise<VerifyingReceiver> {
  const plain = await useReceiver()
  const url = plain.url('/hooks')
  const receiver: VerifyingReceiver = { url, secrets: [], arrivals: [], answers: [], held: undefined }
  plain.behave('/hooks', async ({ headers, body }) => {
    const rawBody = Buffer.from(body)
    const genuine = receiver.secrets.some((secret) => verify(headers['x-webhook-signature'], rawBody, secret))
    receiver.arrivals.push({ headers, rawBody, body: JSON.parse(body), genuine })
    const status = receiver.answers.shift() ?? 200
    await receiver.held
    return { status, body: `said ${status}` }
  })
  return receiver
}
