// Every statement of a day costs the same when the tables have grown, whatever statistics the planner has, and although
// each connection keeps its plans from the day on which the tables were empty. The test finds the statements itself;
// one that may cost more stands in exempt.ts.

import { glob } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { statementTexts } from '#platform/db/statement.ts'
import { costsMore, notEveryDay } from './exempt.ts'
import { asked, expectDaysAlike, namesOf } from './grown.ts'

it('a day costs what it cost when it goes on in tables that were never analysed, and then are', async () => {
  await expectDaysAlike({ analysedYoung: false })
})

it('statements that may cost more are listed, and run on the pool, which plans each time', async () => {
  const root = path.join(import.meta.dirname, '../..')
  for await (const file of glob('src/*/**/*.ts', { cwd: root, exclude: ['src/bin/**'] }))
    await import(path.join(root, file))
  const names = [...statementTexts().keys()].filter((name) => !name.startsWith('test.'))
  const dedicated = names.filter((name) => asked.get(name)?.dedicated === true)
  const known = namesOf([...costsMore, ...notEveryDay])
  expect(
    names.filter((name) => !asked.has(name) && !known.has(name)),
    'not asked in day.ts, and in no list of exempt.ts',
  ).toEqual([])
  expect([...namesOf(notEveryDay)].filter((name) => asked.has(name))).toEqual([])
  expect(dedicated.filter((name) => known.has(name))).toEqual([])
  expect([...known].filter((name) => !names.includes(name))).toEqual([])
})
