// Customers whose every detail is a unique text, so that a test can search for it.

import { newReference, pay, type Deposit } from '#tests/deposits/requests.ts'
import { expectSuccess, type Client } from '#tests/support/client.ts'

/** Details that no other row contains. */
function identityOf(name: string) {
  return {
    firstName: `${name}first`,
    lastName: `${name}last`,
    email: `${name.toLowerCase()}@unique.example`,
    note: `${name}metadata`,
    accountName: `${name}account`,
    payer: `${name}payer`,
    payerNumber: `${name}77${name.length}`,
    narration: `${name}narration`,
  }
}

export type Person = {
  reference: string
  accountNumber: string
  phoneNumber: string
  texts: string[]
  identity: Identity
}
type Identity = ReturnType<typeof identityOf>

let people = 0

export async function newPerson(client: Client, name: string): Promise<Person> {
  const identity = identityOf(name)
  const { firstName, lastName, email, note, accountName } = identity
  const reference = newReference('PERSON')
  const phoneNumber = `+23480355${String(++people).padStart(5, '0')}`
  const details = { firstName, lastName, email, phoneNumber, bvn: '22212345678', metadata: { note } }
  expectSuccess(await client.post('/v1/customers', { reference, ...details }))
  const opened = { customerReference: reference, accountName }
  const { accountNumber } = expectSuccess(await client.post('/v1/virtual-accounts/static', opened))
  return { reference, accountNumber, phoneNumber, texts: [...Object.values(identity), phoneNumber], identity }
}

export function payInto(
  client: Client,
  { accountNumber, identity }: Person,
  more: Record<string, unknown> = {},
): Promise<Deposit> {
  const { payer, payerNumber, narration } = identity
  const sender = { senderAccountName: payer, senderAccountNumber: payerNumber, narration }
  return pay(client, accountNumber, 50_000, { ...sender, ...more })
}

export async function closeAccount(client: Client, { accountNumber }: Person): Promise<void> {
  expectSuccess(await client.delete(`/v1/virtual-accounts/${accountNumber}`))
}
