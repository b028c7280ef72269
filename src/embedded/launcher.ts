// How a program of PostgreSQL is run: as which account, with which environment, and to its end or on its own.
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { dirname } from 'node:path'
import { OperatorError } from '#base/error.ts'
import { findBarrier, type Account } from './system-account.ts'

export type Launcher = {
  account: Account | undefined
  launch(program: string, args: string[], options?: SpawnOptions): ChildProcess
}

export type Ended = { code: number | undefined; output: string }

const outputCharsMax = 20_000
const checkLimitMs = 10_000

/** `paths` are the folders that the account must be able to reach. */
export async function makeLauncher(program: string, account: Account | undefined, paths: string[]): Promise<Launcher> {
  if (account === undefined) return { account, launch: (file, args, options) => start([file, ...args], options) }
  const barrier = await firstBarrier([dirname(program), ...paths], account)
  if (barrier === undefined) {
    const { uid, gid } = account
    return { account, launch: (file, args, options) => start([file, ...args], { ...options, uid, gid }) }
  }
  const prefix = passingBarriers(account)
  const launcher: Launcher = { account, launch: (file, args, options) => start([...prefix, file, ...args], options) }
  // Both setpriv and the capability may be missing, which only a trial tells.
  const trial = await runToEnd(launcher, program, ['--version'], { limitMs: checkLimitMs })
  if (trial.code === 0) return launcher
  throw new OperatorError(
    `PostgreSQL does not run as root, and user ${account.name}, who would run it, may not enter ${barrier}: move ` +
      'the checkout and DATA_DIR out of there, run Manilla as an ordinary user, or set DATABASE_URL.',
  )
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

function start(words: string[], options: SpawnOptions = {}): ChildProcess {
  const [file = '', ...args] = words
  // Nothing of our environment reaches PostgreSQL: a PGDATA or LC_ALL of the operator's shell must not change it.
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  return spawn(file, args, { ...options, cwd: '/', env })
}

/**
 * A folder such as /root is closed to others. The capability to pass closed folders lets the account in without
 * changing a permission outside of DATA_DIR. `dac_read_search` would be enough and is weaker, but containers have only
 * `dac_override` by default. The secure bit makes access(2) count the capability too: with it initdb asks whether
 * there is a postgres beside it.
 */
function passingBarriers(account: Account): string[] {
  const identity = ['--reuid', `${account.uid}`, '--regid', `${account.gid}`, '--clear-groups']
  const capability = ['--inh-caps', '+dac_override', '--ambient-caps', '+dac_override']
  return ['setpriv', ...identity, ...capability, '--securebits', '+no_setuid_fixup', '--']
}

async function firstBarrier(paths: string[], account: Account): Promise<string | undefined> {
  for (const path of paths) {
    const barrier = await findBarrier(path, account)
    if (barrier !== undefined) return barrier
  }
  return undefined
}
