// Where the death of a server strikes some lanes alone, the others go on: of what callers ask for there, something is accepted
// while it is away.

import { connect } from 'node:net'
import { realTime } from '#simulate/clocks.ts'
import type { World } from '#simulate/world.ts'

/** Of real time. */
const lookEveryMs = 50

export type Others = {
  /** Watches while this lasts. */
  watch(death: () => Promise<string>): Promise<string>
  /** Whether they went on, over all deaths: one alone may come while no caller asks for anything there. */
  judge(): void
}

export function createOthers({ model, database }: World): Others {
  const { strikes } = database.deaths
  let [watched, accepted] = [0, 0]

  /** What is accepted in other lanes than those. */
  function acceptedBeside(lanes: number[]): number {
    const all = [...model.payouts, ...model.collections, ...model.fundings]
    return all.filter(({ standing, tenant }) => standing === 'acknowledged' && !lanes.includes(tenant.tenant.lane))
      .length
  }

  return {
    async watch(death) {
      if (strikes === undefined) return death()
      const { lanes, host, port } = await strikes()
      if (model.tenants.some(({ tenant }) => !lanes.includes(tenant.lane))) watched += 1
      let over = false
      let [first, last] = [Infinity, 0]
      const dying = death().finally(() => (over = true))
      const look = async (): Promise<void> => {
        while (!over) {
          if (!(await isThere(host, port))) {
            last = acceptedBeside(lanes)
            first = Math.min(first, last)
          }
          await realTime(lookEveryMs)
        }
      }
      const [what] = await Promise.all([dying, look()])
      const meanwhile = Math.max(0, last - first)
      accepted += meanwhile
      return `${what}, ${meanwhile} accepted in other lanes meanwhile`
    },
    judge() {
      if (watched > 0 && accepted === 0) model.wrong.add('lanes of other servers stood still while one was away')
    },
  }
}

function isThere(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
