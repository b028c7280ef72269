// Requests of tests about deposits.

import { parseDepositReference } from '#deposits/deposit.ts'
import { expectSuccess, type Answer, type Client } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'

let made = 0

export function newReference(name = 'REF'): string {
  made += 1
  return `${name}-${made}`
}

export type Deposit = {
  id: string
  amount: number
  reference: string
  status: string
  currency: string
  senderAccountName: string
  senderAccountNumber: string
  senderBankName: string
  recipientAccountName: string
  recipientAccountNumber: string
  recipientBankName: string
  narration: string
  fee: number
  createdAt: string
  updatedAt: string
}

export type Account = {
  id: string
  accountNumber: string
  reference: string | null
  status: string
  [field: string]: unknown
}

export function customerBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { reference: newReference('CUS'), firstName: 'Ada', lastName: 'Obi', email: 'ada@example.com', ...changes }
}

export async function newCustomer(client: Client, changes: Record<string, unknown> = {}) {
  return expectSuccess(await client.post('/v1/customers', customerBody(changes)))
}

export async function staticAccount(client: Client, changes: Record<string, unknown> = {}): Promise<Account> {
  const { reference } = await newCustomer(client)
  return expectSuccess(await client.post('/v1/virtual-accounts/static', { customerReference: reference, ...changes }))
}

export async function dynamicAccount(client: Client, changes: Record<string, unknown> = {}): Promise<Account> {
  return expectSuccess(await client.post('/v1/virtual-accounts/dynamic', { amount: 250_000, ...changes }))
}

export function askToPay(
  client: Client,
  accountNumber: string,
  amount: number,
  more: Record<string, unknown> = {},
): Promise<Answer> {
  return client.post('/v1/sandbox/deposits', { accountNumber, amount, ...more })
}

export async function pay(
  client: Client,
  accountNumber: string,
  amount: number,
  more: Record<string, unknown> = {},
): Promise<Deposit> {
  return expectSuccess(await askToPay(client, accountNumber, amount, more))
}

export async function settle(client: Client, { reference }: { reference: string }, status: string): Promise<Deposit> {
  return expectSuccess(await client.post(`/v1/sandbox/deposits/${reference}/settle`, { status }))
}

export async function available(client: Client): Promise<number> {
  return expectSuccess(await client.get('/v1/balance')).balances[0].available
}

export async function accountOf(client: Client, accountNumber: string): Promise<Account> {
  return expectSuccess(await client.get(`/v1/virtual-accounts/${accountNumber}`))
}

export async function eventsOf(database: { ownerUrl: string }, reference: string) {
  const rows = await asOwner<{ name: string; data: string }>(
    database,
    'select name, data from event where reference = $1 order by created_at, id',
    [reference],
  )
  return rows.map(({ name, data }) => ({ name, data: JSON.parse(data) as Record<string, unknown> }))
}

export async function returnReasonOf(database: { ownerUrl: string }, { reference }: Deposit): Promise<string | null> {
  const id = parseDepositReference(reference)
  const [row] = await asOwner<{ return_reason: string | null }>(
    database,
    'select return_reason from deposit where id = $1',
    [id],
  )
  if (row === undefined) throw new Error(`there is no row of ${reference}`)
  return row.return_reason
}
