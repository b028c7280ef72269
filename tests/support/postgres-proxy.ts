// A wire between the service and PostgreSQL that tests can watch and cut. It reads enough of the protocol to know where
// a message begins, so that it can cut right after a COMMIT went out and before its answer comes back.

import { rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll } from 'vitest'
import { newFolder } from './run.ts'
import { wireEnds, type WireEnd } from './wire-ends.ts'

/**
 * The fate of a COMMIT. `lose-request`: it never arrives. `lose-answer`: PostgreSQL commits, and the answer is lost.
 */
export type CommitFate = 'pass' | 'lose-request' | 'lose-answer'

export type PostgresProxy = {
  /** The given address, but through the wire. */
  url: string
  /** Round trips of the service since the last `reset`: how often it wrote after it had all answers. */
  writes(): number
  commits(): number
  reset(): void
  /**
   * Passes this many more messages of one end, over all connections, and then cuts the connection that sent the last
   * one.
   */
  cutAfter(end: 'service' | 'server', messages: number): void
  /** Applies to the next COMMIT, or to the next one after a statement whose name begins like this. */
  setCommitFate(fate: CommitFate, after?: string): void
  /** From now on nothing passes in either direction, and neither end notices it. */
  freeze(): void
  /** From now on everything passes again. Messages that were sent in between are lost. */
  thaw(): void
  /** From now on nothing passes until `resume`, and nothing is lost. */
  stall(): void
  resume(): void
  /** Cuts the open connections; new ones may come. */
  cut(): void
  /** Refuses new connections and cuts the open ones. */
  close(): Promise<void>
  open(): Promise<void>
  connections(): number
  /** The number of connections that wait for an answer of PostgreSQL. */
  waiting(): number
}

/** For the top of a test file: started at once, gone when the file ends. */
export async function usePostgresProxy(url: string): Promise<PostgresProxy> {
  const proxy = await startPostgresProxy(url, await newFolder('proxy'))
  afterAll(() => proxy.dispose())
  return proxy
}

/** `folder`: an empty one for its socket, which is removed in the end. */
export async function startPostgresProxy(
  address: string,
  folder: string,
): Promise<PostgresProxy & { dispose(): Promise<void> }> {
  const { url, ends } = wireEnds(address, folder)
  const sockets = new Set<Socket>()
  const leads = new Set<() => boolean>()
  let [writes, commits, frozen, stalled] = [0, 0, false, false]
  let [fate, fateAfter]: [CommitFate, string] = ['pass', '']
  const left = { service: Infinity, server: Infinity }

  /** The number of bytes of the chunk that pass before the connection is cut; undefined if it is not cut. */
  function bytesBeforeCut(end: 'service' | 'server', messages: readonly Message[]): number | undefined {
    const passing = messages.slice(0, left[end])
    left[end] -= messages.length
    if (left[end] >= 0) return undefined
    left[end] = Infinity
    return passing.at(-1)?.endsAt ?? 0
  }

  const listeners = ends.map(({ target, met }) => ({ met, server: createServer((service) => lead(service, target)) }))

  function lead(service: Socket, target: WireEnd['target']): void {
    const upstream = connect(target)
    const [asked, answered] = [createMessageReader('startup'), createMessageReader('message')]
    let losing = false
    let asks: string[] = []
    let unanswered = 1 // The start-up itself.
    let answers: Buffer[] = []
    const isWaiting = (): boolean => unanswered > 0
    leads.add(isWaiting)
    for (const socket of [service, upstream]) {
      sockets.add(socket)
      if (stalled) socket.pause()
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        leads.delete(isWaiting)
        if (frozen) return
        service.destroy()
        upstream.destroy()
      })
    }
    service.on('data', (chunk) => {
      if (frozen) return
      writes += 1
      const messages = asked(chunk)
      const passing = bytesBeforeCut('service', messages)
      if (passing !== undefined) {
        upstream.end(chunk.subarray(0, passing))
        service.destroy()
        return
      }
      unanswered += messages.filter(({ type }) => type === 'Q' || type === 'S').length
      const names = messages.flatMap(({ type, text }) => (type === 'B' ? [text.split('\0')[1] ?? ''] : []))
      asks.push(...names)
      asks = asks.slice(Math.max(0, asks.lastIndexOf('base.begin')))
      if (!names.includes('base.commit')) {
        upstream.write(chunk)
        return
      }
      commits += 1
      const isMeant = asks.some((name) => name.startsWith(fateAfter))
      const lost = isMeant ? fate : 'pass'
      if (isMeant) fate = 'pass'
      if (lost === 'lose-request') service.destroy()
      else upstream.write(chunk)
      losing = lost === 'lose-answer'
    })
    upstream.on('data', (chunk) => {
      if (frozen) return
      answers.push(chunk)
      const messages = answered(chunk)
      const passing = bytesBeforeCut('server', messages)
      if (passing !== undefined) {
        service.end(Buffer.concat([...answers.slice(0, -1), chunk.subarray(0, passing)]))
        upstream.destroy()
        return
      }
      unanswered -= messages.filter(({ type }) => type === 'Z').length
      // Answers to earlier statements may come first; only the answer to COMMIT says that it is done.
      if (losing && messages.some(({ type, text }) => type === 'C' && text === 'COMMIT')) service.destroy()
      // The wire passes all answers on together, so that the service writes only after it has everything that it could
      // wait for. Answers of a sign-in, and messages that are no answers, pass at once.
      if (losing || (unanswered > 0 && !messages.some(({ type }) => type === 'R' || type === 'E'))) return
      service.write(Buffer.concat(answers))
      answers = []
    })
  }

  const open = async (): Promise<void> => {
    await Promise.all(
      listeners.map(({ server, met }) => new Promise<void>((resolve) => void server.listen(met, resolve))),
    )
  }
  const close = async (): Promise<void> => {
    const closed = listeners.map(({ server }) => new Promise<void>((resolve) => void server.close(() => resolve())))
    for (const socket of sockets) socket.destroy()
    await Promise.all(closed)
  }
  await open()
  return {
    url,
    writes: () => writes,
    commits: () => commits,
    reset: () => void ([writes, commits] = [0, 0]),
    cutAfter: (end, messages) => void (left[end] = messages),
    setCommitFate: (next, after = '') => void ([fate, fateAfter] = [next, after]),
    freeze: () => void (frozen = true),
    thaw: () => void (frozen = false),
    stall() {
      stalled = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      stalled = false
      for (const socket of sockets) socket.resume()
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    async dispose() {
      frozen = false
      await close()
      await rm(folder, { recursive: true, force: true })
    },
    close,
    open,
    connections: () => sockets.size / 2,
    waiting: () => [...leads].filter((isWaiting) => isWaiting()).length,
  }
}

/** `endsAt`: how many bytes of the chunk belong to this message and the ones before it. */
type Message = { type: string; text: string; endsAt: number }

/** Splits the incoming bytes into messages: a letter, a length, and a body, which ends in a NUL if it is text. */
function createMessageReader(first: 'startup' | 'message'): (chunk: Buffer) => Message[] {
  let rest = Buffer.alloc(0)
  let started = first === 'message'
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    let endsAt = chunk.length - rest.length
    const messages: Message[] = []
    for (;;) {
      // The first message of the service has no letter in front of its length.
      const lengthAt = started ? 1 : 0
      if (rest.length < lengthAt + 4) return messages
      const end = lengthAt + rest.readUInt32BE(lengthAt)
      if (rest.length < end) return messages
      const type = started ? rest.toString('latin1', 0, 1) : ''
      endsAt += end
      messages.push({ type, endsAt, text: rest.toString('utf8', lengthAt + 4, Math.max(lengthAt + 4, end - 1)) })
      rest = rest.subarray(end)
      started = true
    }
  }
}
