// An example payload for each event, with the records of the other examples.

import type { loggedEvents } from '#webhooks/subscription.ts'
import type { Json } from '#api/openapi/schemas.ts'
import { customerDeposit, dynamicDeposit } from './deposits.ts'
import { failedCollection, failedMomoTransfer, succeededCollection, succeededMomoTransfer } from './mobile-money.ts'
import { failedTransfer, succeededTransfer } from './transfers.ts'

export const transferEventId = 'evt_01m80ryj1ee01vhcb9kf81xg7s'

type About = { id: string; at: string; reference: string; data: Json }

function about(id: string, data: Json & { reference: string; updatedAt: string }): About {
  return { id, at: data.updatedAt, reference: data.reference, data }
}

const reversed = {
  ...succeededTransfer,
  status: 'REVERSED',
  updatedAt: '2026-01-15T09:30:06.381Z',
  completedAt: '2026-01-15T09:30:06.381Z',
}

const test: About = {
  id: 'evt_01m80ryjcee009pw942x859pxv',
  at: '2026-01-15T09:30:01.746Z',
  reference: 'TEST-01M80RYJCEE00AW3FQ9T0N6D2K',
  data: { webhookId: 'whk_01m80rygyne00af1zgn04ev7yz', message: 'This is a test. Nothing has happened.' },
}

const abouts: Record<(typeof loggedEvents)[number], About> = {
  'transfer.success': about(transferEventId, succeededTransfer),
  'transfer.failed': about('evt_01m80ryjs4e00cq7e1b5n8wd2h', failedTransfer),
  'transfer.reversed': about('evt_01m80rypxxe01d4g0v6m3k9s7c', reversed),
  'deposit.success': about('evt_01m80ryk2ge02f8h5j1t6x4r9b', dynamicDeposit),
  'customer.deposit.success': about('evt_01m80ryk56e00s3z9k7v2m5q8d', customerDeposit),
  'momo.transfer.success': about('evt_01m80rym6qe01p6w4c8n2y5t3a', succeededMomoTransfer),
  'momo.transfer.failed': about('evt_01m80ryns9e00g7b3r5h9d1k6f', failedMomoTransfer),
  'momo.collection.success': about('evt_01m80rynpfe02m1x8q4s6v3j9w', succeededCollection),
  'momo.collection.failed': about('evt_01m80rynv2e00t5c2f7a9z4n8e', failedCollection),
  'webhook.test': test,
}

export function eventExample(event: keyof typeof abouts): Json {
  const { id, at, reference, data } = abouts[event]
  return { id, event, type: event, environment: 'sandbox', createdAt: at, timestamp: at, reference, data }
}
