// The server is killed at calls to two providers, also between an answer and its record, and each time it starts with
// other routes, or without the provider that has a payment. Each payout is paid once, by the rail that has it in the
// end, and incoming money goes back once.

import { afterAll, expect, it } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { lagosTextOf } from '#rails/monnify/answers.ts'
import { newCustomer } from '#tests/deposits/requests.ts'
import { transferBody } from '#tests/payments/requests.ts'
import { createClient, expectSuccess, type Client } from '#tests/support/client.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { monnifyContract } from '#tests/support/fakes/monnify-accounts.ts'
import { monnifyKeys, startFakeMonnify } from '#tests/support/fakes/monnify.ts'
import { paystackTestKey, startFakePaystack } from '#tests/support/fakes/paystack.ts'
import { asOwner } from '#tests/support/owner.ts'
import { patienceMs } from '#tests/support/patience.ts'
import { startService } from '#tests/support/service.ts'
import { expectBooksRight } from './proof.ts'
import { startStrikingProxy, type Strike, type When } from './striking-proxy.ts'
import { holdRecords, passTime, startWith, untilFinished, untilStruck, writeRailsFile, type Reached } from './struck.ts'

const database = await useTestDatabase()
const [paystack, monnify] = [await startFakePaystack(), await startFakeMonnify(systemClock)]
const proxies = { paystack: await startStrikingProxy(paystack.url), monnify: await startStrikingProxy(monnify.url) }
afterAll(() => Promise.all([proxies.paystack, proxies.monnify, paystack, monnify].map((one) => one.close())))

const common = { environment: 'staging', emailDomain: 'pay.example.com' }
const rails = {
  paystack: { kind: 'paystack', ...common, secretKey: paystackTestKey, baseUrl: proxies.paystack.url },
  monnify: { kind: 'monnify', ...common, ...monnifyKeys, contractCode: monnifyContract, baseUrl: proxies.monnify.url },
}
type RailName = keyof typeof rails

const [little, much] = [150_000, 250_000]
const fileOf = (there: Partial<typeof rails>, payout: unknown[]): Promise<string> =>
  writeRailsFile({
    rails: there,
    routes: { staging: { NGN: { payout, 'virtualAccounts.static': [{ rail: Object.keys(there)[0] }] } } },
  })
const shared = (first: RailName, second: RailName) => [
  { rail: first, maxAmount: little },
  { rail: second, minAmount: little + 1 },
]
const files = {
  whole: await fileOf(rails, shared('paystack', 'monnify')),
  swapped: await fileOf(rails, shared('monnify', 'paystack')),
  'without Monnify': await fileOf({ paystack: rails.paystack }, [{ rail: 'paystack' }]),
  'without Paystack': await fileOf({ monnify: rails.monnify }, [{ rail: 'monnify' }]),
}
type FileName = keyof typeof files

/** An amount that the routes of the file send to the rail. */
function amountFor(file: FileName, rail: RailName): number {
  return (file === 'swapped') === (rail === 'monnify') ? little : much
}

type Step = { file: FileName; rail: RailName; call: RegExp; when: When; work?: 'money'; isLater?: boolean }

/** `isLater`: armed once its work has begun, because earlier work makes the same call. */
const steps: Step[] = [
  { file: 'whole', rail: 'monnify', call: /^POST .*\/login$/, when: 'before' },
  { file: 'swapped', rail: 'monnify', call: /^GET .*\/validate$/, when: 'after' },
  { file: 'whole', rail: 'monnify', call: /^POST .*\/single$/, when: 'before' },
  { file: 'without Monnify', rail: 'paystack', call: /^POST \/transfer$/, when: 'after' },
  { file: 'without Paystack', rail: 'monnify', call: /^POST .*\/single$/, when: 'after' },
  { file: 'swapped', rail: 'paystack', call: /^POST \/transfer$/, when: 'heard' },
  { file: 'without Paystack', rail: 'monnify', call: /^POST .*\/single$/, when: 'heard' },
  { file: 'swapped', rail: 'monnify', call: /^GET .*\/summary$/, when: 'before', isLater: true },
  { file: 'whole', rail: 'monnify', call: /^GET .*\/summary$/, when: 'heard', isLater: true },
  { file: 'without Monnify', rail: 'paystack', call: /^GET \/transfer\/verify\//, when: 'heard', isLater: true },
  { file: 'without Paystack', rail: 'monnify', work: 'money', call: /^GET .*\/v2\/transactions\//, when: 'heard' },
  { file: 'whole', rail: 'monnify', work: 'money', call: /^POST .*\/initiate-refund$/, when: 'after' },
  { file: 'swapped', rail: 'monnify', work: 'money', call: /^POST .*\/initiate-refund$/, when: 'heard' },
]

it('pays once, by the rail that has it, and sends back once', { timeout: steps.length * patienceMs }, async () => {
  const { key, accountNumber } = await prepare()
  for (const [number, { file, rail, call, when, work, isLater = false }] of steps.entries()) {
    const server = await startWith(database, files[file])
    const client = createClient(`http://127.0.0.1:${server.port}/staging`, key)
    // The rail tells the end of the payment only when it is asked, after the test is ready to kill the server.
    if (isLater) fateOf(number, 'pending')
    const strike = () =>
      proxies[rail].arm(
        call,
        when,
        killing(() => server.signal('SIGKILL'), when),
      )
    // The caller may get no answer, because the server is dead by then.
    const begin = () =>
      (work === 'money' ? payIn(client, number, accountNumber) : payOut(client, number, amountFor(file, rail))).catch(
        () => {},
      )
    if (isLater) await begin()
    const struck = untilStruck(database, strike(), `${number}: ${when} ${call.source}`)
    fateOf(number, 'success')
    await (isLater ? struck : Promise.all([struck, begin()]))
    expect((await server.ended).signal, call.source).toBe('SIGKILL')
    client.close()
    // A payment waits while its rail is missing, so none has failed.
    expect(await asOwner(database, "select 1 from payment where status = 'FAILED'")).toEqual([])
    await passTime(database, await reached())
  }
  const last = await startWith(database, files.whole)
  // The provider sends a notice again if the server died before it stored the notice.
  const client = createClient(`http://127.0.0.1:${last.port}/staging`, key)
  for (const [number, { work }] of steps.entries())
    if (work === 'money') await tellOf(client, `MNFY|${900_000 + number}`, accountNumber)
  client.close()
  await untilFinished(database)
  await expectOnce()
  await expectBooksRight(database)
  last.signal('SIGTERM')
  expect(await last.ended).toMatchObject({ code: 0 })
})

/** With `heard`, blocks the recording of the answer before the kill. */
function killing(kill: () => void, when: When): Strike {
  if (when !== 'heard') return { strike: kill }
  let held: Awaited<ReturnType<typeof holdRecords>> | undefined
  return {
    async prepare() {
      held = await holdRecords(database)
    },
    async strike() {
      await held?.untilAwaited()
      kill()
      await held?.release()
    },
  }
}

async function reached(): Promise<Reached> {
  const rows = await asOwner<{ account: string }>(database, 'select distinct account_number as account from payment')
  const have = (account: string): boolean =>
    paystack.transfersTo(account).length + monnify.transfersTo(account).length > 0
  const refunds = monnify.refunds.made().map(({ transaction }) => transaction)
  return { accounts: rows.map(({ account }) => account).filter(have), refunds }
}

async function expectOnce(): Promise<void> {
  const paid = await asOwner<{ account_number: string; rail: string }>(
    database,
    'select account_number, rail from payment order by ordinal',
  )
  expect(paid.length).toBeGreaterThan(steps.length / 2)
  const times = paid.map(({ account_number: account }) => ({
    paystack: paystack.transfersTo(account).length,
    monnify: monnify.transfersTo(account).length,
  }))
  expect(times).toEqual(paid.map(({ rail }) => ({ paystack: 0, monnify: 0, [rail]: 1 })))
  const came = await asOwner<{ provider_id: string }>(database, 'select provider_id from deposit')
  expect(came).toHaveLength(steps.filter(({ work }) => work === 'money').length)
  const sentBack = monnify.refunds.made().map(({ transaction }) => transaction)
  expect(sentBack.toSorted()).toEqual(came.map((row) => row.provider_id).toSorted())
  for (const { faults, repeats, refunds } of [paystack, monnify])
    expect([faults, repeats, refunds.repeats]).toEqual([[], [], []])
}

/** Makes a closed account of a customer at Monnify: money that comes there goes back. */
async function prepare(): Promise<{ key: string; accountNumber: string }> {
  const settings = { RAILS_FILE: files['without Paystack'] }
  const before = await startService({ database, settings, roles: ['api'] })
  const { reference: customerReference } = await newCustomer(before.staging, { bvn: '22222222222' })
  const opened = await before.staging.post('/v1/virtual-accounts/static', { customerReference })
  const { accountNumber } = expectSuccess(opened) as { accountNumber: string }
  expectSuccess(await before.staging.delete(`/v1/virtual-accounts/${accountNumber}`))
  await before.stop()
  await leaveListsAlone()
  return { key: before.testKey, accountNumber }
}

/** A process that fetches lists also logs in, so the call that the test waits for may be over already. */
async function leaveListsAlone(): Promise<void> {
  await asOwner(
    database,
    `insert into rail_check (environment, rail, loop, due_at, began_at)
     select 'staging', rail, loop, now() + interval '1 day', now()
       from unnest(array['paystack', 'monnify']) as rail cross join unnest(array['near', 'close']) as loop`,
  )
}

async function payOut(client: Client, number: number, amount: number): Promise<void> {
  const body = transferBody({ accountNumber: String(1_000_000_000 + number), amount })
  await client.post('/v1/transfers/initiate', body)
}

function fateOf(number: number, fate: 'pending' | 'success'): void {
  const account = String(1_000_000_000 + number)
  paystack.script(account, { fate })
  monnify.script(account, { fate: fate.toUpperCase() })
}

async function payIn(client: Client, number: number, accountNumber: string): Promise<void> {
  const reference = `MNFY|${900_000 + number}`
  const paidOn = lagosTextOf(Date.now())
  monnify.pay({ reference, naira: '2500.00', paidOn })
  await tellOf(client, reference, accountNumber)
}

/** Sends a notice about incoming money; it may be repeated. */
async function tellOf(client: Client, transactionReference: string, accountNumber: string): Promise<void> {
  const eventData = {
    transactionReference,
    paymentMethod: 'ACCOUNT_TRANSFER',
    destinationAccountInformation: { accountNumber },
  }
  const { headers, rawBody } = monnify.sign(JSON.stringify({ eventType: 'SUCCESSFUL_TRANSACTION', eventData }))
  await client.call('/rails/monnify/notices', { method: 'POST', headers, body: rawBody })
}
