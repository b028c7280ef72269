// The names of all events that a business can subscribe to. The first four are those of the specification. Also the
// states of deliveries and subscriptions.

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

/** Sent to a subscription when its business tests the subscription. No subscription can name it. */
export const testEvent = 'webhook.test'

// docs/states.md draws these states.

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const
/** After `failed`, more attempts may follow. */
export type DeliveryStatus = (typeof deliveryStatuses)[number]

const subscriptionStatuses = ['active', 'disabled', 'deleted'] as const
export type SubscriptionStatus = (typeof subscriptionStatuses)[number]

/** Why the service disabled a subscription: the endpoint answered 410, or every attempt failed for days. */
export const disablingReasons = ['GONE', 'FAILING'] as const
export type DisablingReason = (typeof disablingReasons)[number]
