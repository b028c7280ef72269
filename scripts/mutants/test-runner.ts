// vitest, warm: it stays, and runs one test file after the other in a process that stays as well, while the files that it
// serves change under it. The database is the same for all of them.

import path from 'node:path'
import { createVitest, type CliOptions, type TestModule } from 'vitest/node'
import type { ProvidedContext } from 'vitest'
import { createWarmProcess } from './warm-process.ts'

export type TestResult = {
  passed: boolean
  /** The first one that failed, and why. */
  failure: string | undefined
  ms: number
  /** Of its process, for this file: on a busy machine it is about the same, and the time is not. */
  cpuMs: number
  reached: string[]
}

export type Answer = TestResult | 'too-slow'

export type TestRunner = {
  run(test: string, limitMs: number): Promise<Answer>
  /** The file will be read again. */
  changed(file: string): void
  close(): Promise<void>
}

export type TestRunnerOptions = {
  database: ProvidedContext
  /** What a file says in place of what it says on the disk; undefined: that. */
  textOf: (file: string) => string | undefined
  setupFiles?: string[]
}

const usual: CliOptions = {
  config: false,
  watch: false,
  include: ['tests/**/*.test.ts'],
  maxWorkers: 1,
  bail: 1,
  reporters: [{}],
  silent: true,
  // As in vitest.config.ts: a busy machine is no reason to fail.
  testTimeout: 60_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 30_000, interval: 20 } },
}

export async function createTestRunner({ database, textOf, setupFiles = [] }: TestRunnerOptions): Promise<TestRunner> {
  const root = process.cwd()
  const served = {
    name: 'mutants',
    enforce: 'pre' as const,
    transform: (_code: string, id: string) => textOf(path.relative(root, id)),
  }
  const warm = createWarmProcess()
  const config = { ...usual, pool: warm.pool, provide: database, setupFiles }
  const vitest = await createVitest('test', config, { plugins: [served] })
  await vitest.standalone()

  return {
    async run(test, limitMs) {
      const specification = vitest.getRootProject().createSpecification(path.resolve(test))
      const startMs = performance.now()
      let isOver = false
      let timer: NodeJS.Timeout | undefined
      warm.whenRunning(() => {
        timer = setTimeout(() => {
          isOver = true
          warm.end()
        }, limitMs)
      })
      const { testModules, unhandledErrors } = await vitest.runTestSpecifications([specification])
      clearTimeout(timer)
      if (isOver) return 'too-slow'
      const module = testModules.find(({ moduleId }) => moduleId === specification.moduleId)
      const passed = module?.state() === 'passed' && unhandledErrors.length === 0
      const ms = Math.round(performance.now() - startMs)
      const { reached = [], cpuMs = 0, leftBehind = true } = module?.meta() ?? {}
      if (leftBehind || unhandledErrors.length > 0) warm.end()
      return { passed, failure: failureOf(module), ms, cpuMs, reached }
    },
    changed(file) {
      vitest.invalidateFile(path.resolve(file))
      warm.forget(path.resolve(file))
    },
    async close() {
      warm.end()
      await vitest.close()
    },
  }
}

function failureOf(module: TestModule | undefined): string | undefined {
  for (const test of module?.children.allTests('failed') ?? [])
    return `${test.fullName}: ${test.result().errors?.[0]?.message}`
  return module?.errors()[0]?.message
}
