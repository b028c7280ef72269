// Records deposits of one business through the simulator's endpoint, in the accounts of a thousand customers. Each deposit is
// checked against its account, credited without its fee, and gets an event.
//
// The endpoint does what a provider's notice needs: it finds the owner of the number, locks the account, posts to the ledger
// and writes the event. It also looks up the key, validates the body and returns the deposit, so a notice can cost less.

import { accountNumberOf, loadAccounts } from '#bench/deposits.ts'
import { defineScenario, type BenchRequest, type Rig } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'
import { statement } from '#platform/db/db.ts'
import { depositInvariants } from '#deposits/verify.ts'
import { ledgerInvariants, verifyLedger } from '#ledger/verify.ts'

const accounts = 1_000
const requests = new Map<number, BenchRequest>()

/** The simulator gives each request another id, so the same request again is another deposit. */
function pay(key: string, sequence: number): BenchRequest {
  const index = (sequence % accounts) + 1
  const before = requests.get(index)
  if (before !== undefined) return before
  const body = {
    accountNumber: accountNumberOf(index),
    amount: 1_000,
    senderAccountName: 'CHIDI NWOSU',
    senderAccountNumber: '0123456789',
    senderBankName: 'Guaranty Trust Bank',
    narration: 'Invoice 881',
  }
  const request: BenchRequest = { method: 'POST', path: '/staging/v1/sandbox/deposits', key, body }
  requests.set(index, request)
  return request
}

const eventless = statement(
  'bench.deposits_without_event',
  `select count(*) as count from deposit d
    where lane = $1 and not exists (
      select 1 from event e where e.lane = d.lane and e.tenant_id = d.tenant_id and e.source_id = d.id)`,
)

async function proveAll({ ctx }: Rig, lane: number): Promise<void> {
  const breaches = await verifyLedger(ctx, { invariants: [...ledgerInvariants, ...depositInvariants] })
  if (breaches.length > 0) throw new Error(`the ledger does not prove: ${JSON.stringify(breaches.slice(0, 3))}`)
  const [row] = await ctx.db.query<{ count: bigint }>(eventless, [lane])
  if (row?.count !== 0n) throw new Error(`${row?.count} deposits have no event`)
}

export const scenario = defineScenario({
  title: 'POST /v1/sandbox/deposits, one busy business: money in, recorded and credited',
  connections: [256],
  async prepare(rig) {
    const { key, tenant } = await createTenant(rig)
    await loadAccounts(rig, tenant, accounts)
    return { key, lane: tenant.lane }
  },
  request: ({ key }, sequence) => pay(key, sequence),
  service: { roles: ['api'] },
  naive: true,
  // In 20 s the service records about 130 000 deposits: 6 700 a second (docs/sizes.md).
  secondsLeast: 20,
  verify: (rig, { lane }) => proveAll(rig, lane),
  targets: [
    { figure: 'service', of: 'echo', atLeast: 0.35 },
    { figure: 'service', of: 'naive', atLeast: 4 },
    { figure: 'service', megabytesMost: 300 },
  ],
})
