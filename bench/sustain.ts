// `--units`: sends this many requests of a scenario, and waits until the work that follows them is finished. A unit is
// one request with its work. The run measures the cost of a unit, and compares the rate of the last whole minute with
// that of the first. Only the service gets requests, one after the other on each connection.

import { setTimeout as delay } from 'node:timers/promises'
import { warmUpSeconds, type Bench, type Peer } from './bench.ts'
import type { Usage } from './child.ts'
import type { LoadOrder, LoadResult } from './load.ts'
import type { Progress } from './scenario.ts'

const minuteMs = 60_000
const pollMs = 200
/** The work that is left at the last answer must finish within this time. */
const finishMsMax = 120_000

export async function sustain(bench: Bench, peers: Peer[], units: number): Promise<void> {
  const { name, scenario, facts, loader, databaseUsage } = bench
  const service = peers.find((peer) => peer.name === 'service')
  const connections = scenario.connections.at(-1)
  if (service === undefined || connections === undefined) throw new Error('there is no service to measure')
  const order: LoadOrder = {
    ...service,
    scenario: name,
    variant: 'service',
    facts,
    connections,
    seconds: warmUpSeconds,
    from: 0,
  }
  const warm = await loader.ask<LoadResult>(order)
  await untilFinished(bench)

  const usedBefore = await service.child.ask<Usage>({})
  const databaseBefore = await databaseUsage()
  const minutes = countMinutes(bench)
  const startMs = performance.now()
  const result = await loader.ask<LoadResult>({ ...order, from: warm.next, requests: units })
  await untilFinished(bench)
  const seconds = (performance.now() - startMs) / 1_000
  const rates = await minutes.stop()
  const used = await service.child.ask<Usage>({})
  const databaseAfter = await databaseUsage()

  if (result.failures > 0) throw new Error(`${result.failures} failures, the first: ${result.firstFailure}`)
  const micros = Math.round((used.cpuMicros - usedBefore.cpuMicros) / units)
  const databaseMicros = Math.round(((databaseAfter.micros ?? NaN) - (databaseBefore.micros ?? NaN)) / units)
  const walBytes = Math.round((databaseAfter.walBytes - databaseBefore.walBytes) / units)
  console.log(
    `${units.toLocaleString('en')} units in ${seconds.toFixed(1)} s: ${Math.round(units / seconds).toLocaleString('en')}/s; ` +
      `one took ${micros} µs of the server, ${databaseMicros} µs of PostgreSQL and ${walBytes} bytes of WAL; ${Math.round(used.rssBytes / 1024 / 1024)} MB; ` +
      `answered in ${result.medianMs} ms, 99 % within ${result.p99Ms} ms`,
  )
  const [first, last] = [rates[0], rates.at(-1)]
  if (first === undefined || last === undefined || rates.length < 2) return
  console.log(`the last whole minute was ${(last / first).toFixed(2)} × the first`)
}

/** Prints after each whole minute the rate of finished units. A scenario without `progress` does not tell this rate. */
function countMinutes({ scenario, rig, facts }: Bench): { stop(): Promise<number[]> } {
  const rates: number[] = []
  const ended = new AbortController()

  async function count(readProgress: () => Promise<Progress>): Promise<void> {
    let before = await readProgress()
    let atMs = performance.now()
    while (!ended.signal.aborted) {
      await delay(minuteMs, undefined, { signal: ended.signal }).catch(() => undefined)
      if (ended.signal.aborted) return
      const now = await readProgress()
      const elapsedMs = performance.now() - atMs
      const rate = ((now.done - before.done) / elapsedMs) * 1_000
      rates.push(rate)
      console.log(`minute ${rates.length}: ${Math.round(rate).toLocaleString('en')}/s`)
      before = now
      atMs += elapsedMs
    }
  }

  const { progress } = scenario
  const counting = progress === undefined ? Promise.resolve() : count(() => progress(rig, facts))
  return {
    async stop() {
      ended.abort()
      await counting
      return rates
    },
  }
}

async function untilFinished({ scenario, rig, facts }: Bench): Promise<void> {
  const endMs = performance.now() + finishMsMax
  for (;;) {
    const progress = await scenario.progress?.(rig, facts)
    if (progress === undefined || progress.waiting === 0) return
    if (performance.now() > endMs) throw new Error(`${progress.waiting} units were not finished in time`)
    await delay(pollMs)
  }
}
