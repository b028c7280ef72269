// The processes that run the tests, and what is done for as long as there is something to do.

import { fork, type ChildProcess } from 'node:child_process'
import type { ProvidedContext } from 'vitest'
import type { Answer } from './test-runner.ts'
import type { Job } from './worker.ts'

export type Ask = (job: Job) => Promise<Answer>

/** Whoever is asked only what earlier runs found out does not know more. */
export class NotAsked extends Error {}

export const nobody: Pick<Pool, 'each'> = {
  async each(items, work) {
    for (const item of items) await work(item, () => Promise.reject(new NotAsked()))
  },
}

export class Pool {
  readonly #database: ProvidedContext
  readonly #size: number
  readonly #children = new Set<ChildProcess>()
  #stopped = false

  constructor(database: ProvidedContext, size: number) {
    this.#database = database
    this.#size = size
  }

  /** All of the items, each with a process of its own to ask. */
  async each<T>(items: readonly T[], work: (item: T, ask: Ask) => Promise<void>): Promise<void> {
    const rest = [...items].toReversed()
    await Promise.all(
      Array.from({ length: this.#size }, async () => {
        let child: ChildProcess | undefined
        const ask: Ask = async (job) => {
          child ??= await this.#start()
          child.send(job)
          return nextMessage(child)
        }
        for (let item = rest.pop(); item !== undefined; item = rest.pop()) await work(item, ask)
        if (child !== undefined) this.#kill(child)
      }),
    )
  }

  get isStopped(): boolean {
    return this.#stopped
  }

  stop(): void {
    this.#stopped = true
    for (const child of this.#children) this.#kill(child)
  }

  async #start(): Promise<ChildProcess> {
    const program = `${import.meta.dirname}/worker.ts`
    // A group of its own, so that the processes of its tests end with it.
    const child = fork(program, [JSON.stringify(this.#database)], {
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#children.add(child)
    await nextMessage(child)
    return child
  }

  #kill(child: ChildProcess): undefined {
    this.#children.delete(child)
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL')
  }
}

function nextMessage(child: ChildProcess): Promise<Answer> {
  return new Promise((resolve, reject) => {
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      resolve(message as Answer)
    })
    function onExit(code: number | null): void {
      reject(new Error(`a process that runs tests ended with ${code}`))
    }
  })
}
