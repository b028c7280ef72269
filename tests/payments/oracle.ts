// A model of payments without a database: one step after the other, in memory. It is slow and simple, so that it is
// right.

export type Ask = { tenant: number; reference: string; amount: number; bankSlug: string }
export type Word = { tenant: number; reference: string; result: 'succeeded' | 'failed' | 'reversed' }

type Known = Ask & { fee: number; status: string; ordinal: number; events: string[]; movements: string[] }

export const knownBanks = ['access-bank', 'zenith-bank']

export class Oracle {
  payments = new Map<string, Known>()
  available: number[]
  reserved: number[]
  #counts: number[]

  constructor(balances: number[]) {
    this.available = [...balances]
    this.reserved = balances.map(() => 0)
    this.#counts = balances.map(() => 0)
  }

  accept(ask: Ask): string {
    const key = `${ask.tenant} ${ask.reference}`
    const first = this.payments.get(key)
    if (first !== undefined) {
      const same = first.amount === ask.amount && first.bankSlug === ask.bankSlug
      return same ? 'replayed' : 'differs'
    }
    if (!knownBanks.includes(ask.bankSlug)) return 'unknown-bank'
    const fee = ask.amount <= 500_000 ? 1_000 : ask.amount <= 5_000_000 ? 2_500 : 5_000
    if ((this.available[ask.tenant] ?? 0) < ask.amount + fee) return 'insufficient-balance'
    this.#move(ask.tenant, -(ask.amount + fee), ask.amount + fee)
    const ordinal = (this.#counts[ask.tenant] ?? 0) + 1
    this.#counts[ask.tenant] = ordinal
    this.payments.set(key, { ...ask, fee, status: 'queued', ordinal, events: [], movements: ['hold'] })
    return 'accepted'
  }

  settle({ tenant, reference, result }: Word): string {
    const payment = this.payments.get(`${tenant} ${reference}`)
    if (payment === undefined) return 'not-found'
    const total = payment.amount + payment.fee
    const { status } = payment
    if (status === 'queued' && result === 'succeeded') {
      this.#move(tenant, 0, -total)
      return end(payment, 'SUCCESS', 'transfer.success', ['payout', 'payout_fee'])
    }
    if (status === 'queued' && result === 'failed') {
      this.#move(tenant, total, -total)
      return end(payment, 'FAILED', 'transfer.failed', ['release'])
    }
    if (status === 'SUCCESS' && result === 'reversed') {
      this.#move(tenant, total, 0)
      return end(payment, 'REVERSED', 'transfer.reversed', ['reversal', 'fee_refund'])
    }
    const heard = { succeeded: ['SUCCESS', 'REVERSED'], failed: ['FAILED'], reversed: ['REVERSED'] }[result]
    return heard.includes(status) ? 'unchanged' : 'impossible'
  }

  #move(tenant: number, available: number, reserved: number): void {
    this.available[tenant] = (this.available[tenant] ?? 0) + available
    this.reserved[tenant] = (this.reserved[tenant] ?? 0) + reserved
  }
}

function end(payment: Known, status: string, event: string, movements: string[]): string {
  payment.status = status
  payment.events.push(event)
  payment.movements.push(...movements)
  return 'settled'
}
