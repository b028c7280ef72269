import { availableParallelism } from 'node:os'
import path from 'node:path'
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config'
import { browser, isolated, long, processes, slow } from './tests/support/tiers.ts'
import { citusUrl } from './tests/support/citus.ts'
import { patienceMs } from './tests/support/patience.ts'
import { LongestFirst } from './tests/support/sequencer.ts'

/** How PostgreSQL alone plans what it has no statistics of. How Citus does is asked by tests/citus/statements.test.ts. */
const elsewhere =
  citusUrl === undefined
    ? []
    : ['tests/**/*no-statistics*.test.ts', 'tests/payments/neighbours.test.ts', 'tests/plans/bounded*.test.ts']

/** Files that start the command start a bundle of it. */
const program = ['tests/support/program.ts']

// `#` imports are resolved by package.json. Every test file gets a database of its own (tests/support/database.ts),
// made from one template that the global set-up prepares on an embedded PostgreSQL.
export default defineConfig({
  test: {
    // Node itself runs the TypeScript, as it does in the service. Vite would transform each file once more, and hand it over.
    // Without vitest's loader there is no vi.mock, which nobody here uses.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: ['tests/support/global-setup.ts'],
    // Three for each core: what tests mostly do is wait, and four kept two cores busy for two thirds of the time. Not more
    // than six: a test may have several services of up to 21 connections each, and the PostgreSQL that they share takes
    // four hundred, of which six have had a hundred and forty.
    maxWorkers: Math.min(3 * availableParallelism(), 6),
    sequence: { sequencer: LongestFirst },
    // `npm test` runs the projects isolated and service, `npm run test:all` runs all.
    projects: [
      project({ name: 'browser', include: browser, isolate: false, globalSetup: program }),
      project({ name: 'isolated', include: isolated, exclude: slow, isolate: true }),
      project({ name: 'long', include: long, exclude: [...isolated, ...slow, ...elsewhere], isolate: false }),
      project({ name: 'processes', include: processes, isolate: false, globalSetup: program }),
      project({
        name: 'service',
        include: ['tests/**/*.test.ts'],
        exclude: [...browser, ...isolated, ...processes, ...slow, ...long, ...elsewhere],
        isolate: false,
      }),
      project({
        name: 'slow',
        include: slow,
        exclude: [...browser, ...processes, ...elsewhere],
        isolate: true,
        globalSetup: program,
      }),
    ],
  },
})

function project(own: NonNullable<UserWorkspaceConfig['test']>): UserWorkspaceConfig {
  return {
    test: {
      ...own,
      setupFiles: ['tests/support/worker-setup.ts'],
      // Node keeps what it compiled for the next process: half of what it takes to read the service.
      env: { NODE_COMPILE_CACHE: path.resolve(import.meta.dirname, 'node_modules/.cache/manilla-tests') },
      pool: 'forks',
      // More than one wait takes, so that a test that hangs says what it waited for.
      testTimeout: 3 * patienceMs,
      hookTimeout: 3 * patienceMs,
      expect: { poll: { timeout: patienceMs, interval: 20 } },
    },
  }
}
