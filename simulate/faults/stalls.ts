// Stalls a whole instance, or only its connections to PostgreSQL, while time goes on: for a moment of real time, and for up
// to a minute of world time.

import { realTime } from '#simulate/clocks.ts'
import { anyMember } from '#simulate/world.ts'
import type { Fault } from './fault.ts'

const momentMsMax = 150

export const stallInstance: Fault = {
  name: 'instance stalled',
  weight: 3,
  under: 'stalls',
  async strike(world, chance) {
    const { instance } = anyMember(world, chance)
    instance.pulse.stall()
    instance.proxy.stall()
    await realTime(chance.below(momentMsMax))
    world.time.advance(chance.between(1_000, 60_000))
    await realTime(chance.below(momentMsMax))
    instance.proxy.resume()
    instance.pulse.goOn()
  },
}

export const stallConnections: Fault = {
  name: 'connections stalled',
  weight: 2,
  under: 'stalls',
  async strike(world, chance) {
    const { proxy } = anyMember(world, chance).instance
    proxy.stall()
    await realTime(chance.below(momentMsMax))
    world.time.advance(chance.between(1_000, 20_000))
    proxy.resume()
  },
}
