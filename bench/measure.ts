// Measures one scenario in rounds. Each round measures every server once, so that a machine that becomes slower slows
// all of them.

import { warmUpSeconds, type Bench, type Peer } from './bench.ts'
import type { Usage } from './child.ts'
import { figuresOf, type Figures, type Round } from './figures.ts'
import type { LoadOrder, LoadResult } from './load.ts'

export type Measured = { connections: number; figures: Record<string, Figures> }

export async function measure(bench: Bench, peers: Peer[]): Promise<Measured[]> {
  const { scenario, settings, say } = bench
  const measured: Measured[] = []
  let from = 0

  async function run({ name, child, port }: Peer, connections: number, seconds: number): Promise<Round[]> {
    const before = await child.ask<Usage>({})
    const started = name === 'service' ? await scenario.progress?.(bench.rig, bench.facts) : undefined
    const order: LoadOrder = {
      scenario: bench.name,
      variant: name,
      facts: bench.facts,
      from,
      port,
      connections: scenario.variantConnections?.[name] ?? connections,
      seconds,
    }
    const databaseBefore = await bench.databaseUsage()
    const beside = askBeside(bench, order)
    const result = await bench.loader.ask<LoadResult>(order)
    await beside
    from = result.next
    const databaseAfter = await bench.databaseUsage()
    const ended = started === undefined ? undefined : await scenario.progress?.(bench.rig, bench.facts)
    const usage = await child.ask<Usage>({})
    const round = {
      ...result,
      requests: result.requests * (scenario.countsAs?.[name] ?? 1),
      name,
      rssBytes: usage.rssBytes,
      cpuMicros: usage.cpuMicros - before.cpuMicros,
      ...(name === 'echo'
        ? { databaseMicros: null, walBytes: null }
        : {
            databaseMicros:
              databaseBefore.micros === undefined || databaseAfter.micros === undefined
                ? null
                : databaseAfter.micros - databaseBefore.micros,
            walBytes: databaseAfter.walBytes - databaseBefore.walBytes,
          }),
      waiting: 0,
    }
    if (started === undefined || ended === undefined) return [round]
    return [round, { ...round, name: 'followed', requests: ended.done - started.done, waiting: ended.waiting }]
  }

  for (const connections of scenario.connections) {
    const rounds: Round[] = []
    for (const peer of peers) await run(peer, connections, warmUpSeconds)
    for (let round = 1; round <= settings.rounds; round++) {
      say(`${connections} connections, round ${round} of ${settings.rounds} …`)
      for (const peer of peers) {
        const secondsLeast = settings.sustains && peer.name !== 'echo' ? (scenario.secondsLeast ?? 0) : 0
        rounds.push(...(await run(peer, connections, Math.max(settings.seconds, secondsLeast))))
      }
    }
    measured.push({ connections, figures: figuresOf(rounds) })
  }
  return measured
}

/** Sends the requests beside a variant and prints their rate, because a flood that was not sent would prove nothing. */
async function askBeside({ scenario, besideLoader, say }: Bench, order: LoadOrder): Promise<void> {
  const beside = scenario.beside?.[order.variant]
  if (beside === undefined || besideLoader === undefined) return
  const { connections } = beside
  const { requests, taken, seconds, firstFailure } = await besideLoader.ask<LoadResult>({
    ...order,
    connections,
    isBeside: true,
  })
  const refused = requests === taken ? '' : `, ${requests - taken} of them refused (${firstFailure})`
  say(`beside ${order.variant}: ${Math.round(requests / seconds)} answers a second${refused}`)
}
