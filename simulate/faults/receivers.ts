// Changes how a webhook receiver answers: healthy, or in one of several ways broken, until the next change or the end
// of the faults.

import type { Fault } from './fault.ts'

export const receiverTrouble: Fault = {
  name: 'receiver changed its mind',
  weight: 5,
  async strike({ model, receivers }, chance) {
    const { subscriptions } = chance.pick(model.tenants)
    if (subscriptions.length > 0) receivers.trouble(chance.pick(subscriptions).path, chance)
  },
}
