// The folders and settings of one embedded PostgreSQL in one DATA_DIR.
//
//   DATA_DIR/postgres/data/            files of PostgreSQL; only the account that runs it may enter
//                     run/             the socket
//                     passwords.json   passwords of the three roles
//                     postgresql.conf  and pg_hba.conf, rewritten at each start
//                     server.log       messages of PostgreSQL, limited in size

import { mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { totalmem } from 'node:os'
import { chooseAccount, findBinaries, type Launcher, makeLauncher, type SystemAccount } from './launch.ts'
import { chownFolder, ignoreErrors, readIfThere, writeWhole } from './folders.ts'

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
  // PostgreSQL and the lock of `inTurn` need the real path.
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

/** An existing DATA_DIR keeps its permissions, because its owner chose them. */
async function makeDataDir(dataDir: string, account: SystemAccount | undefined): Promise<void> {
  await mkdir(dirname(dataDir), { recursive: true })
  const existed = await stat(dataDir).then((found) => found.isDirectory(), ignoreErrors('ENOENT'))
  if (existed === true) return
  await mkdir(dataDir, { mode: 0o700 }).catch(async (error: unknown) => {
    const found = await stat(dataDir).catch(() => undefined)
    if (found?.isDirectory() !== true) throw error
  })
  if (account !== undefined) await allowTraversal(dataDir, account)
}

async function makeHome(home: string, account: SystemAccount | undefined): Promise<void> {
  const { uid } = await stat(dirname(home))
  const made = await mkdir(home, { mode: 0o700 }).then(() => true, ignoreErrors('EEXIST'))
  if (account === undefined) return
  if (made === true) await chownFolder(home, { uid, gid: account.gid })
  await allowTraversal(home, account)
}

/**
 * Lets the account pass through the folder, as its group, and no more: it must not create files where we write as root.
 */
async function allowTraversal(folder: string, account: SystemAccount): Promise<void> {
  const { uid } = await stat(folder)
  await chownFolder(folder, { uid, gid: account.gid, mode: 0o710 })
}

// The configuration of the embedded PostgreSQL. It is rewritten at each start, so a newer Manilla changes the settings
// of existing data. An operator's ALTER SYSTEM takes precedence.

const bytesPerMegabyte = 1024 * 1024
const smallMachineMegabytes = 4096

const accessRules = `# Written by Manilla at each start: what is changed here is lost.
local all         all scram-sha-256
local replication all scram-sha-256
`

export function settingsPath(cluster: Cluster): string {
  return join(cluster.home, 'postgresql.conf')
}

export async function writeSettings(cluster: Cluster): Promise<boolean> {
  const access = join(cluster.home, 'pg_hba.conf')
  await writeIfOther(access, accessRules)
  return await writeIfOther(settingsPath(cluster), settings(cluster, cluster.launcher.pathOf(access)))
}

function settings(cluster: Cluster, access: string): string {
  const memoryMegabytes = Math.floor(totalmem() / bytesPerMegabyte)
  // Off in tests. Besides the durability, it switches WAL compression, which would be most of the cost of copying a
  // database for each test file.
  const durable = cluster.durable ? 'on' : 'off'
  // A test run has several services in each of its processes, so it needs more connections.
  const connections = cluster.durable ? 100 : 400
  return `# Written by Manilla at each start: what is changed here is lost. ALTER SYSTEM lasts.
hba_file = ${quote(access)}
# Reached through a socket in a closed folder only, so no port can be taken and no other user can connect.
listen_addresses = ''
port = 5432
max_connections = ${connections}
password_encryption = 'scram-sha-256'

# An answered transfer survives a power cut.
fsync = ${durable}
synchronous_commit = ${durable}
full_page_writes = ${durable}

shared_buffers = ${memoryMegabytes < smallMachineMegabytes ? 128 : 256}MB
effective_cache_size = ${Math.max(256, Math.floor(memoryMegabytes / 2))}MB
maintenance_work_mem = 64MB
work_mem = 8MB
# Shared memory for single queries lies in files: containers give /dev/shm 64 MB, and systemd empties it at log-out.
dynamic_shared_memory_type = mmap

# Checkpoints are rare and spread out, so that they don't show in the latency of transfers.
max_wal_size = 2GB
min_wal_size = 256MB
checkpoint_timeout = 5min
checkpoint_completion_target = 0.9
wal_compression = ${durable}

# Many short statements: compiling them or sharing one among processes costs more than it gives.
jit = off
max_parallel_workers_per_gather = 0
random_page_cost = 1.1

# Balance rows are updated thousands of times a second, and their dead versions slow every query down.
autovacuum_naptime = 10s
autovacuum_vacuum_scale_factor = 0.05
autovacuum_analyze_scale_factor = 0.02
autovacuum_vacuum_cost_limit = 1000

log_destination = 'stderr'
logging_collector = off
log_line_prefix = '%m [%p] '
log_checkpoints = off
# Who paid whom stands in rows and statements, and has no business in a log: errors come without DETAIL and STATEMENT.
log_error_verbosity = terse
log_min_error_statement = panic
lc_messages = 'C'
log_timezone = 'UTC'
timezone = 'UTC'
`
}

async function writeIfOther(path: string, content: string): Promise<boolean> {
  if ((await readIfThere(path)) === content) return false
  // The group of the folder is the account that runs PostgreSQL. It may read, and only the owner may write.
  await writeWhole(path, content, 0o640)
  return true
}

function quote(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}
