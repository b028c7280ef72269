// `npm run generate`: writes the files that are made from the code and the documents. With --check (`npm run generated`) it writes
// nothing, names each file that is stale, and exits with 1 if there is one.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { bankAliasesFile, eventsFile, magicNumbersFile, receiversFile } from './dashboard-texts.ts'
import { errorDocs } from './error-docs.ts'
import { migrationChecksums } from './migration-checksums.ts'
import { openApiFile } from './openapi-file.ts'
import { postmanCollection } from './postman-collection.ts'
import { schemaDump } from './schema-dump.ts'
import { phpTypes } from './php-types.ts'
import { dashboardSchema, goTypes, pythonTypes, sdkTypes } from './schema-types.ts'

type Generated = {
  file: string
  /** Returns the new content of the file; `before` is its present content. */
  make: (before: string | undefined) => string | Promise<string>
}

const root = fileURLToPath(new URL('..', import.meta.url))

const files: Generated[] = [
  { file: 'docs/openapi.json', make: openApiFile },
  { file: 'docs/manilla.postman_collection.json', make: postmanCollection },
  { file: 'dashboard/src/api/schema.ts', make: dashboardSchema },
  { file: 'sdk/typescript/src/types.ts', make: sdkTypes },
  { file: 'sdk/python/src/manilla/types.py', make: pythonTypes },
  { file: 'sdk/go/types.go', make: goTypes },
  { file: 'sdk/php/src/Types.php', make: phpTypes },
  { file: 'docs/errors.md', make: errorDocs },
  { file: 'dashboard/src/api/receivers.json', make: receiversFile },
  { file: 'dashboard/src/api/events.json', make: eventsFile },
  { file: 'dashboard/src/api/magic-numbers.json', make: magicNumbersFile },
  { file: 'dashboard/src/api/bank-aliases.json', make: bankAliasesFile },
  { file: 'db/migrations/checksums.txt', make: migrationChecksums },
  { file: 'db/schema.sql', make: schemaDump },
]

async function generate(checking: boolean): Promise<string[]> {
  const stale: string[] = []
  for (const { file, make } of files) {
    const before = await readFile(path.join(root, file), 'utf8').catch(() => undefined)
    const after = await make(before)
    if (after === before) continue
    stale.push(file)
    if (checking) continue
    await mkdir(path.dirname(path.join(root, file)), { recursive: true })
    await writeFile(path.join(root, file), after)
  }
  return stale
}

const checking = process.argv.includes('--check')
const stale = await generate(checking)
for (const file of stale) {
  console.log(checking ? `${file} is stale. Run: npm run generate` : `wrote ${file}`)
}
if (stale.length === 0) console.log(`${files.length} generated files are up to date`)
if (checking && stale.length > 0) process.exitCode = 1
