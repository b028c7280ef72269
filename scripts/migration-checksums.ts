// Writes db/migrations/checksums.txt: the SHA-256 of each migration. After the first release it only adds lines for new
// files, so that an edit of an old migration fails the tests (tests/tidy.test.ts). Before the first release no data
// depends on the migrations, so it writes the lines anew from the files.

import { readFile } from 'node:fs/promises'
import { readMigrations } from '#postgres/migrations/files.ts'

export async function migrationChecksums(before = ''): Promise<string> {
  const known = (await anyRelease()) ? before.split('\n').filter((line) => line !== '') : []
  const names = new Set(known.map((line) => line.split('  ')[1]))
  const added = (await readMigrations()).filter(({ name }) => !names.has(name))
  return [...known, ...added.map(({ checksum, name }) => `${checksum}  ${name}`)].map((line) => `${line}\n`).join('')
}

async function anyRelease(): Promise<boolean> {
  const changelog = await readFile(new URL('../CHANGELOG.md', import.meta.url), 'utf8')
  return /^## \[\d/m.test(changelog)
}
