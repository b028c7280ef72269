// The server is killed while money arrives, sometimes together with its PostgreSQL. Afterwards each acknowledged
// deposit exists once and as it was shown, a deposit whose answer was lost exists at most once, and the balance is the
// sum of the deposits.

import { expect, it } from 'vitest'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { createClient, expectSuccess, type Answer, type Client } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { manilla, newMigratedDataDir, startServer, testKey } from '#tests/cli/support.ts'
import { killPostmaster } from '#tests/postgres/embedded/support.ts'
import { available, dynamicAccount, staticAccount, type Deposit } from '#tests/deposits/requests.ts'
import { freePort } from '#tests/support/launch.ts'
import { eventually, patienceMs } from '#tests/support/patience.ts'
import { createChance, moment, roundsFactor, seed } from './load.ts'

const rounds = 3 * roundsFactor
const connections = 24
const ordersPerRound = 40
const depositsMax = 20_000

type Account = { accountNumber: string; waitsFor: number | undefined }

type Load = {
  /** The key is the narration, which is different for each deposit. */
  acknowledged: Map<string, Deposit>
  sent: number
  broken: number
  wrong: string[]
}

/**
 * Pays until the connection breaks: into the customer's account, and into orders, each of which is paid several times.
 */
async function payOn(client: Client, accounts: Account[], load: Load): Promise<void> {
  for (;;) {
    if (load.sent >= depositsMax) return
    const number = (load.sent += 1)
    const account = accounts[number % accounts.length]
    if (account === undefined) throw new Error('there is no account to pay into')
    const amount = account.waitsFor ?? 1_000 + number
    const narration = `payment ${number}`
    // One in five stays PENDING for a while, until a request of its own settles it.
    const status = number % 5 === 0 ? 'PENDING' : 'SUCCESSFUL'
    const body = { accountNumber: account.accountNumber, amount, narration, status }
    if (!(await tell(client, '/v1/sandbox/deposits', body, narration, load))) return
    const { reference } = load.acknowledged.get(narration) ?? {}
    if (reference === undefined || status === 'SUCCESSFUL') continue
    const path = `/v1/sandbox/deposits/${reference}/settle`
    if (!(await tell(client, path, { status: 'SUCCESSFUL' }, narration, load))) return
  }
}

/** False when the connection broke. */
async function tell(client: Client, path: string, body: unknown, narration: string, load: Load): Promise<boolean> {
  const answer: Answer | undefined = await client.post(path, body).catch(() => undefined)
  if (answer === undefined) {
    load.broken += 1
    return false
  }
  if (answer.status === 200) load.acknowledged.set(narration, answer.body.data as Deposit)
  else if (answer.status !== 503) load.wrong.push(`${narration} was answered ${answer.status} ${answer.text}`)
  return true
}

async function everyDeposit(client: Client): Promise<Deposit[]> {
  const all: Deposit[] = []
  for (let page = 1; ; page++) {
    const answer = await client.get(`/v1/deposits?limit=100&page=${page}`)
    all.push(...(expectSuccess(answer).deposits as Deposit[]))
    if (answer.body.meta?.pagination.hasNext !== true) return all
  }
}

const brokenRules: Record<string, string> = {
  'a SUCCESSFUL deposit is credited once less its fee, and no other is': `
    select d.id, d.status, m.moved from deposit d
      left join (select source_id, array_agg(kind || ' ' || amount order by kind) as moved from ledger_movement group by source_id) m
        on m.source_id = d.id
     where m.moved is distinct from
           case when d.status = 'SUCCESSFUL' then array_remove(array['deposit ' || d.amount,
             case when d.fee > 0 then 'deposit_fee ' || d.fee end], null) end limit 20`,
  'a SUCCESSFUL deposit has one event, and no other has any': `
    select d.id, d.status, e.count from deposit d
      left join (select source_id, count(*) from event group by source_id) e on e.source_id = d.id
     where coalesce(e.count, 0) <> case d.status when 'SUCCESSFUL' then 1 else 0 end limit 20`,
  'an order is paid once at most, and is COMPLETED when it was': `
    select a.account_number, a.status, count(d.id) from virtual_account a
      left join deposit d on d.account_number = a.account_number and d.status = 'SUCCESSFUL'
     where a.type = 'dynamic' group by a.account_number, a.status
    having count(d.id) <> case a.status when 'COMPLETED' then 1 else 0 end limit 20`,
  'the places in the list are dense': `
    select tenant_id from deposit group by tenant_id having max(ordinal) <> count(*) or min(ordinal) <> 1`,
}

async function expectTrue(client: Client, load: Load, opening: number, dataDir: string): Promise<void> {
  expect(load.wrong).toEqual([])
  const deposits = await everyDeposit(client)
  const byNarration = new Map(deposits.map((deposit) => [deposit.narration, deposit]))
  expect(byNarration.size, 'no payment became two deposits').toBe(deposits.length)
  expect(deposits.length).toBeLessThanOrEqual(load.sent)
  for (const [narration, told] of load.acknowledged) {
    const { status, updatedAt, ...rest } = byNarration.get(narration) ?? {}
    // A deposit shown as on its way may have been settled by a request whose answer was lost; if it failed, it costs nothing.
    const fee = status === 'FAILED' ? 0 : told.fee
    const moved = told.status === 'PENDING' ? { ...told, fee, status, updatedAt } : told
    expect({ ...rest, status, updatedAt }).toEqual(moved)
  }
  const credited = deposits.filter(({ status }) => status === 'SUCCESSFUL')
  const sum = credited.reduce((total, { amount, fee }) => total + amount - fee, 0)
  expect(await available(client)).toBe(opening + sum)
  // Deposits fail here because their account expected one payment and was paid before.
  expect(deposits.some(({ status }) => status === 'FAILED')).toBe(true)
  const database = await openEmbeddedPostgres({ dataDir, use: 'command' })
  for (const [rule, query] of Object.entries(brokenRules))
    expect({ [rule]: await asOwner(database, query) }).toEqual({ [rule]: [] })
  const verified = await manilla(['ledger', 'verify', '--json'], { env: { DATABASE_URL: database.ownerUrl } })
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, breaches: [] })
  await database.release()
}

it(
  `deposits that were acknowledged survive kill -9, each once (seed ${seed}, ${rounds} rounds)`,
  { timeout: (1 + rounds) * patienceMs },
  async () => {
    const chance = createChance(seed)
    const [dataDir, port] = [await newMigratedDataDir(), await freePort()]
    const settings = {
      DATA_DIR: dataDir,
      PORT: String(port),
      BOOTSTRAP_TEST_KEY: testKey,
      RATE_LIMIT_PER_MINUTE: '100000000',
    }
    const client = createClient(`http://127.0.0.1:${port}/staging`, testKey)
    const load: Load = { acknowledged: new Map(), sent: 0, broken: 0, wrong: [] }
    let opening: number | undefined
    for (let round = 1; round <= rounds; round += 1) {
      const server = await startServer(settings)
      opening ??= await available(client)
      const orders = await Promise.all(Array.from({ length: ordersPerRound }, () => dynamicAccount(client)))
      const accounts: Account[] = [await staticAccount(client), ...orders].map(({ accountNumber }, index) => {
        return { accountNumber, waitsFor: index === 0 ? undefined : 250_000 }
      })
      const running = Array.from({ length: connections }, () => payOn(client, accounts, load))
      const enough = load.acknowledged.size + 100 + Math.floor(chance() * 400)
      await eventually('payments', () => Promise.resolve(load.acknowledged.size >= enough ? true : undefined))
      await moment(chance() * 20)
      const alsoPostgres = round % 2 === 0
      server.signal('SIGKILL')
      expect((await server.ended).signal).toBe('SIGKILL')
      if (alsoPostgres) await killPostmaster(dataDir)
      await Promise.all(running)
    }
    // Each round needs requests without an answer: otherwise the test proves nothing.
    expect(load.broken).toBeGreaterThanOrEqual(rounds)
    const server = await startServer(settings)
    await expectTrue(client, load, opening ?? 0, dataDir)
    client.close()
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
  },
)
