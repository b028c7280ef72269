// Requests of tests about bank transfers, and waits for their results.

import { expectSuccess, type Client } from '#tests/support/client.ts'
import { untilHolds } from '#tests/support/patience.ts'

let made = 0

/** A reference that no other request of this file has. */
export function newReference(name = 'PAYOUT'): string {
  made += 1
  return `${name}-${made}`
}

export function transferBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    reference: newReference(),
    amount: 150_000,
    bankSlug: 'guaranty-trust-bank',
    accountNumber: '0123456789',
    accountName: 'ADA OBI',
    ...changes,
  }
}

/** The number whose transfer stays queued until a test completes it. */
export const neverEnding = '9990000009'

export type Balance = { currency: string; available: number; reserved: number; ledger: number }

export async function balanceOf(client: Client): Promise<Balance> {
  return expectSuccess(await client.get('/v1/balance')).balances[0]
}

export async function untilStatus(client: Client, reference: string, status: string) {
  return untilHolds(async () => {
    const data = expectSuccess(await client.get(`/v1/transfers/${reference}`))
    if (data.status !== status) throw new Error(`${reference} is ${data.status}, not ${status}`)
    return data
  })
}

/** Resolves once the process that answers this client knows that payouts are paused, or resumed. */
export async function untilPaused(client: Client, paused: boolean): Promise<void> {
  await untilHolds(async () => {
    // An unknown bank is refused in either state, and nothing is stored.
    const { body } = await client.post('/v1/transfers/initiate', transferBody({ bankSlug: 'no-such-bank' }))
    if (body.error?.code !== (paused ? 'PAYOUTS_PAUSED' : 'INVALID_BANK')) throw new Error(`${body.error?.code}`)
  })
}
