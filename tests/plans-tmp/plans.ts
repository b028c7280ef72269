import pg from 'pg'
import { openEmbeddedPostgres } from '#embedded/open.ts'
import { migrate } from '#migrations/migrate.ts'
import { withDatabase } from '#tests/support/global-setup.ts'
import * as sql from '#payments/sql.ts'
import * as lists from '#payments/sql-lists.ts'
import * as status from '#payments/sql-status-lists.ts'
import * as verify from '#payments/sql-verify.ts'
import * as entries from '#ledger/sql-entries.ts'

const analyze = process.argv[2] === 'analyze'
const total = Number(process.argv[3] ?? 1_000_000)
const only = process.argv[4]
const postgres = await openEmbeddedPostgres({ dataDir: '/tmp/plans/data', use: 'command', durable: false })
const admin = new pg.Client({ connectionString: postgres.ownerUrl })
await admin.connect()
const name = analyze ? 'plans_a' : 'plans_b'
await admin.query(`drop database if exists ${name} with (force)`)
await admin.query(`create database ${name}`)
await admin.end()
const url = withDatabase(postgres.ownerUrl, name)
await migrate(url)
const c = new pg.Client({ connectionString: url, options: '-c plan_cache_mode=force_custom_plan -c TimeZone=UTC -c jit=on' })
await c.connect()
for (const t of ['payment', 'event', 'ledger_movement', 'ledger_account', 'tenant']) await c.query(`alter table ${t} set (autovacuum_enabled=false)`)
const big = '01a1fc00-0000-7000-8000-000000000001'
await c.query(`insert into business values ('${big}', 'Big', now())`)
await c.query(`insert into tenant values (1, '${big}', '${big}', 'staging', now())`)
await c.query(`insert into business select ('02a1fc00-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, 'x', now() from generate_series(1, 100) i`)
await c.query(`insert into tenant select 1, id, id, 'staging', now() from business where name = 'x'`)
await c.query(`insert into ledger_account (lane, tenant_id, currency, name) select 1, id, 'NGN', n from tenant, unnest(array['available','reserved','rail','fees','opening']) n`)
const gen = (tenant: string, from: number, to: number, spread: string) => `insert into payment (lane, tenant_id, reference, id, kind, ordinal, status, currency, amount, fee, bank_slug, bank_name, account_number, account_name, narration, metadata, session_id, failure_reason, created_at, updated_at, completed_at, due_at, submitted_at, asks)
 select 1, ${tenant}, 'PAYOUT-' || i, (lpad(to_hex((1780000000000 + i*10)::bigint), 12, '0') || '-7000-8000-' || lpad(to_hex(i::bigint), 12, '0'))::uuid, 'bank_transfer', i, s, 'NGN', 150000, 1000, 'access-bank', 'Access Bank', '0123456789', 'ADA OBI', null, '{"orderId":"881"}',
  case when s in ('SUCCESS','REVERSED') then lpad(i::text, 30, '9') end, case when s = 'FAILED' then 'DO_NOT_HONOR' end,
  timestamptz '2026-01-01' + i * interval '10 ms', timestamptz '2026-01-01' + i * interval '10 ms' + interval '1 s', case when s <> 'queued' then timestamptz '2026-01-01' + i * interval '10 ms' + interval '1 s' end,
  case when s = 'queued' then timestamptz '2026-01-01' + i * interval '10 ms' + interval '11 s' end, timestamptz '2026-01-01' + i * interval '10 ms', 0
 from (select i, case when i % 100 < 4 then 'FAILED' when i % 100 = 4 then 'REVERSED' when i % 100 = 5 then 'queued' else 'SUCCESS' end as s from generate_series(${from}, ${to}) i) g ${spread}`
// In batches within this one connection, as a service grows it.
for (let from = 1; from <= total; from += 50_000) await c.query(gen(`'${big}'::uuid`, from, Math.min(total, from + 49_999), ''))
await c.query(gen('t.id', 1, 1000, `cross join (select id from tenant where id <> '${big}') t`))
await c.query(`insert into ledger_movement (lane, tenant_id, id, currency, debit, credit, amount, kind, source_id, reference, entry, balance_after, created_at)
 select 1, p.tenant_id, ('03' || substr(md5(p.reference || p.tenant_id || m.kind), 3, 30))::uuid, 'NGN', m.debit, m.credit, m.amount, m.kind, p.id, p.reference, case when m.kind='hold' then p.ordinal end, case when m.kind='hold' then 1 end, p.created_at
 from payment p cross join lateral (values ('hold','available','reserved', p.amount+p.fee, true), ('payout','reserved','rail',p.amount,p.status in ('SUCCESS','REVERSED')),('payout_fee','reserved','fees',p.fee,p.status in ('SUCCESS','REVERSED'))) as m (kind, debit, credit, amount, due) where m.due`)
await c.query(`insert into event select 1, tenant_id, id, case status when 'FAILED' then 'transfer.failed' else 'transfer.success' end, id, reference, '{}', created_at from payment where status <> 'queued'`)
if (analyze) await c.query('vacuum analyze')
console.log('made', total, analyze ? 'analyzed' : 'never analyzed', (await c.query('select pg_size_pretty(pg_total_relation_size(\'payment\')) as s')).rows[0].s)

async function explain(st: { name: string; text: string }, values: readonly unknown[], label = '') {
  if (only !== undefined && !st.name.includes(only)) return []
  await c.query('begin')
  const run = () => c.query(`explain (analyze, buffers, format json) ${st.text}`, values as unknown[])
  await run().catch((e) => console.log(st.name, e.message))
  await c.query('rollback; begin')
  const { rows } = await run()
  await c.query('rollback')
  const plan = rows[0]['QUERY PLAN'][0]
  const scans: string[] = []
  const walk = (n: any) => {
    if (/Scan/.test(n['Node Type']) && n['Relation Name']) scans.push(`${n['Node Type']} ${n['Index Name'] ?? n['Relation Name']} rows=${Math.round(n['Actual Rows'])} loops=${n['Actual Loops']}${n['Rows Removed by Filter'] ? ' removed=' + n['Rows Removed by Filter'] : ''}`)
    for (const k of n.Plans ?? []) walk(k)
  }
  walk(plan.Plan)
  console.log(`${st.name} ${label}: ${plan['Execution Time'].toFixed(2)} ms (plan ${plan['Planning Time'].toFixed(2)}), buffers ${plan.Plan['Shared Hit Blocks'] + plan.Plan['Shared Read Blocks']}\n    ${scans.join('\n    ')}`)
  return []
}
let label = ''
const db: any = { query: async (st: any, values: any) => { await explain(st, values, label); return [] }, send: (st: any, values: any) => { pending.push(() => explain(st, values, l)); const l = label } }
const pending: (() => Promise<unknown>)[] = []
const flush = async () => { for (const p of pending.splice(0)) await p() }
const tenant: any = { lane: 1, id: big, environment: 'staging' }
const pick = (count: number, f = 37) => Array.from({ length: count }, (_, i) => ({ tenantId: big, reference: `PAYOUT-${((i * f * 97) % total) + 1}` }))
const d = (ms: number) => new Date(Date.parse('2026-01-01') + ms)
for (const n of [1, 256]) {
  label = `${n} keys`
  await sql.findPayments(db, 1, pick(n) as any)
  await sql.lockPayments(db, 1, pick(n) as any)
}
label = ''
await sql.lastOrdinals(db, 1, [big] as any, 'bank_transfer')
const mk = (i: number): any => ({ lane: 1, tenantId: big, reference: `NEW-${i}`, id: `04a1fc00-0000-7000-8000-${String(i).padStart(12, '0')}`, ordinal: BigInt(total + i), currency: 'NGN', amount: 1n, fee: 1n, bankSlug: 'a', bankName: 'b', accountNumber: '0123456789', accountName: 'x', narration: null, metadata: null, createdAt: d(0), dueAt: d(0), submittedAt: null })
label = '256 rows'
sql.insertPayments(db, 1, 'bank_transfer', Array.from({ length: 256 }, (_, i) => mk(i + 1)))
const queued = Array.from({ length: 256 }, (_, i) => ({ lane: 1, tenantId: big, reference: `PAYOUT-${((i * 31) % (total / 100)) * 100 + 5}` }))
sql.endPayments(db, 1, queued.map((payment) => ({ payment, status: 'SUCCESS', sessionId: '9', failureReason: null, at: d(1e11), dueAt: null })) as any)
sql.postponePayments(db, 1, queued.map((q) => { const i = Number(q.reference.slice(7)); return { ...q, heldUntil: d(i * 10 + 11_000), dueAt: d(1e11), asks: 1, submittedAt: null } }) as any)
await flush()
label = '512 of 1 % due'
await sql.claimPayments(db, 1, d(1e12), d(2e12), 512)
label = 'nothing due'
await sql.claimPayments(db, 1, d(-1e9), d(2e12), 512)
label = ''
await lists.lastOrdinal(db, tenant, 'bank_transfer')
await lists.countBefore(db, tenant, 'bank_transfer', d(5_000_000), BigInt(total))
for (const [l, high] of [['first page', total], ['deep page', 20 + 100]] as const) { label = l; await lists.readPage(db, tenant, 'bank_transfer', { high: BigInt(high), low: BigInt(high - 20) }) }
const all = { low: 0n, high: BigInt(total) }
for (const s of ['SUCCESS', 'FAILED', 'REVERSED', 'queued'] as const) {
  const count = { SUCCESS: 0.94, FAILED: 0.04, REVERSED: 0.01, queued: 0.01 }[s] * total
  label = `${s} first`; await status.readPageOfStatus(db, tenant, 'bank_transfer', s, all, { offset: 0, limit: 20 })
  label = `${s} deep`; await status.readPageOfStatus(db, tenant, 'bank_transfer', s, all, { offset: count - 40, limit: 20 })
}
label = ''
await entries.lastEntry(db, tenant, 'NGN')
await entries.countEntriesBefore(db, tenant, 'NGN', d(5_000_000), BigInt(total))
for (const [l, high] of [['first page', total], ['deep page', 120]] as const) { label = l; await entries.readEntryRows(db, tenant, 'NGN', { high: BigInt(high), low: BigInt(high - 20) }) }
label = '20000 rows'
const walk = { tx: db, lane: 1, rowsPerPage: 20_000 }
for (const g of [verify.movementPages, verify.wantedPages, verify.eventPages, verify.orphanPages, verify.ordinalPages, verify.reservedPages]) for await (const _ of g(walk)) { /* nothing */ break }
await verify.findCulprits(walk, big as any, 100)
await c.end()
await postgres.release()
