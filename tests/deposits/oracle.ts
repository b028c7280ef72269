// A model of deposits without a database: one step after the other, in memory. It is simple, so that it is right.

export type OracleAccount = {
  number: string
  waitsFor?: { amount: number; any: boolean; expiresAtMs: number }
  /** The time at which a static account was closed. */
  closedAtMs?: number
  completed?: boolean
}

export type Word = { id: string; account: string; amount: number; status: string; paidAtMs: number }

export type OracleDeposit = Word & { reason: string | null }

export class Oracle {
  deposits = new Map<string, OracleDeposit>()
  credited = 0
  events: string[] = []
  accounts: Map<string, OracleAccount>

  constructor(accounts: OracleAccount[]) {
    this.accounts = new Map(accounts.map((account) => [account.number, account]))
  }

  hear(word: Word): string {
    const known = this.deposits.get(word.id)
    if (known === undefined) {
      const deposit = { ...word, status: 'PENDING', reason: null }
      this.deposits.set(word.id, deposit)
      this.#end(deposit, word.status)
      return 'recorded'
    }
    if (known.amount !== word.amount || known.account !== word.account) return 'contradicted'
    return this.settle(word.id, word.status)
  }

  settle(id: string, status: string): string {
    const known = this.deposits.get(id)
    if (known === undefined) return 'not-found'
    if (status === 'PENDING' || status === known.status) return 'unchanged'
    if (known.status !== 'PENDING')
      return known.reason !== null && status === 'SUCCESSFUL' ? 'unchanged' : 'contradicted'
    this.#end(known, status)
    return 'settled'
  }

  #end(deposit: OracleDeposit, status: string): void {
    if (status === 'PENDING') return
    deposit.status = status
    if (status === 'FAILED') return
    deposit.reason = this.#objection(deposit)
    if (deposit.reason !== null) {
      deposit.status = 'FAILED'
      return
    }
    const account = this.accounts.get(deposit.account)
    if (account?.waitsFor !== undefined) account.completed = true
    this.credited += deposit.amount - Math.min(Math.floor(deposit.amount / 100), 30_000)
    this.events.push(`${account?.waitsFor === undefined ? 'customer.' : ''}deposit.success ${deposit.id}`)
  }

  #objection({ account: number, amount, paidAtMs }: OracleDeposit): string | null {
    const account = this.accounts.get(number)
    const waitsFor = account?.waitsFor
    if (waitsFor === undefined)
      return account?.closedAtMs !== undefined && paidAtMs >= account.closedAtMs ? 'ACCOUNT_CLOSED' : null
    if (account?.completed === true) return 'ALREADY_PAID'
    if (paidAtMs >= waitsFor.expiresAtMs) return 'EXPIRED'
    if (waitsFor.any || amount === waitsFor.amount) return null
    return amount < waitsFor.amount ? 'UNDERPAID' : 'OVERPAID'
  }
}
