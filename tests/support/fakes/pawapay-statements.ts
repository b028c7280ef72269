// pawaPay's statements, by "Initiate statement", "Check statement status" and the dashboard's page "Statements": a CSV
// of one wallet, made on request and downloaded from an address without our token.

import { z } from 'zod'
import type { Clock } from '#platform/clock.ts'
import type { Answer, Asked, Handler } from './provider.ts'

export type StatementRow = { country: string; id: string; amount: string; currency: string; type: string; atMs: number }

export type FakeStatements = {
  /** The rows that the wallets' statements list. */
  rows: StatementRow[]
  /** The first line of each file. */
  header: string
  /** A part of each row that makes it longer. */
  padding: string
  /** How many questions about a new statement are answered with PROCESSING. */
  slowness: number
  /** How long pawaPay takes to make one. */
  readyAfterMs: number
  /** The status in place of COMPLETED. */
  end: string
  /** Download addresses that were issued have expired. */
  isExpired: boolean
  /** How many statements were made. */
  made(): number
  handle(asked: Asked): ReturnType<Handler> | undefined
  download(asked: Asked): ReturnType<Handler> | undefined
}

const wanted = z.strictObject({
  wallet: z.strictObject({
    country: z.string().regex(/^[A-Z]{3}$/),
    currency: z.string().regex(/^[A-Z]{3}$/),
    provider: z.string().min(1).optional(),
  }),
  callbackUrl: z.url(),
  startDate: z.iso.datetime(),
  endDate: z.iso.datetime(),
  compressed: z.boolean().optional(),
})

type Made = z.output<typeof wanted> & { asked: number; atMs: number }

const daysMax = 31

export function createStatements(clock: Clock): FakeStatements {
  const all = new Map<string, Made>()
  const plainly = (work: () => Answer) => ({ act: 'answer' as const, work })
  const answer = (body: unknown): Answer => ({ status: 200, body })

  function create(body: unknown): Answer {
    const order = wanted.parse(body)
    const days = (Date.parse(order.endDate) - Date.parse(order.startDate)) / 86_400_000
    if (days <= 0 || days > daysMax) throw new Error(`a statement of ${days} days`)
    const statementId = `f4401bd2-1568-4140-bf2d-${String(all.size).padStart(12, '0')}`
    all.set(statementId, { ...order, asked: 0, atMs: clock.now() })
    return answer({ statementId, status: 'ACCEPTED', created: new Date(clock.now()).toISOString() })
  }

  function show(id: string, host: string): Answer {
    const made = all.get(id)
    if (made === undefined) return answer({ status: 'NOT_FOUND' })
    made.asked += 1
    const isReady = made.asked > statements.slowness && clock.now() - made.atMs >= statements.readyAfterMs
    const downloadUrl = isReady ? { downloadUrl: `http://${host}/files/${id}.csv` } : {}
    return answer({ status: 'FOUND', data: { status: isReady ? statements.end : 'PROCESSING', ...downloadUrl } })
  }

  function fileOf({ wallet, startDate, endDate }: Made): string {
    const [fromMs, toMs] = [Date.parse(startDate), Date.parse(endDate)]
    const lines = statements.rows
      .filter(({ country, currency }) => country === wallet.country && currency === wallet.currency)
      .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
      .map(({ country, id, amount, currency, type, atMs }) => {
        const date = new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')
        return `${date},233241234567,${id},${amount},${currency},${country},"MTN, ""MoMo""${statements.padding}",${type}`
      })
    return [statements.header, ...lines, ''].join('\r\n')
  }

  const statements: FakeStatements = {
    rows: [],
    header: 'Creation Date,MSISDN,Transaction ID,Amount,Currency,Country,MNO,Type',
    padding: '',
    slowness: 0,
    readyAfterMs: 0,
    end: 'COMPLETED',
    isExpired: false,
    made: () => all.size,
    handle({ method, path, request, body }) {
      const [, id] = /^\/v2\/statements\/([^/]+)$/.exec(path) ?? []
      if (method === 'POST' && path === '/v2/statements') return plainly(() => create(body))
      if (method === 'GET' && id !== undefined) return plainly(() => show(id, request.headers.host ?? ''))
      return undefined
    },
    download({ method, path, request }) {
      const [, id = ''] = /^\/files\/(.+)\.csv$/.exec(path) ?? []
      const made = all.get(id)
      if (method !== 'GET' || made === undefined) return undefined
      if (request.headers.authorization !== undefined) throw new Error('a store of files was shown our token')
      return plainly(() =>
        statements.isExpired ? { status: 403, body: '<Error/>' } : { status: 200, body: fileOf(made) },
      )
    },
  }
  return statements
}
