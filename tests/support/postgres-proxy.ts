// A wire between the service and PostgreSQL that tests can look at and cut. It speaks enough of the protocol to know
// where a message begins, so that it can cut right after COMMIT went out and before its answer comes back.

import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'

/** What becomes of a COMMIT. `lose-request`: it never arrives. `lose-answer`: it is done, and nobody is told. */
export type CommitFate = 'pass' | 'lose-request' | 'lose-answer'

export type PostgresProxy = {
  /** The address that it was given, but through the wire. */
  url: string
  /** Writes of the service since the last `reset`: each but the first waited for an answer to the one before. */
  writes(): number
  commits(): number
  reset(): void
  /** Of the next COMMIT only. */
  setCommitFate(fate: CommitFate): void
  /** From now on nothing passes in either direction, and nobody is told. */
  freeze(): void
  /** Refuses new connections; cuts those that there are. */
  close(): Promise<void>
  open(): Promise<void>
  connections(): number
}

const socketName = '.s.PGSQL.5432'

export async function usePostgresProxy(url: string): Promise<PostgresProxy> {
  const folder = await mkdtemp(path.join(tmpdir(), 'manilla-proxy-'))
  const parameters = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  const target = path.join(parameters.get('host') ?? '', socketName)
  parameters.set('host', folder)
  const sockets = new Set<Socket>()
  let [writes, commits, frozen] = [0, 0, false]
  let fate: CommitFate = 'pass'

  const server = createServer((service) => {
    const upstream = connect(target)
    let answers: 'pass' | 'lose' = 'pass'
    const messages = createMessageReader()
    for (const socket of [service, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        if (frozen) return
        service.destroy()
        upstream.destroy()
      })
    }
    service.on('data', (chunk) => {
      if (frozen) return
      writes += 1
      const commit = messages(chunk).some((message) => message === 'commit')
      if (commit) commits += 1
      const lost = commit ? fate : 'pass'
      if (commit) fate = 'pass'
      if (lost === 'lose-request') service.destroy()
      else upstream.write(chunk)
      if (lost === 'lose-answer') answers = 'lose'
    })
    upstream.on('data', (chunk) => {
      if (frozen) return
      if (answers === 'pass') service.write(chunk)
      // The answers to what came before COMMIT may arrive first; only its own says that it is done.
      else if (chunk.includes('COMMIT\0')) service.destroy()
    })
  })
  const open = (): Promise<void> => new Promise((resolve) => server.listen(path.join(folder, socketName), resolve))
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  await open()
  afterAll(async () => {
    frozen = false
    await close()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    url: `${url.slice(0, url.indexOf('?'))}?${parameters.toString()}`,
    writes: () => writes,
    commits: () => commits,
    reset: () => void ([writes, commits] = [0, 0]),
    setCommitFate: (next) => void (fate = next),
    freeze: () => void (frozen = true),
    close,
    open,
    connections: () => sockets.size / 2,
  }
}

/** The simple queries among the messages that a service sends; what is not one is ''. */
function createMessageReader(): (chunk: Buffer) => string[] {
  let rest = Buffer.alloc(0)
  let started = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    const texts: string[] = []
    for (;;) {
      // The first message has no letter in front of its length.
      const lengthAt = started ? 1 : 0
      if (rest.length < lengthAt + 4) return texts
      const end = lengthAt + rest.readUInt32BE(lengthAt)
      if (rest.length < end) return texts
      const simple = started && rest[0] === 0x51
      texts.push(simple ? rest.toString('utf8', lengthAt + 4, end - 1) : '')
      rest = rest.subarray(end)
      started = true
    }
  }
}
