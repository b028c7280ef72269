import { defineConfig } from 'vitest/config'

// `#` imports are resolved by package.json. Every test file gets a database of its own (tests/support/database.ts),
// made from one template that the global set-up prepares on an embedded PostgreSQL.
export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['tests/support/global-setup.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
