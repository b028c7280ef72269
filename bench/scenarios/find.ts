// Searches in the dashboard of a business with a million transfers: for each kind of text that finds a transfer, and
// for texts that find none. A variant reads the statement of a day. There are one or four callers, because the time of
// a search is measured and not how many searches the service can answer.

import { formatId } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { takeProgress } from '#reporting/search-index.ts'
import { addWords } from '#reporting/search-words.ts'
import { loadedId } from '#bench/deposits.ts'
import { asOwner } from '#bench/owner.ts'
import { dashboardSettings, pageHeaders, signPeopleIn } from '#bench/people.ts'
import { defineScenario, type BenchRequest } from '#bench/scenario.ts'
import { loadTransfers, sessionOf } from '#bench/tenant.ts'

const transfers = 1_000_000
const rowsPerStep = 10_000
const dayMs = 86_400_000
/** The loaded transfers are a second apart, up to now. */
const daysLoaded = Math.floor((transfers * 1_000) / dayMs)

type Facts = { business: string; preparedAtMs: number }

/**
 * The texts to search for. All transfers have the same account number, so the search for it is the most expensive one.
 */
const shapes: ((n: number) => string)[] = [
  (n) => `LOADED-${n}`,
  (n) => formatId('transfer', loadedId(n)),
  () => '0123456789',
  (n) => String(n).padStart(30, '9'),
  (n) => `NOT-THERE-${n}`,
  (n) => `+23480${String(n).padStart(8, '0')}`,
  (n) => `nobody${n}@example.ng`,
  () => 'obi ad',
  () => '₦10.00',
  (n) => `loaded-${String(n).slice(0, 3)}`,
]

function ask({ business }: Facts, sequence: number, path: string): BenchRequest {
  return { method: 'GET', path: `/dashboard/api/b/${business}/staging/${path}`, headers: pageHeaders(sequence) }
}

export const scenario = defineScenario<Facts>({
  title: 'The finder by each shape, and the statement of a day, over 1 000 000 transfers',
  connections: [1, 4],
  async prepare(rig, say) {
    const business = await createBusiness(rig.ctx, 'Bench')
    const { staging } = business.tenants
    await loadTransfers(rig, staging, transfers, say)
    await signPeopleIn(rig, business.id)
    await asOwner(rig.ownerUrl, async (owner) => {
      await owner.query(termsSql, [staging.lane, staging.id, transfers])
    })
    const list = { tenantId: staging.id, kind: 'bank_transfer' } as const
    for (let rows = rowsPerStep; rows > 0;) {
      rows = await rig.ctx.db.transaction(async (tx) => {
        const progress = await takeProgress(tx, list)
        return progress === undefined ? 0 : addWords(tx, { ...list, progress, limit: rowsPerStep })
      }, staging.lane)
    }
    await asOwner(rig.ownerUrl, async (owner) => {
      await owner.query('vacuum (analyze) search_term, search_word, search_name, person, sign_in, membership')
    })
    return { business: formatId('business', business.id), preparedAtMs: Date.now() }
  },
  request: (facts, sequence) => {
    const n = (sequence * 7_919) % transfers
    const shape = shapes[sequence % shapes.length] ?? String
    return ask(facts, sequence, `find?q=${encodeURIComponent(shape(n + 1))}`)
  },
  variants: {
    statement: (facts, sequence) => {
      const toMs = facts.preparedAtMs - (sequence % (daysLoaded - 1)) * dayMs
      const [from, to] = [toMs - dayMs, toMs].map((ms) => new Date(ms).toISOString())
      return ask(facts, sequence, `statement?from=${from}&to=${to}`)
    },
  },
  service: { roles: ['api'], settings: dashboardSettings },
  targets: [
    { figure: 'service', p99MsMost: 150 },
    { figure: 'statement', p99MsMost: 150 },
  ],
})

const termsSql = `
  insert into search_term (lane, tenant_id, term, kind, ordinal)
  select $1, $2, term, 'bank_transfer', n
    from generate_series(1, $3::bigint) as n cross join lateral (values ('0123456789'), (${sessionOf('n')})) as v (term)`
