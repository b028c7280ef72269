// A process for test files that stays when vitest thinks that it has ended: to start one, and to load the packages anew,
// costs more than most test files do. What is ours is loaded anew for each of them.

import { fork as forkProcess, type ChildProcess } from 'node:child_process'
import type { PoolOptions, PoolWorker, WorkerRequest } from 'vitest/node'

export type WarmProcess = {
  pool: { name: string; createPoolWorker: (options: PoolOptions) => PoolWorker }
  /** The next test file loads this one anew as it is then. Else vitest may take it for what it was. */
  forget(file: string): void
  /** Called when a test file is in the process. Ended before that, it leaves vitest waiting for it for ever. */
  whenRunning(listener: () => void): void
  /** At once. The next test file gets a new one. */
  end(): void
}

export function createWarmProcess(): WarmProcess {
  let warm: ChildProcess | undefined
  let onRun: (() => void) | undefined
  const forgotten = new Set<string>()

  /** For one test file; vitest believes that it has a process of its own. */
  function createPoolWorker(options: PoolOptions): PoolWorker {
    const isNew = warm === undefined
    const child = (warm ??= fork(options))
    // Between two test files nobody else looks.
    if (isNew) child.once('exit', () => void (warm = warm === child ? undefined : warm))
    const listeners: [event: string, callback: (message: unknown) => void][] = []
    const answer = (type: 'started' | 'stopped'): void => {
      for (const [event, callback] of listeners)
        if (event === 'message') callback({ __vitest_worker_response__: true, type })
    }
    return {
      name: 'warm',
      cacheFs: true,
      start: async () => undefined,
      async stop() {
        for (const [event, callback] of listeners) child.off(event, callback)
      },
      send(message) {
        if (message.type === 'start' && !isNew) answer('started')
        else if (message.type === 'stop') answer('stopped')
        else if (message.type === 'run') run(child, message)
        else if (child.connected) child.send(message)
      },
      on(event, callback) {
        listeners.push([event, callback])
        child.on(event, callback)
      },
      off: (event, callback) => child.off(event, callback),
      deserialize: (data) => data,
    }
  }

  function run(child: ChildProcess, { context, ...message }: Extract<WorkerRequest, { type: 'run' }>): void {
    const invalidates = [...(context.invalidates ?? []), ...forgotten]
    forgotten.clear()
    child.send({ ...message, context: { ...context, invalidates } })
    onRun?.()
  }

  return {
    pool: { name: 'warm', createPoolWorker },
    forget: (file) => void forgotten.add(file),
    whenRunning: (listener) => void (onRun = listener),
    end() {
      warm?.kill('SIGKILL')
      warm = undefined
    },
  }
}

function fork({ env, execArgv }: PoolOptions): ChildProcess {
  return forkProcess(`${import.meta.dirname}/warm-worker.ts`, {
    env: { ...process.env, ...env },
    execArgv,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}
