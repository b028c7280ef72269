// Log lines are written whole and in order, and never block the process.

import { execFileSync, spawn } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createLineWriter } from '#platform/observability/log.ts'
import { errorCode } from '#postgres/embedded/folders.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { newFolder } from '#tests/support/run.ts'

async function newFile(): Promise<string> {
  const folder = await newFolder('lines')
  onTestFinished(() => rm(folder, { recursive: true }))
  return path.join(folder, 'lines')
}

function openFile(file: string): number {
  const fd = openSync(file, 'w')
  onTestFinished(() => closeSync(fd))
  return fd
}

/** Reads this much from a pipe, in turns with its writer: each looks again when the other has had time to act. */
async function bytesRead(fd: number, wanted: number): Promise<number> {
  const chunk = Buffer.alloc(1 << 20)
  let bytes = 0
  while (bytes < wanted) {
    await new Promise((resolve) => void setImmediate(resolve))
    bytes += readSome(fd, chunk)
  }
  return bytes
}

function readSome(fd: number, chunk: Buffer): number {
  try {
    return readSync(fd, chunk)
  } catch (error) {
    if (errorCode(error) !== 'EAGAIN') throw error
    return 0
  }
}

const noFile = 1_000_000
const numbered = Array.from({ length: 20_000 }, (_, index) => `line ${index} ${'x'.repeat(20)}\n`)

type StalledWriter = { fd: number; writer: ReturnType<typeof createLineWriter>; lost: () => number }

/** Its pipe is full of the first numbered lines, and the others wait for the next attempt. */
async function stalledWriter(fifo: string): Promise<StalledWriter> {
  execFileSync('mkfifo', [fifo])
  const fd = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK)
  let lost = 0
  const writer = createLineWriter({ fd, flushMs: 1_000_000, onLost: (lines) => (lost += lines) })
  const timers = vi.spyOn(globalThis, 'setTimeout')
  writer.addNow(numbered.join(''))
  while (!timers.mock.calls.some(([, ms]) => ms === retryMs)) {
    await new Promise((resolve) => void setImmediate(resolve))
  }
  timers.mockRestore()
  return { fd, writer, lost: () => lost }
}

const retryMs = 10

describe('lines', () => {
  it('arrive whole and in their order, however many at once, soon after they were added', async () => {
    const file = await newFile()
    const writer = createLineWriter({ fd: openFile(file), flushMs: 5 })
    numbered.forEach((line, index) => (index % 100 === 0 ? writer.addNow(line) : writer.add(line)))
    await untilHolds(() => expect(readFileSync(file, 'utf8')).toBe(numbered.join('')))
  })

  it('are written when the process ends, before their flush is due', async () => {
    const file = await newFile()
    const writer = createLineWriter({ fd: openFile(file), flushMs: 1_000_000 })
    writer.add('first\n')
    writer.add('second\n')
    expect(readFileSync(file, 'utf8')).toBe('')
    writer.flushSync()
    expect(readFileSync(file, 'utf8')).toBe('first\nsecond\n')
  })

  it('without a reader wait up to a limit; later ones are counted as lost, and the waiting ones arrive when a reader comes', async () => {
    const fifo = await newFile()
    execFileSync('mkfifo', [fifo])
    const fd = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK)
    onTestFinished(() => closeSync(fd))
    let lost = 0
    const writer = createLineWriter({ fd, flushMs: 1, onLost: (lines) => (lost += lines) })
    const line = `${'y'.repeat(8_191)}\n`
    for (let index = 0; index < 5_000; index++) writer.add(line)
    expect(lost).toBeGreaterThan(500)
    const lostAtFirst = lost
    const bytesLeft = (5_000 - lostAtFirst) * line.length
    expect(await bytesRead(fd, bytesLeft)).toBe(bytesLeft)
    expect(lost).toBe(lostAtFirst)
  })

  it('that wait for a slow reader are written when the process ends, before later ones', async () => {
    const [fifo, file] = [await newFile(), await newFile()]
    const { fd, writer, lost } = await stalledWriter(fifo)
    writer.add('last\n')
    const reader = spawn('cat', [fifo], { stdio: ['ignore', openFile(file), 'inherit'] })
    const readerEnd = new Promise((resolve) => reader.once('close', resolve))
    writer.flushSync()
    closeSync(fd)
    await readerEnd
    expect(readFileSync(file, 'utf8')).toBe(`${numbered.join('')}last\n`)
    expect(lost()).toBe(0)
  })

  it('that no reader takes in the last second of the process are counted', async () => {
    const { fd, writer, lost } = await stalledWriter(await newFile())
    onTestFinished(() => closeSync(fd))
    writer.add('last\n')
    writer.flushSync()
    expect(lost()).toBeGreaterThan(numbered.length / 2)
  })

  it('that cannot be written are counted', async () => {
    let lost = 0
    const writer = createLineWriter({ fd: noFile, onLost: (lines) => (lost += lines) })
    writer.add('first\n')
    writer.addNow('second\n')
    await untilHolds(() => expect(lost).toBe(2))
  })
})
