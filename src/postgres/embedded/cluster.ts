// The folders and settings of one embedded PostgreSQL in one DATA_DIR.
//
//   DATA_DIR/postgres/data/            files of PostgreSQL; only the account that runs it may enter
//                     run/             the socket
//                     passwords.json   passwords of the three roles
//                     postgresql.conf  and pg_hba.conf, rewritten at each start
//                     server.log       messages of PostgreSQL, limited in size

import { mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { chooseAccount, findBinaries, type Launcher, makeLauncher, type SystemAccount } from './launch.ts'
import { giveFolder, ignoreErrors } from './folders.ts'

export type Cluster = {
  dataDir: string
  home: string
  data: string
  run: string
  passwords: string
  log: string
  durable: boolean
  launcher: Launcher
  onStep: (message: string) => void
}

type ClusterOptions = { dataDir: string; durable: boolean; onStep: (message: string) => void }

export async function prepareCluster(options: ClusterOptions): Promise<Cluster> {
  const binaries = await findBinaries()
  const given = resolve(options.dataDir)
  const account = await chooseAccount([join(given, 'postgres', 'data'), given])
  await makeDataDir(given, account)
  // PostgreSQL and the lock identify folders by their real path.
  const dataDir = await realpath(given)
  const home = join(dataDir, 'postgres')
  await makeHome(home, account)
  return {
    dataDir,
    home,
    data: join(home, 'data'),
    run: join(home, 'run'),
    passwords: join(home, 'passwords.json'),
    log: join(home, 'server.log'),
    durable: options.durable,
    launcher: await makeLauncher(binaries, account, home),
    onStep: options.onStep,
  }
}

/** An existing DATA_DIR keeps its permissions, because its owner set them. */
async function makeDataDir(dataDir: string, account: SystemAccount | undefined): Promise<void> {
  await mkdir(dirname(dataDir), { recursive: true })
  const existed = await stat(dataDir).then((found) => found.isDirectory(), ignoreErrors('ENOENT'))
  if (existed === true) return
  await mkdir(dataDir, { mode: 0o700 }).catch(async (error: unknown) => {
    // Another process may have created it in between.
    const found = await stat(dataDir).catch(() => undefined)
    if (found?.isDirectory() !== true) throw error
  })
  if (account !== undefined) await letPass(dataDir, account)
}

async function makeHome(home: string, account: SystemAccount | undefined): Promise<void> {
  const { uid } = await stat(dirname(home))
  const made = await mkdir(home, { mode: 0o700 }).then(() => true, ignoreErrors('EEXIST'))
  if (account === undefined) return
  if (made === true) await giveFolder(home, { uid, gid: account.gid })
  await letPass(home, account)
}

/**
 * Lets the account pass through to its own files, as the group of the folder, and no more: it must not be able to
 * create files where we write as root.
 */
async function letPass(folder: string, account: SystemAccount): Promise<void> {
  const { uid } = await stat(folder)
  await giveFolder(folder, { uid, gid: account.gid, mode: 0o710 })
}
