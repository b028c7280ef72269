// The gate kills a server between test files, and never while a file runs.

import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openGate, passGate, type Gate } from './gate.ts'
import { untilHolds } from './patience.ts'
import { newFolder } from './run.ts'

/** A gate whose strike lasts until the test ends it. */
async function newGate(): Promise<{ gate: Gate; address: string; strokes: PromiseWithResolvers<void>[] }> {
  const address = path.join(await newFolder('gate'), 'gate')
  const strokes: PromiseWithResolvers<void>[] = []
  const strike = (): Promise<void> => {
    const stroke = Promise.withResolvers<void>()
    strokes.push(stroke)
    return stroke.promise
  }
  const gate = await openGate({ address, filesBetween: 2, times: 1, strike })
  onTestFinished(() => gate.close())
  return { gate, address, strokes }
}

it('files pass until it is time, then none before those inside have ended and the stroke is done, and it strikes no more', async () => {
  const { gate, address, strokes } = await newGate()
  const [first, second] = [await passGate(address), await passGate(address)]
  let passed = false
  const third = passGate(address).then((leave) => ((passed = true), leave))
  first()
  await untilHolds(() => expect(gate.waiting()).toBe(1))
  expect(strokes).toHaveLength(0)
  second()
  await untilHolds(() => expect(strokes).toHaveLength(1))
  expect({ passed, waiting: gate.waiting() }).toEqual({ passed: false, waiting: 1 })
  strokes[0]?.resolve()
  for (const leave of [await third, await passGate(address), await passGate(address)]) leave()
  const later = await passGate(address)
  later()
  expect(strokes).toHaveLength(1)
})

it('a file that comes after a strike without a repair gets an error', async () => {
  const { address, strokes } = await newGate()
  const leaves = [await passGate(address), await passGate(address)]
  for (const leave of leaves) leave()
  await untilHolds(() => expect(strokes).toHaveLength(1))
  const waiting = passGate(address)
  strokes[0]?.reject(new Error('waited for another primary'))
  await expect(waiting).rejects.toThrow('is not whole: Error: waited for another primary')
  await expect(passGate(address)).rejects.toThrow('is not whole')
})
