// The embedded PostgreSQL: a real one, with the binaries of an npm package, in DATA_DIR. It is a process of its own
// that several of ours may use: one that serves, and any number of commands beside it. The first one starts it, the
// last one stops it, and the next process takes over or repairs what a crash left behind.
import { resolve } from 'node:path'
import { prepareCluster, type Cluster } from './cluster.ts'
import { explainFolderError } from './folder.ts'
import { ensureInitialised } from './initialise.ts'
import { readPasswords, urlOf, type Passwords } from './passwords.ts'
import { leaveSeat, takeSeat, type Seat, type Use } from './seat.ts'
import { makeSocketFolder } from './socket-folder.ts'
import { supervise } from './supervise.ts'
import { inTurn } from './open-lock.ts'

export type EmbeddedPostgres = {
  /** The role that owns the database and migrates it, in the form that package `pg` takes. */
  ownerUrl: string
  /** The role that the service works as: it owns nothing and creates nothing. */
  serviceUrl: string
  /** Leaves; stops PostgreSQL when no other process uses it. Idempotent. */
  release: () => Promise<void>
}

export type EmbeddedOptions = {
  dataDir: string
  /** One `serve` at a time; any number of commands beside it. */
  use: Use
  /** Whether a commit survives a power cut. Tests do without. */
  durable?: boolean
  /** Told of each step that takes long, for the person who waits. */
  onStep?: (message: string) => void
  /** Told when the server died, and whether it runs again. Only with `serve`. */
  onIncident?: (message: string) => void
}

export async function openEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  try {
    return await open(options)
  } catch (error) {
    throw explainFolderError(resolve(options.dataDir), error)
  }
}

async function open(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, use, durable = true, onStep = () => undefined, onIncident = () => undefined } = options
  const cluster = await prepareCluster({ dataDir, durable, onStep })
  const { passwords, seat } = await inTurn(cluster, () => enter(cluster, use))
  const supervisor = use === 'serve' ? supervise(cluster, seat, { passwords, onIncident }) : undefined

  const leave = async () => {
    const last = (await supervisor?.stop()) ?? seat
    try {
      await inTurn(cluster, () => leaveSeat(cluster, last, use, passwords))
    } finally {
      await last.client.end()
    }
  }
  let left: Promise<void> | undefined
  return {
    ownerUrl: urlOf('owner', passwords, seat.socketFolder),
    serviceUrl: urlOf('service', passwords, seat.socketFolder),
    release: () => (left ??= leave()),
  }
}

async function enter(cluster: Cluster, use: Use): Promise<{ passwords: Passwords; seat: Seat }> {
  await ensureInitialised(cluster)
  const passwords = await readPasswords(cluster)
  const socketFolder = await makeSocketFolder(cluster)
  return { passwords, seat: await takeSeat(cluster, { use, passwords, socketFolder }) }
}
