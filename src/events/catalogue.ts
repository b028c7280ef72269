// The names of all events that a business can subscribe to: the first four are in the specification, the others must
// be requested by name. Also the states of deliveries and subscriptions.

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

/** Sent to a subscription when its business tests it, whatever it subscribed to. No subscription can name it. */
export const testEvent = 'webhook.test'

// States that the outbox, the delivery worker and the webhooks module share. docs/states.md draws them.

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const
/** `failed` means that the last attempt failed; more may follow. */
export type DeliveryStatus = (typeof deliveryStatuses)[number]

const subscriptionStatuses = ['active', 'disabled', 'deleted'] as const
export type SubscriptionStatus = (typeof subscriptionStatuses)[number]

/** Why the service disabled a subscription: its endpoint answered 410, or every attempt failed for days. */
export const disablingReasons = ['GONE', 'FAILING'] as const
export type DisablingReason = (typeof disablingReasons)[number]
