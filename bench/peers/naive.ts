// A naive service, for comparison: each request takes a connection from a pool of 16 and runs its own statements, as in most
// services. It has only the endpoints that scenarios call, validates nothing and has no rate limit, so it is faster than a real one.

import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { serveParent, usage } from '#bench/child.ts'

type Owner = { lane: number; tenant_id: string }

let pool: pg.Pool | undefined
let port = 0

async function ownerOf(db: pg.Pool, request: IncomingMessage): Promise<Owner> {
  const key = request.headers.authorization?.slice('Bearer '.length) ?? ''
  const { rows } = await db.query<Owner>({
    name: 'owner',
    text: 'select lane, tenant_id from api_key where hash = $1 and revoked_at is null',
    values: [createHash('sha256').update(key).digest()],
  })
  const [owner] = rows
  if (owner === undefined) throw new Error('no such key')
  return owner
}

async function readBalance(db: pg.Pool, owner: Owner): Promise<unknown> {
  const { rows } = await db.query<{ currency: string; available: string; reserved: string }>({
    name: 'balance',
    text: `select currency, sum(credits - debits) filter (where name = 'available') as available,
                  sum(credits - debits) filter (where name = 'reserved') as reserved
             from ledger_account where lane = $1 and tenant_id = $2 group by currency`,
    values: [owner.lane, owner.tenant_id],
  })
  return { balances: rows }
}

type Transfer = {
  reference: string
  amount: number
  bankSlug: string
  accountNumber: string
  accountName: string
  narration: string
}

const fee = 1_000

type Ask = <R extends object>(text: string, values: unknown[]) => Promise<R[]>

async function transact(db: pg.Pool, work: (ask: Ask) => Promise<unknown>): Promise<unknown> {
  const client = await db.connect()
  const ask: Ask = async <R extends object>(text: string, values: unknown[]) =>
    (await client.query<R>({ name: text.slice(0, 60), text, values })).rows
  try {
    await client.query('begin')
    return await work(ask)
  } finally {
    await client.query('commit')
    client.release()
  }
}

/** Accepts a transfer in a transaction of its own, one statement after the other. */
async function accept(ask: Ask, mine: unknown[], transfer: Transfer): Promise<unknown> {
  const held = transfer.amount + fee
  const [account] = await ask<{ balance: string; movements: string }>(
    `select credits - debits as balance, movements from ledger_account
      where lane = $1 and tenant_id = $2 and name in ('available', 'reserved') order by name for update`,
    mine,
  )
  const available = Number(account?.balance)
  const find = 'select id from payment where lane = $1 and tenant_id = $2 and reference = $3'
  const [found] = await ask(find, [...mine, transfer.reference])
  if (found !== undefined) return found
  if (available < held) throw new Error('insufficient balance')
  const [last] = await ask<{ ordinal: string }>(
    `select ordinal from payment where lane = $1 and tenant_id = $2 and kind = 'bank_transfer' and ordinal > 0
      order by ordinal desc limit 1`,
    mine,
  )
  const id = randomUUID()
  const { reference, amount, bankSlug, accountNumber, accountName, narration } = transfer
  const ordinal = Number(last?.ordinal ?? 0) + 1
  await ask(
    `insert into payment (lane, tenant_id, reference, id, kind, ordinal, status, currency, amount, fee, bank_slug,
       bank_name, account_number, account_name, narration, created_at, updated_at, due_at)
     values ($1, $2, $3, $4, 'bank_transfer', $5, 'queued', 'NGN', $6, $7, $8, $8, $9, $10, $11, now(), now(), now())`,
    [...mine, reference, id, ordinal, amount, fee, bankSlug, accountNumber, accountName, narration],
  )
  await ask(
    `insert into ledger_movement (lane, tenant_id, id, currency, debit, credit, amount, kind, source_id, reference,
       entry, balance_after, created_at)
     values ($1, $2, $3, 'NGN', 'available', 'reserved', $4, 'hold', $5, $6, $7, $8, now())`,
    [...mine, randomUUID(), held, id, reference, Number(account?.movements) + 1, available - held],
  )
  await ask(
    `update ledger_account set movements = movements + 1,
       debits = debits + case name when 'available' then $3::bigint else 0 end,
       credits = credits + case name when 'reserved' then $3::bigint else 0 end
      where lane = $1 and tenant_id = $2 and name in ('available', 'reserved')`,
    [...mine, held],
  )
  return { ...transfer, id, status: 'queued' }
}

type Payment = { accountNumber: string; amount: number; senderAccountName: string; narration: string }

const depositFee = 10

/** Records a deposit in a transaction of its own, as `accept` does for a transfer. */
async function record(ask: Ask, mine: unknown[], payment: Payment): Promise<unknown> {
  const { accountNumber, amount, senderAccountName, narration } = payment
  const [books] = await ask<{ balance: string; movements: string }>(
    `select credits - debits as balance, movements from ledger_account
      where lane = $1 and tenant_id = $2 and name in ('available', 'fees', 'rail') order by name for update`,
    mine,
  )
  const [account] = await ask<{ account_name: string; bank_name: string; customer_reference: string; status: string }>(
    `select account_name, bank_name, customer_reference, status from virtual_account
      where lane = $1 and tenant_id = $2 and account_number = $3 for update`,
    [...mine, accountNumber],
  )
  if (account?.status !== 'ACTIVE') throw new Error('not open')
  const [id, providerId] = [randomUUID(), randomUUID()]
  const heardOf = `select id from deposit
    where lane = $1 and tenant_id = $2 and provider = 'simulator' and provider_id = $3`
  const [found] = await ask(heardOf, [...mine, providerId])
  if (found !== undefined) return found
  const [last] = await ask<{ ordinal: string }>(
    'select ordinal from deposit where lane = $1 and tenant_id = $2 and ordinal > 0 order by ordinal desc limit 1',
    mine,
  )
  const ordinal = Number(last?.ordinal ?? 0) + 1
  const { account_name: accountName, bank_name: bankName, customer_reference: customer } = account
  await ask(
    `insert into deposit (lane, tenant_id, id, ordinal, status, currency, amount, fee, provider, provider_id,
       account_number, account_name, bank_name, customer_reference, sender_account_name, sender_account_number,
       sender_bank_name, narration, paid_at, created_at, updated_at)
     values ($1, $2, $3, $4, 'SUCCESSFUL', 'NGN', $5, $6, 'simulator', $7, $8, $9, $10, $11, $12, '', '', $13, now(), now(), now())`,
    [...mine, id, ordinal, amount, depositFee, providerId, accountNumber, accountName, bankName, customer].concat([
      senderAccountName,
      narration,
    ]),
  )
  const balance = Number(books?.balance) + amount
  const entry = Number(books?.movements) + 1
  const move = `insert into ledger_movement (lane, tenant_id, id, currency, debit, credit, amount, kind, source_id,
      reference, entry, balance_after, created_at)
    values ($1, $2, $3, 'NGN', $4, $5, $6, $7, $8, $9, $10, $11, now())`
  await ask(move, [...mine, randomUUID(), 'rail', 'available', amount, 'deposit', id, id, entry, balance])
  const left = [id, id, entry + 1, balance - depositFee]
  await ask(move, [...mine, randomUUID(), 'available', 'fees', depositFee, 'deposit_fee', ...left])
  await ask(
    `update ledger_account set movements = movements + case name when 'available' then 2 else 1 end, touched_at = now(),
       debits = debits + case name when 'rail' then $3::bigint when 'available' then $4::bigint else 0 end,
       credits = credits + case name when 'available' then $3::bigint when 'fees' then $4::bigint else 0 end
      where lane = $1 and tenant_id = $2 and name in ('available', 'fees', 'rail')`,
    [...mine, amount, depositFee],
  )
  const data = { ...payment, id, status: 'SUCCESSFUL', fee: depositFee }
  await ask(
    `insert into event (lane, tenant_id, source_id, name, id, reference, data, created_at)
     values ($1, $2, $3, 'customer.deposit.success', $4, $5, $6, now())`,
    [...mine, id, randomUUID(), id, JSON.stringify(data)],
  )
  return data
}

function readJson(request: IncomingMessage): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8'))))
    request.on('error', reject)
  })
}

async function respond(db: pg.Pool, request: IncomingMessage): Promise<unknown> {
  const owner = await ownerOf(db, request)
  const path = request.url?.split('?')[0]?.replace(/^\/(staging|production)/, '')
  if (path === '/v1/balance') return readBalance(db, owner)
  const mine = [owner.lane, owner.tenant_id]
  if (path === '/v1/transfers/initiate') {
    const transfer = (await readJson(request)) as Transfer
    return transact(db, (ask) => accept(ask, mine, transfer))
  }
  if (path === '/v1/sandbox/deposits') {
    const payment = (await readJson(request)) as Payment
    return transact(db, (ask) => record(ask, mine, payment))
  }
  throw new Error(`bench/peers/naive.ts has no answer to ${path}`)
}

async function start(databaseUrl: string): Promise<void> {
  const db = new pg.Pool({ connectionString: databaseUrl, max: 16 })
  pool = db
  const server = createServer((request, response) => {
    const write = (status: number, value: object): void => {
      const body = JSON.stringify(value)
      response
        .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
        .end(body)
    }
    respond(db, request).then(
      (data) => write(200, { success: true, data, requestId: 'naive' }),
      (error: unknown) => write(500, { success: false, error: String(error) }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1_024, resolve))
  port = (server.address() as AddressInfo).port
}

serveParent(
  async ({ databaseUrl }: { databaseUrl: string }) => {
    if (pool === undefined) await start(databaseUrl)
    return { port, ...usage() }
  },
  async () => pool?.end(),
)
