// A plan that is kept must have been measured on tables that grew, so no statement may be forgotten.

import { glob } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { statementNames } from '#base/statement.ts'
import { keyedOnSmallTables, keyedStatements, plannedEachTime } from '#tests/support/keyed-statements.ts'

it('every statement is planned each time, or is measured on tables that grew', async () => {
  const root = path.join(import.meta.dirname, '../..')
  for await (const file of glob('src/*/**/*.ts', { cwd: root, exclude: ['src/bin/**'] })) {
    await import(path.join(root, file))
  }
  const keyed = new Set([...Object.values(keyedStatements).flat(), ...keyedOnSmallTables])
  const names = statementNames()
  const sorted = names.map((name) => ({
    name,
    keyed: keyed.has(name),
    planned: plannedEachTime.some((which) => which.test(name)),
  }))
  expect(
    sorted.filter((one) => one.keyed === one.planned),
    'statements in neither list of tests/support/keyed-statements.ts, or in both',
  ).toEqual([])
  expect([...keyed].filter((name) => !names.includes(name))).toEqual([])
})
