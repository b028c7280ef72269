// Lines on their way to standard output. They are gathered and leave in large pieces beside the work: a write for each line
// would cost a request several microseconds, and a reader that is slow would stop the process. One that does not read
// at all costs lines, which are counted, and no payment.

import { write, writeSync } from 'node:fs'

export type LineWriter = {
  /** Leaves within `flushMs`. */
  add(line: string): void
  /** Leaves at once, behind what was added before. */
  addNow(line: string): void
  /** At the end of the process: what is left leaves before this returns. */
  flushSync(): void
}

export type LineWriterOptions = {
  fd: number
  flushMs?: number
  /** Called with how many lines are lost. */
  onLost?: (lines: number) => void
}

const flushMsUsual = 200
const charactersPerWrite = 64 * 1024
/** Twenty seconds of the most that a process can log. */
const charactersWaitingMax = 32 * 1024 * 1024
/** The reader of a pipe is behind; its other end may be a slow machine. */
const retryMs = 10
const lastTriesMax = 100

export function createLineWriter({
  fd,
  flushMs = flushMsUsual,
  onLost = () => undefined,
}: LineWriterOptions): LineWriter {
  let gathered: string[] = []
  let characters = 0
  let underWay = false
  let timer: NodeJS.Timeout | undefined

  function take(): Buffer | undefined {
    if (gathered.length === 0) return undefined
    const taken = Buffer.from(gathered.join(''))
    gathered = []
    characters = 0
    return taken
  }

  /** One piece at a time, or two could tear each other's lines apart. */
  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (underWay) return
    const piece = take()
    if (piece === undefined) return
    underWay = true
    writePiece(fd, piece, (lost) => {
      underWay = false
      if (lost > 0) onLost(lost)
      if (characters >= charactersPerWrite) flush()
      else if (gathered.length > 0) schedule()
    })
  }

  function schedule(): void {
    timer ??= setTimeout(flush, flushMs)
    timer.unref() // The end of the process does not wait for it: it calls flushSync.
  }

  function add(line: string): void {
    if (characters > charactersWaitingMax) return onLost(1)
    gathered.push(line)
    characters += line.length
    if (characters >= charactersPerWrite) flush()
    else if (timer === undefined) schedule()
  }

  return {
    add,
    addNow(line) {
      add(line)
      flush()
    },
    flushSync() {
      clearTimeout(timer)
      writeWhole(fd, take())
    },
  }
}

/** Ends with how many lines were lost: nobody reads any more, or the disk is full. The service goes on. */
function writePiece(fd: number, piece: Buffer, end: (lost: number) => void): void {
  write(fd, piece, (error, written) => {
    const left = error === null ? piece.subarray(written) : piece
    if (error?.code === 'EAGAIN') setTimeout(() => writePiece(fd, left, end), retryMs)
    else if (error === null && left.length > 0) writePiece(fd, left, end)
    else end(error === null ? 0 : linesIn(piece))
  })
}

function linesIn(piece: Buffer): number {
  return piece.reduce((lines, byte) => lines + (byte === newline ? 1 : 0), 0)
}

const newline = 10

function writeWhole(fd: number, piece: Buffer | undefined): void {
  let left = piece ?? Buffer.alloc(0)
  for (let tries = 0; left.length > 0 && tries < lastTriesMax; tries++) {
    try {
      left = left.subarray(writeSync(fd, left))
      tries = 0
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs)
    }
  }
}
