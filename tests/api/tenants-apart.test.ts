// A business cannot reach the records of another one, even if it knows their ids: at every address with an id, in its
// own environment and in the other. The addresses come from the API description, so a new one is tested as well.

import { afterAll, describe, expect, it } from 'vitest'
import { createClient, expectSuccess, type Answer, type Client } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'
import { collectBody, phones, rightCode, sendBody } from '#tests/payments/momo-requests.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'
import { subscribe } from '#tests/webhooks/requests.ts'

const service = await shareService()
const [owner, other] = [service.staging, await service.addBusiness('Other')]
const elsewhere = createClient(`${service.url}/production`, service.liveKey)
afterAll(() => elsewhere.close())

const create = async (path: string, body: unknown) => expectSuccess(await owner.post(path, body))
const secretName = 'ZEBEDEE UNMISTAKABLE'
const customer = await create('/v1/customers', { reference: 'CUSTOMER-A', firstName: secretName, lastName: 'OWNER' })
const account = await create('/v1/virtual-accounts/static', { customerReference: customer.reference })
const deposit = await create('/v1/sandbox/deposits', {
  accountNumber: account.accountNumber,
  amount: 5_000,
  status: 'PENDING',
  senderAccountName: secretName,
})
const transfer = await create(
  '/v1/transfers/initiate',
  transferBody({ accountNumber: neverEnding, accountName: secretName }),
)
const momo = await create('/v1/momo/transfer', sendBody({ phoneNumber: phones.neverEnding, accountName: secretName }))
const collection = await create(
  '/v1/momo/collection',
  collectBody({ phoneNumber: phones.otp, customerName: secretName }),
)
const webhook = await subscribe(owner)
const { events } = await create('/v1/sandbox/webhooks/trigger', { event: 'transfer.success' })

/** The value for each path parameter, and a body for requests that write. */
const names: [RegExp, string, Record<string, unknown>][] = [
  [/^\/v1\/sandbox\/deposits\//, deposit.reference, { status: 'FAILED' }],
  [/^\/v1\/deposits\//, deposit.reference, {}],
  [/^\/v1\/customers\//, customer.reference, { firstName: 'EVE' }],
  [/^\/v1\/virtual-accounts\//, account.accountNumber, {}],
  [/^\/v1\/(sandbox\/)?transfers\//, transfer.reference, { status: 'FAILED' }],
  [/^\/v1\/(sandbox\/)?momo\/transfer\//, momo.reference, { status: 'FAILED' }],
  [/^\/v1\/momo\/collection\/verify-otp$/, '', { reference: collection.reference, otp: rightCode }],
  [/^\/v1\/(sandbox\/)?momo\/collection\//, collection.reference, { status: 'FAILED' }],
  [/^\/v1\/webhooks\/events\//, events[0].id, {}],
  [/^\/v1\/webhooks\//, webhook.id, { status: 'disabled' }],
]

const { paths } = JSON.parse((await owner.get('/v1/openapi.json')).text) as { paths: Record<string, object> }
const asked = Object.entries(paths)
  .filter(([path]) => path.includes('{') || path.endsWith('/verify-otp'))
  .flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((name) => ['get', 'post', 'patch', 'delete'].includes(name))
      .map((name) => [name.toUpperCase(), path] as const),
  )

function targetOf(path: string): { target: string; body: Record<string, unknown> } {
  const [, name, body] = names.find(([form]) => form.test(path)) ?? []
  if (name === undefined || body === undefined) throw new Error(`say above what to ask for at ${path}`)
  return { target: path.replace(/\{\w+\}/, name), body }
}

/** A validation reports in its own field that a record does not exist. */
function verdictOf({ body }: Answer): string {
  return body.data?.exists === false ? 'NOT_FOUND' : (body.error?.code ?? 'found')
}

/** Everything that the owner can read of its records, except what reading itself changes. */
async function stateOf(client: Client): Promise<unknown[]> {
  const reads = asked.filter(([method]) => method === 'GET').map(([, path]) => client.get(targetOf(path).target))
  return (await Promise.all(reads)).map((answer) => expectSuccess(answer))
}

const before = await stateOf(owner)

describe.each([
  ['another business', () => other.staging],
  ['the same business in the other environment', () => elsewhere],
])('for %s', (_whose, clientOf) => {
  it.each(asked)('%s %s finds nothing', async (method, path) => {
    const { target, body } = targetOf(path)
    const sent = method === 'POST' || method === 'PATCH' ? { body } : {}
    const answer = await clientOf().call(target, { method, ...sent })
    expect(verdictOf(answer)).toMatch(path.startsWith('/v1/sandbox/') ? /NOT_FOUND$|^FORBIDDEN$/ : /NOT_FOUND$/)
    expect(answer.text).not.toContain(secretName)
  })

  it('every list is empty', async () => {
    const lists = [
      'customers',
      'virtual-accounts',
      'deposits',
      'transfers',
      'momo/transfer',
      'momo/collection',
      'webhooks',
    ]
    for (const list of [...lists, 'webhooks/events']) {
      const { body } = await clientOf().get(`/v1/${list}`)
      expect(body.meta?.pagination.total, list).toBe(0)
    }
  })
})

it('nothing of the owner’s was changed by any of it', async () => {
  expect(asked.length).toBeGreaterThan(15)
  expect(await stateOf(owner)).toEqual(before)
})
