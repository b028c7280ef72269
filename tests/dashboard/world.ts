// A business on which every page has something to show.

import { present } from '#platform/assert.ts'
import { expectSuccess, type Client } from '#tests/support/client.ts'
import { untilHolds } from '#tests/support/patience.ts'

export type World = {
  succeeded: string
  failed: string
  open: string
  customer: string
  account: string
  deposit: string
  subscription: string
  delivery: string
}

const bank = { bankSlug: 'guaranty-trust-bank', accountName: 'ADA OBI' }

export async function fill(staging: Client): Promise<World> {
  const send = async (reference: string, accountNumber: string, amount: number): Promise<string> => {
    await post(staging, '/v1/transfers/initiate', {
      reference,
      amount,
      accountNumber,
      ...bank,
      narration: 'Invoice 881',
    })
    return reference
  }
  // Subscribed first, so that later events have deliveries, all of which fail.
  const hook = { url: 'https://shop.example.com/webhooks', events: ['transfer.success'] }
  const subscription = present((await post(staging, '/v1/webhooks', hook))['id'], 'a subscription has an id')
  const succeeded = await send('PAYOUT-1001', '0123456789', 150_000)
  const failed = await send('PAYOUT-1002', '9990000007', 2_500_000)
  const open = await send('PAYOUT-1003', '9990000009', 123_456_789)
  const customer = 'CUST-1'
  await post(staging, '/v1/customers', {
    reference: customer,
    firstName: 'Ada',
    lastName: 'Obi',
    email: 'ada@example.ng',
    phoneNumber: '+2348012345678',
  })
  const opened = await post(staging, '/v1/virtual-accounts/static', { customerReference: customer })
  const account = present(opened['accountNumber'], 'an account has a number')
  const paid = await post(staging, '/v1/sandbox/deposits', { accountNumber: account, amount: 500_000 })
  const deposit = present(paid['reference'], 'a deposit has a reference')
  const delivery = await untilHolds(async () => {
    const { events } = expectSuccess(await staging.get('/v1/webhooks/events')) as { events: { id: string }[] }
    return present(events[0], 'a transfer has succeeded').id
  })
  return { succeeded, failed, open, customer, account, deposit, subscription, delivery }
}

async function post(client: Client, path: string, body: object): Promise<Record<string, string>> {
  return expectSuccess(await client.call(path, { method: 'POST', body })) as Record<string, string>
}
