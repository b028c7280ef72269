import { mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { chooseAccount, type Account } from './system-account.ts'
import { findBinaries, makeLauncher, type Launcher } from './launch.ts'
import { giveFolder, ignoring } from './folders.ts'

// One PostgreSQL in one DATA_DIR: where its files lie, who runs it, and how it shall run.
//
//   DATA_DIR/postgres/data/            what PostgreSQL itself writes; only the account that runs it may enter
//                     run/             the socket
//                     passwords.json   of the three roles
//                     postgresql.conf  and pg_hba.conf, written anew at each start
//                     server.log       what PostgreSQL says, limited in size

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
  // PostgreSQL and the lock tell folders apart by their real path.
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

/** A DATA_DIR that exists keeps its permissions: they are its owner's decision. */
async function makeDataDir(dataDir: string, account: Account | undefined): Promise<void> {
  await mkdir(dirname(dataDir), { recursive: true })
  const existed = await stat(dataDir).then((found) => found.isDirectory(), ignoring('ENOENT'))
  if (existed === true) return
  await mkdir(dataDir, { mode: 0o700 }).catch(async (error: unknown) => {
    // Another process may have made it in between, and that is as good.
    const found = await stat(dataDir).catch(() => undefined)
    if (found?.isDirectory() !== true) throw error
  })
  if (account !== undefined) await letPass(dataDir, account)
}

async function makeHome(home: string, account: Account | undefined): Promise<void> {
  const { uid } = await stat(dirname(home))
  const made = await mkdir(home, { mode: 0o700 }).then(() => true, ignoring('EEXIST'))
  if (account === undefined) return
  if (made === true) await giveFolder(home, { uid, gid: account.gid })
  await letPass(home, account)
}

/**
 * The account may pass through to what it owns, as the folder's group, and no more: it must not be able to put
 * anything where we write as root.
 */
async function letPass(folder: string, account: Account): Promise<void> {
  const { uid } = await stat(folder)
  await giveFolder(folder, { uid, gid: account.gid, mode: 0o710 })
}
