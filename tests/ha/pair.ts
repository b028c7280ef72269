// A primary and a standby that follows it, both with the PostgreSQL that comes with Manilla: a set-up for a machine
// without Patroni.

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chown, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { chooseAccount, findBinaries, type Launcher, makeLauncher, runToEnd } from '#postgres/embedded/launch.ts'
import { asOwner } from '#tests/support/owner.ts'
import { eventually, patienceMs } from '#tests/support/patience.ts'
import { endsWithRun, newFolder } from '#tests/support/run.ts'
import { freePort } from '#tests/support/launch.ts'

export type Server = {
  /** The host name or address where it listens. */
  host: string
  ask<R = Record<string, unknown>>(sql: string): Promise<R[]>
  /** Kills all of its processes at once, because a backend of a killed postmaster could answer once more. */
  kill(): Promise<void>
}

export type Pair = { primary: Server; standby: Server; end(): Promise<void> }

export async function startPair(): Promise<Pair> {
  const account = await chooseAccount([])
  const folder = await newFolder('pair')
  if (account !== undefined) await chown(folder, account.uid, account.gid)
  const launcher = await makeLauncher(await findBinaries(), account, folder)
  const [first, second] = [path.join(folder, 'first'), path.join(folder, 'second')]
  const made = await runToEnd(
    launcher,
    launcher.binaries.initdb,
    ['-D', first, '-U', 'postgres', '--auth=trust', '--locale=C', '--encoding=UTF8'],
    { limitMs: patienceMs },
  )
  if (made.code !== 0) throw new Error(made.output)
  // The primary has never run, so a copy of its files is a standby with nothing to catch up on.
  await promisify(execFile)('cp', ['-Rp', first, second])
  await writeFile(path.join(second, 'standby.signal'), '')
  const primary = await startServer(launcher, folder, first, [])
  const follows = `primary_conninfo=host=127.0.0.1 port=${primary.host.split(':')[1]} user=postgres application_name=second`
  const standby = await startServer(launcher, folder, second, ['-c', follows])
  return {
    primary,
    standby,
    async end() {
      await Promise.all([primary.kill(), standby.kill()])
    },
  }
}

async function startServer(launcher: Launcher, folder: string, data: string, settings: string[]): Promise<Server> {
  const port = await freePort()
  const host = `127.0.0.1:${port}`
  const where = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off']
  const child = launcher.launch(launcher.binaries.postgres, [...where, ...settings], {
    detached: true,
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  endsWithRun(child)
  const ask: Server['ask'] = (sql) => asOwner({ ownerUrl: `postgres://postgres@${host}/postgres` }, sql)
  await eventually('PostgreSQL to take connections', () => ask('select 1').catch(() => undefined))
  return {
    host,
    ask,
    async kill() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGQUIT')
      await ended
    },
  }
}
