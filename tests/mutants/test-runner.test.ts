// The process in which mutants are shown to tests: a test that takes too long is broken off at any moment, and the next one runs.

import { afterAll, expect, it } from 'vitest'
import { createTestRunner } from '#scripts/mutants/test-runner.ts'

const none = { ownerUrl: '', serviceUrl: '', runFolder: '', gate: '' }
const runner = await createTestRunner({ database: none, textOf: () => undefined })
afterAll(() => runner.close())

const quick = 'tests/mutants/report.test.ts'

it.each([0, 1, 5, 20])('goes on after a test that was to be broken off %i ms after it began', async (limitMs) => {
  await runner.run(quick, limitMs)
  expect(await runner.run(quick, 60_000)).toMatchObject({ passed: true })
})

it('says that a test took too long', async () => {
  expect(await runner.run(quick, 0)).toBe('too-slow')
})
