// When the death of a database server stops only some lanes (groups of tenants), checks that the lanes on other servers
// go on: the service must accept something in them while that server is away.

import { connect } from 'node:net'
import { realTime } from '#simulate/clocks.ts'
import type { World } from '#simulate/world.ts'

/** In real time, not in world time. */
const pollEveryMs = 50

export type Others = {
  /** Runs the death and counts what other lanes accept while the server is away. */
  watch(death: () => Promise<string>): Promise<string>
  /** Judges all deaths together, because during a single one perhaps no caller asked for anything in the other lanes. */
  judge(): void
}

export function createOthers({ model, database }: World): Others {
  const { strikes } = database.deaths
  let [watched, accepted] = [0, 0]

  /** Counts what was accepted in all lanes but these. */
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
      const watchLanes = async (): Promise<void> => {
        while (!over) {
          if (!(await isThere(host, port))) {
            last = acceptedBeside(lanes)
            first = Math.min(first, last)
          }
          await realTime(pollEveryMs)
        }
      }
      const [what] = await Promise.all([dying, watchLanes()])
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
