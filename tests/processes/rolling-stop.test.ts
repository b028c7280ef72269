// Three processes behind a balancer are replaced one after the other, without a pause and while payments go on. Every
// acknowledged payment exists, a caller without an answer asks again under the same reference, and no payment is made
// twice.

import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { createLoad } from '#tests/faults/load.ts'
import { expectMoneyMovedOnce, untilAllHaveEnded } from '#tests/faults/proof.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { startRoundRobin } from './round-robin.ts'
import { addBusiness, startProcess, stopProcess, type Process } from './support.ts'

const database = await useTestDatabase()
const env = { DATABASE_URL: database.serviceUrl, LANES: '2' }
const count = 3
const callers = 12

it('three processes are replaced one by one under traffic, and no payment is lost or doubled', async () => {
  const { key } = await addBusiness({ ...createTestContext(database.connect()), clock: systemClock })
  const processes: Process[] = await Promise.all(Array.from({ length: count }, () => startProcess(env)))
  const ports = processes.map(({ port }) => port)
  const balancer = await startRoundRobin(ports)
  onTestFinished(() => balancer.close())
  const load = createLoad(`${balancer.url}/staging`, key)

  for (const [place, old] of processes.entries()) {
    const running = load.run(callers)
    await load.acknowledged(load.tally.acknowledged + 60)
    await stopProcess(old)
    await load.acknowledged(load.tally.acknowledged + 60)
    const young = await startProcess(env)
    processes[place] = young
    ports[place] = young.port
    await load.acknowledged(load.tally.acknowledged + 60)
    await running.stop()
  }

  await load.sendAllAgain()
  expect(load.wrong).toEqual([])
  // All six processes took part.
  expect([...balancer.answered.values()].filter((answers) => answers > 0)).toHaveLength(2 * count)
  await untilAllHaveEnded(database)
  await expectMoneyMovedOnce(database, load)
  load.client.close()
  await Promise.all(processes.map(stopProcess))
})
