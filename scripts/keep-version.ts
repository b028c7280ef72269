// The last step of a release, `npm run keep-version`: writes down every statement of this version, so that the migrations of the
// next one are held against what still runs while they are applied (tests/migrations/version-before.test.ts).

import { glob, readFile, writeFile } from 'node:fs/promises'
import { statementTexts } from '#base/statement.ts'
import { version } from '#config.ts'
import { readMigrations } from '#migrations/files.ts'

const file = new URL('../tests/migrations/version-before.json', import.meta.url)

// Whoever asks anything makes its statements as it is loaded. A program in bin/ would begin its work.
const source = new URL('../src/', import.meta.url)
for await (const name of glob('!(bin)/**/*.ts', { cwd: source })) await import(new URL(name, source).href)

const migrations = await readMigrations()
const statements = Object.fromEntries(
  [...statementTexts()]
    .map(([name, text]): [string, string] => [name, text.replaceAll(/\n +/g, '\n')])
    .toSorted(([one], [other]) => (one < other ? -1 : 1)),
)
const kept = { version, lastMigration: migrations.at(-1)?.name, statements }
const before = await readFile(file, 'utf8').catch(() => '')
const after = `${JSON.stringify(kept, null, 2)}\n`
await writeFile(file, after)
console.log(
  before === after ? 'the version was kept already' : `kept ${Object.keys(statements).length} statements of ${version}`,
)
