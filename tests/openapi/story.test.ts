// Every example of docs/openapi.json is true for a new staging business: sent in this order, each request gets the
// answer that the document shows.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSuccess } from '#tests/support/client.ts'
import { startReceiver, type Receiver } from '#tests/support/receiver.ts'
import { useService } from '#tests/support/service.ts'
import { operationOf, operations, type Json } from './document.ts'
import { addedFields, releasedFields } from './released-fields.ts'
import { createStory } from './story.ts'

const service = await useService()
const story = createStory(service.staging)
const played = new Set<string>()
let receiver: Receiver

async function expectExamples(...ids: string[]): Promise<void> {
  for (const id of ids) await expectExample(id)
}

async function expectExample(id: string, options?: Parameters<typeof story.play>[1]): Promise<void> {
  await story.play(id, options)
  played.add(id)
}

const exampleOf = (id: string) => operationOf(id).operation['responses']['200'].content['application/json'].example.data
const shownUrl = exampleOf('createWebhook').url

beforeAll(async () => {
  receiver = await startReceiver()
  story.learn(shownUrl, receiver.url('/webhooks'))
})
afterAll(() => receiver.close())

describe('the examples, one after the other', () => {
  it('begin with the opening balance and public data', async () => {
    await expectExamples('getBalance', 'listLedgerEntries', 'fundBalance', 'getFee')
    await expectExamples('listBanks', 'resolveBankAccount', 'listMomoOperators', 'resolvePhoneNumber')
  })

  it('go on with a subscription, a transfer, and the event that tells of it', async () => {
    await expectExamples('createWebhook', 'listWebhooks', 'getWebhook')
    await expectExamples('initiateTransfer', 'getTransfer', 'listTransfers')
    await expectExamples('listWebhookDeliveries', 'getWebhookDelivery', 'listEvents', 'testWebhook')
  })

  it('send again, try and end the subscription', async () => {
    // The receiver does not answer, so the delivery stays as it was made.
    receiver.behave('/webhooks', 'hang')
    await expectExamples('retryWebhookDelivery', 'retryWebhookDeliveries', 'updateWebhook', 'triggerWebhookEvent')
    await expectExamples('rotateWebhookSecret', 'deleteWebhook')
  })

  it('send many transfers, and end one by hand', async () => {
    await expectExamples('initiateTransfers', 'completeTransfer')
  })

  it('make a customer and accounts to pay into', async () => {
    await expectExamples('createCustomer', 'listCustomers', 'getCustomer', 'updateCustomer')
    await expectExample('openStaticAccount', { learns: ['accountNumber'] })
    await expectExample('openDynamicAccount', { learns: ['accountNumber'] })
    await expectExamples('listVirtualAccounts', 'getVirtualAccount')
  })

  it('pay into them', async () => {
    await expectExamples('simulateDeposit', 'listDeposits', 'getDeposit')
    await expectExample('validateDeposit', { variant: 'usual' })
    const pending = { accountNumber: exampleOf('openStaticAccount').accountNumber, amount: 100_000, status: 'PENDING' }
    const { reference } = expectSuccess(await story.ask('POST', '/v1/sandbox/deposits', pending))
    story.learn(exampleOf('settleDeposit').reference, reference)
    await expectExamples('settleDeposit', 'closeVirtualAccount')
  })

  it('send mobile money', async () => {
    await expectExamples('initiateMomoTransfer', 'getMomoTransfer', 'listMomoTransfers')
    const unending = { reference: 'MOMO-1008', amount: 50_000, phoneNumber: '08000000008' }
    expectSuccess(await story.ask('POST', '/v1/momo/transfer', unending))
    await expectExamples('completeMomoTransfer')
  })

  it('collect mobile money', async () => {
    await expectExamples('initiateMomoCollection', 'verifyCollectionOtp', 'getMomoCollection', 'listMomoCollections')
    const unending = { reference: 'COLLECT-1008', amount: 120_000, phoneNumber: '08000000008' }
    expectSuccess(await story.ask('POST', '/v1/momo/collection', unending))
    await expectExamples('completeMomoCollection')
  })

  it('say of a deposit that is not there that it does not exist', async () => {
    const { path, operation } = operationOf('validateDeposit')
    const example = operation['responses']['200'].content['application/json'].examples.missing.value
    const answer = await story.ask('GET', path.replace('{reference}', example.data.reference))
    expect(expectSuccess(answer)).toEqual(example.data)
  })

  it('leave out no operation', () => {
    expect(operations.map(({ id }) => id).filter((id) => !played.has(id))).toEqual([])
  })
})

// The examples above are exactly what a business with naira alone gets.
describe('a business of naira only', () => {
  it.each(Object.entries(releasedFields))('is answered by %s as by 0.2.0, and in naira', (id, released) => {
    const media = operationOf(id).operation['responses']['200'].content['application/json']
    const examples = Object.values<Json>(media.examples ?? { only: { value: media.example } })
    const found = new Map<string, Set<string>>()
    for (const { value } of examples) collectFields(value, '', found)
    for (const [place, fields] of Object.entries(released)) {
      const added = addedFields[id]?.[place]?.split(' ') ?? []
      expect([...(found.get(place) ?? [])].toSorted(), place).toEqual([...fields.split(' '), ...added].toSorted())
    }
    expect([...found.keys()].filter((place) => place !== '').toSorted()).toEqual(Object.keys(released).toSorted())
    const currencies = JSON.stringify(examples).matchAll(/"currency":"(\w+)"/g)
    expect([...currencies].filter(([, currency]) => currency !== 'NGN')).toEqual([])
  })
})

/** Collects the fields of each record by its place. */
function collectFields(value: unknown, place: string, found: Map<string, Set<string>>): void {
  if (Array.isArray(value)) for (const one of value) collectFields(one, `${place}[]`, found)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const fields = found.get(place) ?? new Set()
  found.set(place, fields)
  for (const [name, inner] of Object.entries(value)) {
    fields.add(name)
    collectFields(inner, place === '' ? name : `${place}.${name}`, found)
  }
}
