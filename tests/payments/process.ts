// The payments module of one process, without HTTP: on a database that other such processes may share, with a rail that
// answers as a test says and a clock that stands still. Timers of leased payments are vitest's fake ones where a test installs
// them; nothing here waits for real time to pass.

import { onTestFinished } from 'vitest'
import type { Clock } from '#platform/clock.ts'
import { theService, type Context, type Environment, type Tenant } from '#platform/context.ts'
import { createLanes, type Lanes } from '#platform/db/lane.ts'
import { createLog } from '#platform/observability/log.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { toMoney } from '#platform/money.ts'
import { createBusiness } from '#businesses/business.ts'
import { createInflows } from '#deposits/from-collection.ts'
import { depositFees } from '#deposits/fees.ts'
import { findBank } from '#directory/banks.ts'
import { openBook } from '#ledger/post.ts'
import { openingPostings } from '#ledger/chart.ts'
import type { AcceptCommand } from '#payments/accept.ts'
import type { BankTransferRequest } from '#payments/payment.ts'
import { payoutFeeOf, transferFees } from '#payments/fees.ts'
import { createEventOutbox } from '#events/outbox.ts'
import { createPayments, type Payments } from '#payments/service.ts'
import type { BankPayout, Rail } from '#rails/rail.ts'
import { createRailRegistry, type RailRegistry, type Routing } from '#rails/registry.ts'
import { asOwner } from '#tests/support/owner.ts'
import { patienceMs } from '#tests/support/patience.ts'
import type { TestDatabase } from '#tests/support/database.ts'
import { newReference } from './requests.ts'

export type Process = { ctx: Context; lanes: Lanes; payments: Payments; rails: RailRegistry; lines: string[] }

export type ProcessOptions = {
  database: TestDatabase
  clock: Clock
  rail?: BankPayout | undefined
  /** The other ports of that rail. */
  ports?: Pick<Rail, 'momoCollection'>
  /** These rails replace that one. */
  rails?: Rail[]
  /** Routes lead to these rails, in addition to the usual ones. */
  routing?: Routing
  leasesNew?: boolean
  leasesMax?: number
  laneOf?: (lanes: Lanes) => Lanes['of']
}

/** Starts a process whose rail serves production, so that no rule for simulated rails applies. */
export function startProcess(options: ProcessOptions): Process {
  const { database, clock, rail, ports, leasesNew = true, leasesMax = 1_000, laneOf = ({ of }) => of } = options
  const { rails: production = rail === undefined ? [] : [{ name: 'fake', payout: rail, ...ports }] } = options
  const lines: string[] = []
  const log = createLog({ level: 'info', format: 'json', write: (line) => lines.push(line) })
  const ctx: Context = { db: database.connect(), clock, log, metrics: createMetrics(), by: theService }
  const lanes = createLanes(ctx)
  const rails = createRailRegistry({
    clock,
    settleMs: 1_000,
    rails: { production },
    routing: options.routing,
    onLate: (late) => ctx.metrics.railCallsLate.inc(late),
  })
  const payments = createPayments({
    ctx,
    rails,
    laneOf: laneOf(lanes),
    events: createEventOutbox(ctx.clock),
    fees: transferFees,
    inflows: createInflows(ctx, depositFees),
    secretKeys: [Buffer.alloc(32, 7)],
    leasesNew,
    leasesMax,
  })
  onTestFinished(async () => {
    await lanes.drain()
    await ctx.db.close()
  })
  return { ctx, lanes, payments, rails, lines }
}

/** The command with which the API has a bank transfer accepted. */
export function commandFor(
  tenant: Tenant,
  request: BankTransferRequest,
  more: Partial<AcceptCommand> = {},
): AcceptCommand {
  const bank = findBank(request.bankSlug)
  const draft = { ...request, kind: 'bank_transfer' as const, bankName: bank?.name ?? '' }
  const fee = payoutFeeOf(transferFees, request.amount)
  return {
    tenant,
    draft,
    fee,
    payeeIsKnown: bank !== undefined,
    rail: { kind: 'served', rail: 'simulator' },
    isToldOf: false,
    keyId: null,
    trace: null,
    keepMs: 0,
    ...more,
  }
}

export async function createTenant(
  { ctx }: Process,
  environment: Environment = 'production',
  amount = 10_000_000n,
): Promise<Tenant> {
  const { tenants } = await createBusiness(ctx, 'Test')
  const tenant = tenants[environment]
  if (environment === 'production') await fund(ctx, tenant, amount)
  return tenant
}

/** Production begins with an empty balance. */
async function fund(ctx: Context, tenant: Tenant, amount: bigint): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const book = await openBook(tx, [tenant.id])
    const atMs = ctx.clock.now()
    book.post(tenant.id, 'NGN', { id: tenant.id, reference: 'test money', atMs }, openingPostings(toMoney(amount)))
  }, tenant.lane)
}

export function requestOf(changes: Partial<BankTransferRequest> = {}): BankTransferRequest {
  return {
    reference: newReference(),
    amount: toMoney(100_000),
    currency: 'NGN',
    bankSlug: 'guaranty-trust-bank',
    accountNumber: '0123456789',
    accountName: 'ADA OBI',
    narration: null,
    metadata: null,
    ...changes,
  }
}

export type Row = {
  id: string
  status: string
  due_at: Date | null
  submitted_at: Date | null
  rail: string
  attempts: number
  asks: number
  session_id: string | null
  failure_reason: string | null
  updated_at: Date
  created_at: Date
}

export async function rowOf(database: { ownerUrl: string }, reference: string): Promise<Row> {
  const [row] = await asOwner<Row>(database, 'select * from payment where reference = $1', [reference])
  if (row === undefined) throw new Error(`there is no payment ${reference}`)
  return row
}

export async function eventsOf(database: { ownerUrl: string }, reference: string): Promise<string[]> {
  const rows = await asOwner<{ name: string }>(
    database,
    'select name from event where reference = $1 order by created_at, id',
    [reference],
  )
  return rows.map(({ name }) => name)
}

/** Runs turns of the event loop until the condition holds. Database and lane are real; only time stands still. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const endMs = performance.now() + patienceMs
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`waited in vain until ${what}`)
    await turn()
  }
}

/** Resolves when everything that waited for its turn of the event loop has had it. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
