// One process that has test files run, one at a time, against the files as the pool wants them to be.

import { apply, type Edit } from './edit.ts'
import { mutatedSources } from './mutant.ts'
import { telling } from './reach.ts'
import { createTestRunner, type Answer } from './test-runner.ts'

/** Without a mutant it is told what the test reaches. */
export type Job = { test: string; limitMs: number; mutant?: Edit & { file: string } }

const sources = mutatedSources()
const texts = new Map<string, string>()
let served: Job['mutant']

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
    else texts.set(file, file === mutant.file ? apply(text, mutant) : text)
    runner.changed(file)
  }
  served = mutant
}

process.on('message', (job: Job) => {
  serve(job.mutant)
  void runner.run(job.test, job.limitMs).then((answer: Answer) => process.send?.(answer))
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
