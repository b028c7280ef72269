// Writes docs/openapi.json as a collection for Postman whose requests can be run from first to last. Existing generators do not
// order the requests, pass no values from a response to a later request, and are 6 MB and larger.

import { readDescription, type DocumentedOperation, type JsonFields } from '#api/docs/description.ts'
import { docsFolder, postmanFile } from '#api/docs/site.ts'

type Step = {
  operation: string
  /** Distinguishes a second request of an operation from the first. */
  name?: string
  body?: JsonFields
  /** The paths of values in the answer's data, and the variables that store them for later requests. */
  learns?: Record<string, string>
}

const payoutThatWaits = { reference: 'MOMO-1008', amount: 50_000, phoneNumber: '08000000008' }
const collectionThatWaits = { reference: 'COLLECT-1008', amount: 120_000, phoneNumber: '08000000008' }
const depositThatWaits = { accountNumber: '{{static_account}}', amount: 100_000, status: 'PENDING' }

const story: Record<string, (string | Step)[]> = {
  'Balance and fees': ['getBalance', 'fundBalance', 'listLedgerEntries', 'getFee'],
  'Banks and operators': ['listBanks', 'resolveBankAccount', 'listMomoOperators', 'resolvePhoneNumber'],
  Webhooks: [
    { operation: 'createWebhook', learns: { id: 'webhook_id' } },
    'listWebhooks',
    'getWebhook',
    'updateWebhook',
    'triggerWebhookEvent',
    { operation: 'listWebhookDeliveries', learns: { 'events.0.id': 'event_id' } },
    'getWebhookDelivery',
    { operation: 'retryWebhookDelivery', body: { force: true } },
    'retryWebhookDeliveries',
    'testWebhook',
    'rotateWebhookSecret',
  ],
  'Receive money': [
    'createCustomer',
    'getCustomer',
    'updateCustomer',
    'listCustomers',
    { operation: 'openStaticAccount', learns: { accountNumber: 'static_account' } },
    { operation: 'openDynamicAccount', learns: { accountNumber: 'dynamic_account' } },
    'listVirtualAccounts',
    'getVirtualAccount',
    { operation: 'simulateDeposit', learns: { reference: 'deposit_reference' } },
    'getDeposit',
    'validateDeposit',
    'listDeposits',
    {
      operation: 'simulateDeposit',
      name: 'A deposit that waits',
      body: depositThatWaits,
      learns: { reference: 'pending_deposit' },
    },
    'settleDeposit',
    'closeVirtualAccount',
  ],
  'Pay out': ['initiateTransfer', 'getTransfer', 'listTransfers', 'initiateTransfers', 'completeTransfer'],
  'Mobile money': [
    'initiateMomoTransfer',
    'getMomoTransfer',
    'listMomoTransfers',
    { operation: 'initiateMomoTransfer', name: 'A payout that waits', body: payoutThatWaits },
    'completeMomoTransfer',
    'initiateMomoCollection',
    'verifyCollectionOtp',
    'getMomoCollection',
    'listMomoCollections',
    { operation: 'initiateMomoCollection', name: 'A collection that waits', body: collectionThatWaits },
    'completeMomoCollection',
  ],
  'Events and the end': ['listEvents', 'deleteWebhook'],
}

/** Values of the examples that differ in each run, and the variables that replace them. */
const variables: [RegExp, string][] = [
  [/^(PAYOUT|MOMO|COLLECT|CUSTOMER|ORDER)-\d+$/, '$&-{{run}}'],
  [/^whk_\w+$/, '{{webhook_id}}'],
  [/^evt_\w+$/, '{{event_id}}'],
  [/^5165121065$/, '{{dynamic_account}}'],
  [/^7389291519$/, '{{static_account}}'],
  [/^https:\/\/shop\.example\.com\/webhooks$/, '{{webhook_url}}'],
]

const collectionVariables = {
  base_url: 'http://127.0.0.1:4000/staging',
  api_key: '',
  webhook_url: 'https://shop.example.com/webhooks',
  run: '',
}

const onceARun = [
  '// References of its own for each run, because a reference names one payment for ever.',
  "if (pm.collectionVariables.get('run') === '') pm.collectionVariables.set('run', Date.now().toString(36))",
]

export function postmanCollection(): string {
  const { operations } = readDescription(docsFolder)
  const byId = new Map(operations.map((operation) => [operation.id, operation]))
  const steps = Object.values(story).flat().map(stepOf)
  const missing = operations.filter(({ id }) => !steps.some(({ operation }) => operation === id))
  if (missing.length > 0) {
    throw new Error(`${postmanFile} lacks ${missing.map(({ id }) => id).join(', ')}: give each its place in the story`)
  }
  const collection = {
    info: {
      name: 'Manilla',
      description:
        'Set `api_key` to a staging key, and `base_url` to your service. Run it as a whole, or any request after those before it.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: Object.entries(collectionVariables).map(([key, value]) => ({ key, value })),
    event: [eventOf('prerequest', onceARun)],
    item: Object.entries(story).map(([name, folder]) => ({
      name,
      item: folder.map((entry) => requestOf(byId, stepOf(entry))),
    })),
  }
  return `${JSON.stringify(collection, null, 1)}\n`
}

const stepOf = (step: string | Step): Step => (typeof step === 'string' ? { operation: step } : step)

function requestOf(byId: Map<string, DocumentedOperation>, { operation: id, name, body, learns = {} }: Step): object {
  const operation = byId.get(id)
  if (operation === undefined) throw new Error(`there is no operation ${id}`)
  const deposit = id === 'settleDeposit' ? '{{pending_deposit}}' : '{{deposit_reference}}'
  const filled = operation.path.reduce((route, { name: part, example }) => {
    const text = textOf(example)
    return route.replace(`{${part}}`, text.startsWith('DEP') ? deposit : String(withVariables(text)))
  }, operation.route)
  const tests = [
    "pm.test('answers 200', () => pm.response.to.have.status(200))",
    ...Object.entries(learns).map(
      ([place, variable]) =>
        `pm.collectionVariables.set('${variable}', pm.response.json().data.${place.replaceAll(/\.(\d+)/g, '[$1]')})`,
    ),
  ]
  const sent = body ?? operation.body?.example
  return {
    name: name ?? operation.summary,
    event: [eventOf('test', tests)],
    request: {
      method: operation.verb,
      description: operation.description,
      header: sent === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
      url: urlOf(filled, operation),
      ...(sent === undefined ? {} : { body: { mode: 'raw', raw: JSON.stringify(withVariables(sent), null, 2) } }),
    },
  }
}

/** Lists every parameter. One without an example is disabled. */
function urlOf(route: string, { query }: DocumentedOperation): object {
  const shown = query.map(({ name: key, example, description }) => ({
    key,
    value: textOf(example),
    ...(description === '' ? {} : { description }),
    ...(example === undefined ? { disabled: true } : {}),
  }))
  const active = shown.filter(({ value }) => value !== '').map(({ key, value }) => `${key}=${value}`)
  return {
    raw: `{{base_url}}${route}${active.length === 0 ? '' : `?${active.join('&')}`}`,
    host: ['{{base_url}}'],
    path: route.split('/').slice(1),
    ...(query.length === 0 ? {} : { query: shown }),
  }
}

const textOf = (example: unknown): string =>
  typeof example === 'string' || typeof example === 'number' ? String(example) : ''

function withVariables(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withVariables)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withVariables(one)]))
  }
  if (typeof value !== 'string') return value
  const [form, variable] = variables.find(([one]) => one.test(value)) ?? [/$^/, '']
  return value.replace(form, variable)
}

const eventOf = (listen: string, exec: string[]): object => ({ listen, script: { type: 'text/javascript', exec } })
