// Rules for test files that share a process, where a module runs once, when the first file imports it.

import type { Case, Rule } from './house-rules.ts'
import { processFolders } from './tiers.ts'

const ofTests = (path: string): boolean => path.startsWith('tests/') && path.endsWith('.ts')
const mayStartProcesses = (path: string): boolean =>
  /\.(alone|slow)\.test\.ts$/.test(path) || processFolders.some((folder) => path.startsWith(`tests/${folder}/`))

/**
 * Vitest gives a hook to the file that it is loading, so a hook at the top of a module belongs to the first file alone.
 */
const hooksAreCalledFor: Rule = (tree) =>
  tree
    .filter(({ path }) => ofTests(path) && !path.endsWith('.test.ts') && path !== 'tests/support/worker-setup.ts')
    .filter(({ text }) => /^(before|after)(All|Each)\(/m.test(text))
    .map(({ path }) => `${path} has a hook at its top, which only the first test file gets; write a function use…()`)

/** Only the projects of these files build the command's bundle. */
const processesAreStartedInTheirFolders: Rule = (tree) =>
  tree
    .filter(
      ({ path, text }) => ofTests(path) && !mayStartProcesses(path) && text.includes("from '#tests/cli/support.ts'"),
    )
    .map(
      ({ path }) => `${path} starts processes; move it to a folder of tests/support/tiers.ts, or name it .slow.test.ts`,
    )

/** A process identifies a statement by its name, and refuses a second one of that name. */
const statementsHaveNamesOfTheirOwn: Rule = (tree) => {
  const homes = new Map<string, string>()
  return tree
    .filter(({ path }) => ofTests(path))
    .flatMap(({ path, text }) => {
      const names = [...text.matchAll(/\bstatement\(\s*'([\w.]+)'/g)].map(([, name = '']) => name)
      return [...new Set(names)].flatMap((name) => {
        const home = homes.get(name)
        homes.set(name, home ?? path)
        return home === undefined ? [] : [`${path} names a statement ${name}, as ${home} does`]
      })
    })
}

export const processCases: Case[] = [
  [
    'what test files share has no hook at its top',
    hooksAreCalledFor,
    {
      'tests/base/a.ts': 'afterEach(close)\n',
      'tests/base/b.ts': 'function useB() {\n  afterEach(close)\n}\n',
      'tests/base/c.test.ts': 'afterEach(close)\n',
      'tests/support/worker-setup.ts': 'afterAll(close)\n',
    },
    ['tests/base/a.ts has a hook at its top, which only the first test file gets; write a function use…()'],
  ],
  [
    'test files that start processes stand in the folders for them',
    processesAreStartedInTheirFolders,
    {
      'tests/base/a.test.ts': "import { manilla } from '#tests/cli/support.ts'\n",
      'tests/cli/b.test.ts': "import { manilla } from '#tests/cli/support.ts'\n",
    },
    ['tests/base/a.test.ts starts processes; move it to a folder of tests/support/tiers.ts, or name it .slow.test.ts'],
  ],
  [
    'no two test files give one name to a statement',
    statementsHaveNamesOfTheirOwn,
    {
      'tests/base/a.test.ts': "statement('sample.one', 'select 1')\nstatement('sample.one', 'select 1')\n",
      'tests/base/b.ts': "statement(\n  'sample.one',\n  'select 2')\nstatement('sample.two', 'select 2')\n",
    },
    ['tests/base/b.ts names a statement sample.one, as tests/base/a.test.ts does'],
  ],
]
