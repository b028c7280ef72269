// Starts a real program, reads its output, and ends it with the run; and finds a port for it. simulate/ uses it too.

import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { pollUntil } from '#postgres/embedded/server-process.ts'
import { patienceMs } from './patience.ts'
import { endsWith } from './run.ts'

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

export type Running = {
  pid: number
  stdout(): string
  stderr(): string
  /** Resolves with the first match in the standard output. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  signal(name: NodeJS.Signals): void
  /** Resolves when the program has ended and all of its output was read. */
  ended: Promise<Ended>
}

export type RunOptions = {
  env?: Record<string, string>
  /** The working folder; an empty one when absent. */
  cwd?: string
  /** Runs the program as another user, which only root can do. */
  uid?: number
}

export type Start = (words: string[], options: RunOptions) => Promise<Running>

export function launch(
  words: string[],
  { env, cwd, uid, runFolder }: RunOptions & { cwd: string; runFolder: string },
): Running {
  const [file = '', ...args] = words
  const child = spawn(file, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // The program gets a process group of its own, so that a kill reaches everything it starts and our terminal's
    // Ctrl-C does not.
    detached: true,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  endsWith(runFolder, child)
  const pid = child.pid ?? 0
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, stdout, stderr }
  })
  return {
    pid,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    signal: (name) => void process.kill(pid, name),
    async says(pattern) {
      const over = { yes: false }
      void ended.then(() => (over.yes = true))
      const look = () => Promise.resolve(pattern.exec(stdout) ?? (over.yes ? null : undefined))
      const found = await pollUntil(look, { limitMs: patienceMs })
      if (found === undefined || found === null) {
        throw new Error(
          `it ${found === null ? 'ended' : 'ran'} without saying ${pattern.source}:\n${stdout}\n${stderr}`,
        )
      }
      return found
    },
  }
}

/** Linux and macOS give no port of this range to a program that asks for any port. */
const portRange = { from: 20_000, to: 30_000 }

/**
 * A port without a listener. No other test gets it by asking for any port, neither before a server of the test listens
 * on it nor between two starts of the server.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(portRange.from, portRange.to)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!isFree) return freePort()
  await new Promise((resolve) => server.close(resolve))
  return port
}
