// Cuts connections to PostgreSQL: at any moment, and around a COMMIT, when the service cannot know whether it took effect.

import { anyMember } from '#simulate/world.ts'
import type { Fault } from './fault.ts'

export const cutConnections: Fault = {
  name: 'connections cut',
  weight: 3,
  under: 'cuts',
  async strike(world, chance) {
    anyMember(world, chance).instance.proxy.cut()
  },
}

export const loseCommit: Fault = {
  name: 'COMMIT lost',
  weight: 8,
  under: 'cuts',
  async strike(world, chance) {
    anyMember(world, chance).instance.proxy.setCommitFate(chance.pick(['lose-request', 'lose-answer'] as const))
  },
}
