// The states of a delivery and of a subscription. The pipe writes deliveries, the sending carries them on, and the
// webhooks room shows them: what each calls a state stands here. docs/states.md draws them.

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const
/** `failed`: the last attempt did, and more may follow. */
export type DeliveryStatus = (typeof deliveryStatuses)[number]

export const subscriptionStatuses = ['active', 'disabled', 'deleted'] as const
export type SubscriptionStatus = (typeof subscriptionStatuses)[number]

/** Why the service disabled a subscription by itself: its endpoint answered 410, or nothing but failures for days. */
export const disablingReasons = ['GONE', 'FAILING'] as const
export type DisablingReason = (typeof disablingReasons)[number]
