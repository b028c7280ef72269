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

// The states of a delivery and of a subscription. The pipe writes deliveries, the sending carries them on, and the
// webhooks room shows them: what each calls a state stands here. docs/states.md draws them.

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const
/** `failed`: the last attempt did, and more may follow. */
export type DeliveryStatus = (typeof deliveryStatuses)[number]

const subscriptionStatuses = ['active', 'disabled', 'deleted'] as const
export type SubscriptionStatus = (typeof subscriptionStatuses)[number]

/** Why the service disabled a subscription by itself: its endpoint answered 410, or nothing but failures for days. */
export const disablingReasons = ['GONE', 'FAILING'] as const
export type DisablingReason = (typeof disablingReasons)[number]
