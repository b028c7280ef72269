// Starts, asks and stops a child process. Each child answers every message of its parent with one message.

import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

export type Child = {
  ask<A>(message: unknown): Promise<A>
  stop(): Promise<void>
}

/** The memory of a process now, and the processor time that it has used since its start. */
export type Usage = { rssBytes: number; cpuMicros: number }

const stopLimitMs = 10_000

export function startChild(script: string, execArgv: string[] = []): Child {
  const child = fork(path.join(import.meta.dirname, script), {
    execArgv,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let tail: Promise<unknown> = Promise.resolve()
  return {
    ask<A>(message: unknown) {
      const answer = tail.then(() => exchange<A>(child, script, message))
      tail = answer.catch(() => undefined)
      return answer
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.disconnect() // A child ends by itself when its parent disconnects.
      const kill = setTimeout(() => child.kill('SIGKILL'), stopLimitMs)
      await ended
      clearTimeout(kill)
    },
  }
}

async function exchange<A>(child: ChildProcess, script: string, message: unknown): Promise<A> {
  const ended = new AbortController()
  const dead = (): void => ended.abort(new Error(`bench/${script} ended before it answered`))
  child.once('exit', dead)
  try {
    const answered = once(child, 'message', { signal: ended.signal })
    child.send(message as object)
    const [answer] = (await answered) as [{ error?: string } & A]
    if (answer.error !== undefined) throw new Error(`bench/${script}: ${answer.error}`)
    return answer
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error
  } finally {
    child.off('exit', dead)
  }
}

/** Runs in the child: answers each message of the parent, and ends when the parent disconnects. */
export function serveParent(
  answer: (message: never) => Promise<object>,
  end: () => Promise<void> = () => Promise.resolve(),
): void {
  process.on('message', (message) => {
    answer(message as never).then(
      (reply) => process.send?.(reply),
      (error: unknown) =>
        process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  process.on('disconnect', () => void end().finally(() => process.exit(0)))
  // A terminal sends Ctrl-C to all processes. The child ignores it and ends when its parent disconnects.
  process.on('SIGINT', () => undefined)
}

export function usage(): Usage {
  const { user, system } = process.cpuUsage()
  return { rssBytes: process.memoryUsage.rss(), cpuMicros: user + system }
}
