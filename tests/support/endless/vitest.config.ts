import { defineConfig } from 'vitest/config'

// For tests/support/run.test.ts, which kills this run: the real set-up around one file that never ends.
export default defineConfig({
  test: {
    include: ['tests/support/endless/endless.ts'],
    globalSetup: ['tests/support/global-setup.ts', 'tests/support/program.ts'],
    setupFiles: ['tests/support/worker-setup.ts'],
    pool: 'forks',
    testTimeout: 0,
  },
})
