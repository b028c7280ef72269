// What must hold in the ledger itself, each as a walk over the rows of one lane in the order of their keys.

import type { Uuid } from '#base/ids.ts'
import { accountPages, entryPages, movementSums, type AccountTotals } from './sql-verify.ts'
import type { Check } from './verify.ts'

export async function checkTotals(check: Check): Promise<void> {
  const { report, progress } = check
  for await (const { accounts, after, upTo } of accountPages(check)) {
    const sums = new Map<string, AccountTotals>()
    for await (const page of movementSums(check, after, upTo)) {
      for (const part of page.sums) addTo(sums, part)
      progress(page.movements)
    }
    for (const account of accounts) {
      compare(account, sums.get(keyOf(account)) ?? { ...account, ...nothing }, report)
      sums.delete(keyOf(account))
    }
    for (const orphan of sums.values()) {
      const ids = [nameOf(orphan)]
      report({ tenantId: orphan.tenant_id, ids, message: 'movements name an account that does not exist' })
    }
  }
}

const nothing = { debits: 0n, credits: 0n, movements: 0n }

function addTo(sums: Map<string, AccountTotals>, part: AccountTotals): void {
  const sum = sums.get(keyOf(part))
  if (sum === undefined) {
    sums.set(keyOf(part), part)
    return
  }
  sum.debits += part.debits
  sum.credits += part.credits
  sum.movements += part.movements
}

function compare(account: AccountTotals, sum: AccountTotals, report: Check['report']): void {
  const wrong = (['debits', 'credits', 'movements'] as const).filter((total) => account[total] !== sum[total])
  if (wrong.length === 0) return
  const differences = wrong.map((total) => `${total} ${account[total]} instead of ${sum[total]}`).join(', ')
  report({ tenantId: account.tenant_id, ids: [nameOf(account)], message: `${nameOf(account)} has ${differences}` })
}

export async function checkBalances(check: Check): Promise<void> {
  const { report, progress } = check
  for await (const { accounts } of accountPages(check)) {
    // All accounts of a tenant are on one page.
    const sums = new Map<string, { tenantId: Uuid; currency: string; sum: bigint }>()
    for (const { tenant_id: tenantId, currency, credits, debits } of accounts) {
      const key = `${tenantId} ${currency}`
      sums.set(key, { tenantId, currency, sum: (sums.get(key)?.sum ?? 0n) + credits - debits })
    }
    for (const { tenantId, currency, sum } of sums.values()) {
      if (sum !== 0n) report({ tenantId, ids: [currency], message: `${currency} sums to ${sum}` })
    }
    progress(accounts.length)
  }
}

export async function checkNegatives(check: Check): Promise<void> {
  const { report, progress } = check
  for await (const { accounts } of accountPages(check)) {
    for (const account of accounts) {
      const balance = account.credits - account.debits
      if (balance >= 0n || (account.name !== 'available' && account.name !== 'reserved')) continue
      report({ tenantId: account.tenant_id, ids: [nameOf(account)], message: `${nameOf(account)} is ${balance}` })
    }
    progress(accounts.length)
  }
}

export async function checkEntries(check: Check): Promise<void> {
  const { report, progress } = check
  for await (const page of entryPages(check)) {
    for (const { tenant_id: tenantId, currency, ids, count } of page.broken) {
      const message = `${currency} entries whose number or balance does not follow from the entry before`
      report({ tenantId, ids, count: Number(count), message })
    }
    progress(page.entries)
  }
}

function keyOf({ tenant_id, currency, name }: AccountTotals): string {
  return `${tenant_id} ${currency} ${name}`
}

function nameOf({ currency, name }: AccountTotals): string {
  return `${currency} ${name}`
}
