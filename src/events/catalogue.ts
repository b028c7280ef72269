// The names of everything that a business can be told about. The four of the specification, and those that it must
// ask for by name.

export const eventNames = [
  'transfer.success',
  'transfer.failed',
  'deposit.success',
  'customer.deposit.success',
  'transfer.reversed',
  'momo.transfer.success',
  'momo.transfer.failed',
  'momo.collection.success',
  'momo.collection.failed',
] as const

export type EventName = (typeof eventNames)[number]

/** What a subscription is sent when its business tries it, whatever it asked for. No subscription can name it. */
export const testEvent = 'webhook.test'
