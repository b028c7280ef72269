// The folder of the socket. The system limits a socket's path to about a hundred bytes, which a deep DATA_DIR exceeds;
// then the socket lies in the folder for temporary files, in a folder that is named by DATA_DIR.
import { createHash } from 'node:crypto'
import { lstat, mkdir, rmdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperatorError } from '#base/error.ts'
import type { Cluster } from './cluster.ts'
import { giveFolder, ignoring } from './folder.ts'

export const socketName = '.s.PGSQL.5432'

const socketPathBytesMax = 100
const closedToOthers = 0o077

export async function makeSocketFolder(cluster: Cluster): Promise<string> {
  const folder = fits(cluster.run) ? cluster.run : shortFolder(cluster.dataDir)
  const { account } = cluster.launcher
  const made = await mkdir(folder, { mode: 0o700 }).then(() => true, ignoring('EEXIST'))
  if (made === true && account !== undefined) await giveFolder(folder, account)
  // Any user can make a folder among the temporary files, and the owner of this one could pose as our server.
  const found = await lstat(folder)
  const uid = account?.uid ?? process.geteuid?.()
  if (found.isDirectory() && found.uid === uid && (found.mode & closedToOthers) === 0) return folder
  throw new OperatorError(
    `${folder}, meant for the database's socket, belongs to another user or is open to others: remove it, or set ` +
      'DATA_DIR to another folder.',
  )
}

/** Called when the server has stopped: a socket folder outside of DATA_DIR is removed. */
export async function removeSocketFolder(cluster: Cluster, folder: string): Promise<void> {
  if (folder !== cluster.run) await rmdir(folder).catch(() => undefined)
}

/** Whether a server listens there, be it in another container where its process cannot be seen. */
export async function serverAnswers(socketFolder: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(join(socketFolder, socketName))
    const answer = (value: boolean) => {
      socket.destroy()
      resolve(value)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
  })
}

function shortFolder(dataDir: string): string {
  const name = `manilla-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  const folder = join(tmpdir(), name)
  return fits(folder) ? folder : join('/tmp', name)
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, socketName)) <= socketPathBytesMax
}
