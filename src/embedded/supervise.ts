// Keeps the server of a running Manilla alive. The connection of its seat is the alarm: it ends within moments of the
// server's death, also when the server is not our child. One loop, so there are never two restarts at once.
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { minuteMs } from '#base/durations.ts'
import type { Cluster } from './cluster.ts'
import type { Passwords } from './passwords.ts'
import { takeSeat, type Seat } from './seat.ts'
import { limitLog } from './server-log.ts'
import { inTurn } from './open-lock.ts'

export type Supervisor = {
  /** Ends the watch, also in the middle of a restart; resolves to the seat that is left then. */
  stop(): Promise<Seat>
}

type SuperviseOptions = { passwords: Passwords; onIncident: (message: string) => void }

const retryFirstMs = 250
const retryMaxMs = 10_000
const logLookEveryMs = minuteMs

export function supervise(cluster: Cluster, first: Seat, options: SuperviseOptions): Supervisor {
  const stopping = new AbortController()
  const logLook = setInterval(() => void limitLog(cluster.log).catch(() => undefined), logLookEveryMs).unref()
  const last = watch(cluster, first, options, stopping.signal)
  return {
    async stop() {
      clearInterval(logLook)
      stopping.abort()
      return await last
    },
  }
}

async function watch(cluster: Cluster, first: Seat, options: SuperviseOptions, signal: AbortSignal): Promise<Seat> {
  const stopped = once(signal, 'abort')
  let seat = first
  while (!signal.aborted) {
    await Promise.race([seat.lost, stopped])
    if (!signal.aborted) seat = await restart(cluster, seat, options, signal)
  }
  return seat
}

async function restart(cluster: Cluster, lost: Seat, options: SuperviseOptions, signal: AbortSignal): Promise<Seat> {
  const { passwords, onIncident } = options
  const { socketFolder, postmasterPid } = lost
  const since = performance.now()
  for (let waitMs = retryFirstMs; !signal.aborted; waitMs = Math.min(2 * waitMs, retryMaxMs)) {
    try {
      // The same socket as before: the addresses that we gave out stay true.
      const take = () => takeSeat(cluster, { use: 'serve', passwords, socketFolder, signal })
      const seat = await inTurn(cluster, take, signal)
      const what = seat.postmasterPid === postmasterPid ? 'dropped its connections' : `(process ${postmasterPid}) died`
      onIncident(`PostgreSQL ${what}; it runs again after ${Math.round(performance.now() - since)} ms`)
      return seat
    } catch (error) {
      if (signal.aborted) break
      const reason = error instanceof Error ? error.message : String(error)
      onIncident(`PostgreSQL died and cannot be started again, next attempt in ${waitMs} ms: ${reason}`)
      await delay(waitMs, undefined, { signal }).catch(() => undefined)
    }
  }
  return lost
}
