// Proves for `ledger verify` that the hourly figures are the sums of payments and deposits. Also recounts the figures
// of a tenant, after a migration that added figures or after tampering.

import { type Side, checkSides } from '#ledger/digests.ts'
import { type Invariant, pageOf, scanPages, type TableScan } from '#ledger/table-scan.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { isConflict, isUniqueViolation, statement, type Tx } from '#platform/db/db.ts'
import { hourMs } from '#platform/durations.ts'
import { firstUuid, type Uuid } from '#platform/ids.ts'
import { durationColumns, durations } from '#stats/stats.ts'

type Rebuilt = {
  before: Date
  rows: number
}

const attemptsMax = 5

/**
 * Leaves out the current hour and the one before it, because running batches still add to their figures. A return adds
 * to the hour of the success that it undoes, also beside the recount: if both write the same new row, the recount
 * begins again. It does not lock the tenant, whose payments would wait for seconds.
 */
export async function rebuildFigures({ db, clock }: Context, tenant: Tenant): Promise<Rebuilt> {
  const before = new Date(Math.floor(clock.now() / hourMs) * hourMs - hourMs)
  for (let attempt = 1; ; attempt++) {
    try {
      return { before, rows: await db.transaction((tx) => countAnew(tx, tenant.id, before), tenant.lane) }
    } catch (error) {
      if (attempt === attemptsMax || !(isUniqueViolation(error) || isConflict(error))) throw error
    }
  }
}

export const figureInvariants: Invariant[] = [
  {
    name: 'the figures of each hour are what payments and deposits amount to',
    run: (check) =>
      checkSides(check, {
        found: counted,
        wanted: toBeCounted,
        findCulprits: findWrongFigures,
        tell,
        name: 'figures and payments',
      }),
  },
]

function tell({ hour, kind, outcome, reason }: WrongFigure): { id: string; message: string } {
  const id = [hour.toISOString(), kind, outcome, reason].filter((part) => part !== '').join(' ')
  return { id, message: 'figures of these hours differ; manilla figures rebuild counts them anew' }
}

// SQL that compares the figures with the payments and deposits that they count, and that recounts them
// (docs/adr/0022-figures-are-counted-in-the-batch.md). The counting rules are written here a second time, on purpose.

const tookUntil = (at: string): string => `(extract(epoch from ${at} - created_at) * 1000)::bigint`
const took = tookUntil('succeeded')

const ofPayments = (rows: string): string =>
  `select p.tenant_id, h.at, p.kind, p.currency, h.outcome, h.reason, p.amount, h.fee, h.ms
     from (select *, coalesce(succeeded_at, completed_at) as succeeded from ${rows} as rows) as p
    cross join lateral (values
      (created_at, 'accepted', '', 0, null, true),
      (succeeded, 'succeeded', '', fee, ${took}, status in ('SUCCESS', 'REVERSED')),
      (completed_at, 'failed', failure_reason, 0, ${took}, status = 'FAILED'),
      (expired_at, 'failed', expired_as, 0, ${tookUntil('expired_at')}, expired_at is not null),
      (completed_at, 'returned', '', fee, null, status = 'REVERSED'),
      (succeeded, 'success_undone', '', 0, null, status = 'REVERSED'),
      (expired_at, 'failure_undone', expired_as, 0, null, expired_at is not null)) as h (at, outcome, reason, fee, ms, is_so)
    where h.is_so`

/** The money of a collection counts with the collection, not with its deposit. */
const ofDeposits = (rows: string): string =>
  `select d.tenant_id, h.at, 'deposit' as kind, d.currency, h.outcome, h.reason, d.amount, h.fee, null::bigint as ms
     from ${rows} as d
    cross join lateral (values
      (created_at, 'accepted', '', 0, true),
      (updated_at, 'succeeded', '', fee, status = 'SUCCESSFUL'),
      (updated_at, 'failed', coalesce(return_reason, ''), 0, status = 'FAILED')) as h (at, outcome, reason, fee, is_so)
    where h.is_so and account_number <> ''`

const hourOf = `date_trunc('hour', at, 'UTC')`
const limits = durations.flatMap(([, belowMs]) => (Number.isFinite(belowMs) ? [String(belowMs)] : []))
/** The index of one of thirteen duration counts, from 0; null if the payment has no duration. */
const bucket = `width_bucket(ms, array[${limits.join(', ')}]::bigint[])`
const group = `extract(epoch from hour)::bigint, kind, currency, outcome, reason`

/**
 * A digest of sums: each number of a figure, multiplied by the hash of its name. So it does not matter in how many
 * parts the numbers were added up, and two sides with equal digests have equal numbers.
 */
const times = (number: string, what: string): string =>
  `${number} * hashtextextended(concat_ws(' ', ${what}, ${group}), 0)::numeric`
const isLate = `hour + interval '1 hour' > $6::timestamptz`

const happenedParts = (happened: string): string =>
  `select tenant_id as "tenantId", ${isLate} as "isLate", count(*) as count,
          sum(${times('1', `'n'`)} + ${times('amount', `'a'`)} + ${times('fee', `'f'`)}
            + case when ms is null then 0 else ${times('1', bucket)} end)::text as digest
     from (select *, ${hourOf} as hour from (${happened}) as h) as happened group by tenant_id, ${isLate}`

const wantedOfPayments = statement(
  'payments.verify_figures_wanted',
  pageOf({
    table: 'payment',
    key: 'reference',
    columns: `kind, currency, status, amount, fee, failure_reason, created_at, completed_at, succeeded_at, expired_at,
      expired_as`,
    parts: happenedParts(ofPayments('page')),
  }),
)

const wantedOfDeposits = statement(
  'payments.verify_figures_deposits',
  pageOf({
    table: 'deposit',
    key: 'id',
    columns: 'currency, status, amount, fee, return_reason, account_number, created_at, updated_at',
    parts: happenedParts(ofDeposits('page')),
  }),
)

const found = statement(
  'payments.verify_figures',
  pageOf({
    table: 'hourly_stat',
    key: 'hour',
    columns: `kind, currency, outcome, reason, count, amount, fees, ${durationColumns.join(', ')}`,
    parts: `select tenant_id as "tenantId", ${isLate} as "isLate", sum(count)::bigint as count,
          sum(${[times('count', `'n'`), times('amount', `'a'`), times('fees', `'f'`)].join(' + ')}
            + ${durationColumns.map((column, index) => times(column, String(index))).join(' + ')})::text as digest
       from page group by tenant_id, ${isLate}`,
  }),
)

export const counted: Side = (walk, until) => scanPages(found, '-infinity', walk, until)

export const toBeCounted: Side = async function* (walk, until) {
  yield* scanPages(wantedOfPayments, '', walk, until)
  yield* scanPages(wantedOfDeposits, firstUuid, walk, until)
}

const tookOf = durationColumns.map((_, index) => `count(*) filter (where ${bucket} = ${index}) as took_${index}`)
const mine = 'where lane = $1 and tenant_id = $2'

const anew = `
  select hour, kind, currency, outcome, reason, count(*) as count, sum(amount) as amount, sum(fee) as fees, ${tookOf.join(', ')}
    from (select *, ${hourOf} as hour from (
            ${ofPayments(`(select * from payment ${mine})`)}
            union all
            ${ofDeposits(`(select * from deposit ${mine})`)}) as h) as happened
   group by hour, kind, currency, outcome, reason`

const numbers = `count, amount, fees, ${durationColumns.join(', ')}`

// Joins all rows of a tenant, so it runs only after a mismatch.
const culprits = statement(
  'payments.figure_culprits',
  `with wanted (hour, kind, currency, outcome, reason, ${numbers}) as (${anew}),
     found as (select hour, kind, currency, outcome, reason, ${numbers} from hourly_stat ${mine})
   select hour, kind, outcome, reason, count(*) over () as total
     from wanted as w full join found using (hour, kind, currency, outcome, reason)
    where (${numbers.replaceAll(/\w+/g, 'w.$&')}) is distinct from (${numbers.replaceAll(/\w+/g, 'found.$&')})
    order by hour, kind, outcome, reason limit $3`,
)

type WrongFigure = { hour: Date; kind: string; outcome: string; reason: string; total: bigint }

function findWrongFigures({ lane }: TableScan, tenantId: Uuid, limit: number): Promise<WrongFigure[]> {
  return lane.query<WrongFigure>(culprits, [lane.lane, tenantId, limit])
}

const clear = statement('payments.clear_figures', `delete from hourly_stat ${mine} and hour < $3`)

const fill = statement(
  'payments.fill_figures',
  `insert into hourly_stat (lane, tenant_id, hour, kind, currency, outcome, reason, ${numbers})
   select $1, $2, anew.* from (${anew}) as anew where hour < $3 returning 1`,
)

async function countAnew(tx: Tx, tenantId: Uuid, before: Date): Promise<number> {
  const values = [tx.lane, tenantId, before]
  tx.send(clear, values)
  return (await tx.query(fill, values)).length
}
