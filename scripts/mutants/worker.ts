// One process that has test files run, one at a time, against the files as the pool wants them to be.

import { assert } from '#base/assert.ts'
import { apply, type Edit } from './edit.ts'
import { mutatedSources } from './mutant.ts'
import { telling } from './reach.ts'
import { createTestRunner, type Answer } from './test-runner.ts'

/** Without a mutant it is told what the test reaches. */
export type Job = { test: string; limitMs: number; mutant?: Edit & { file: string } }

const sources = mutatedSources()
const texts = new Map<string, string>()
let served: Job['mutant']
let mark = 0

const runner = await createTestRunner({
  database: JSON.parse(process.argv[2] ?? '') as Parameters<typeof createTestRunner>[0]['database'],
  textOf: (file) => texts.get(file),
  setupFiles: ['scripts/mutants/reach-setup.ts'],
})

function serve(mutant: Job['mutant']): void {
  const changed =
    mutant === undefined || served === undefined
      ? sources
      : sources.filter(({ file }) => [mutant.file, served?.file].includes(file))
  for (const source of changed) {
    const { file, text } = source
    if (mutant === undefined) texts.set(file, telling(source))
    else texts.set(file, file === mutant.file ? marked(apply(text, mutant)) : text)
    runner.changed(file)
  }
  served = mutant
}

/** Whoever loads this tells so: a test's word about a mutant that it has not loaded would be one about another. */
function marked(text: string): string {
  mark += 1
  return `globalThis.reached?.add('mutant ${mark}');${text}`
}

async function answer({ test, limitMs, mutant }: Job): Promise<Answer> {
  serve(mutant)
  const found = await runner.run(test, limitMs)
  if (mutant !== undefined && found !== 'too-slow' && (found.passed || found.reached.length > 0))
    assert(found.reached.includes(`mutant ${mark}`), `${test} has not loaded ${mutant.file} as it should be`)
  return found
}

process.on('message', (job: Job) => {
  void answer(job).then((found) => process.send?.(found))
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
