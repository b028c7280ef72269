// A rail whose lists a test fills, and which pays out like a scripted one. A page holds two rows, so that every list
// has several pages.

import type { Clock } from '#platform/clock.ts'
import { toMoney } from '#platform/money.ts'
import type { DepositNotice, Float, InboundAnswer, Rail, Wallet } from '#rails/rail.ts'
import type { RailLine, RailStatement } from '#rails/statement.ts'
import { createTellingRail, type TellingRail } from '#tests/rail-notices/telling-rail.ts'

export type ListingRail = TellingRail & {
  statement: RailStatement
  float: Float
  lines: RailLine[]
  /** The answer to a question about money, by the rail's own id. */
  money: Map<string, DepositNotice>
  /** While true, it lists nothing. */
  isDown: boolean
  /** The balance that it reports. */
  balance: bigint
  /** Its balances in other currencies. */
  otherWallets: Wallet[]
  /** How many pages the service has asked for. */
  pages(): number
  /** Called before it answers a page. */
  onPage: () => void | Promise<void>
}

const pageLines = 2

export function createListingRail(name: string, clock: Clock): ListingRail {
  let pages = 0
  const telling = createTellingRail(name, clock)
  const rail: ListingRail = {
    ...telling,
    inbound: { ...telling.inbound, read: async (rawBody) => withKobo(await telling.inbound.read(rawBody)) },
    lines: [],
    money: new Map(),
    isDown: false,
    balance: 0n,
    otherWallets: [],
    pages: () => pages,
    onPage: () => undefined,
    float: {
      balance: () =>
        Promise.resolve({
          kind: 'known',
          wallets: [{ currency: 'NGN', amount: toMoney(rail.balance) }, ...rail.otherWallets],
        }),
    },
    statement: {
      async page({ list, fromMs, toMs, cursor }) {
        pages += 1
        await rail.onPage()
        if (rail.isDown) return { kind: 'unavailable', detail: 'no answer' }
        const inside = rail.lines.filter((line) => line.list === list && line.atMs >= fromMs && line.atMs <= toMs)
        const start = Number(cursor ?? 0)
        const end = start + pageLines
        return { kind: 'page', lines: inside.slice(start, end), next: end < inside.length ? String(end) : null }
      },
      reread({ lineId }): Promise<InboundAnswer> {
        const deposit = rail.money.get(lineId)
        if (deposit === undefined) return Promise.resolve({ kind: 'unavailable', detail: 'no answer' })
        return Promise.resolve({ kind: 'notices', notices: [{ about: 'deposit', deposit }] })
      },
    },
  }
  return rail satisfies Rail
}

/** Its notices are JSON, in which an amount is a number. */
function withKobo(answer: InboundAnswer): InboundAnswer {
  if (answer.kind !== 'notices') return answer
  const notices = answer.notices.map((notice) =>
    notice.about === 'deposit'
      ? { ...notice, deposit: { ...notice.deposit, amount: toMoney(notice.deposit.amount) } }
      : notice,
  )
  return { ...answer, notices }
}

const common = {
  fee: null,
  currency: 'NGN',
  accountNumber: null,
  country: null,
  fraction: 0,
  balanceAfter: null,
} as const

export function payoutLine(line: Partial<RailLine> & Pick<RailLine, 'reference' | 'atMs'>): RailLine {
  const { reference } = line
  const usual = { lineId: `L-${reference}`, amount: toMoney(150_000), state: 'succeeded' as const }
  return { ...common, ...usual, list: 'payouts', direction: 'out', cause: 'payout', ...line }
}

export function depositLine(line: Partial<RailLine> & Pick<RailLine, 'lineId' | 'atMs'>): RailLine {
  const usual = { reference: `T-${line.lineId}`, amount: toMoney(250_000), state: 'succeeded' as const }
  return { ...common, ...usual, list: 'deposits', direction: 'in', cause: 'deposit', ...line }
}

/** `change` is negative for money that went out. */
export function ledgerLine(
  line: Partial<RailLine> & Pick<RailLine, 'lineId' | 'atMs' | 'balanceAfter'>,
  change: bigint,
): RailLine {
  const direction = change < 0n ? ('out' as const) : ('in' as const)
  const usual = { reference: '', amount: toMoney(change < 0n ? -change : change), state: 'succeeded' as const }
  return { ...common, ...usual, list: 'ledger', direction, cause: 'other', ...line }
}
