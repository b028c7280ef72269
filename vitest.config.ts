import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { patienceMs } from './tests/support/patience.ts'

// `#` imports are resolved by package.json. Every test file gets a database of its own (tests/support/database.ts),
// made from one template that the global set-up prepares on an embedded PostgreSQL.
export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['tests/support/global-setup.ts'],
    setupFiles: ['tests/support/worker-setup.ts'],
    pool: 'forks',
    // The default leaves one core of two idle; what tests mostly do is wait.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // More than one wait takes, so that a test that hangs says what it waited for.
    testTimeout: 3 * patienceMs,
    hookTimeout: 3 * patienceMs,
    expect: { poll: { timeout: patienceMs, interval: 20 } },
  },
})
