// One real PostgreSQL for the whole test run, in a folder of its own, with the migrated template that each test file
// copies. Its disk writes are not forced: nothing here outlives the run (tests/faults/ use clusters of their own).

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openEmbeddedPostgres } from '#embedded/open.ts'
import { migrate } from '#migrations/migrate.ts'

declare module 'vitest' {
  // Merged with vitest's own: what this set-up hands to the test files.
  interface ProvidedContext {
    ownerUrl: string
    serviceUrl: string
  }
}

export const templateName = 'manilla_template'

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'manilla-test-'))
  const postgres = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  const admin = new pg.Client({ connectionString: postgres.ownerUrl })
  await admin.connect()
  await admin.query(`create database ${templateName}`)
  await admin.end()
  await migrate(withDatabase(postgres.ownerUrl, templateName))
  project.provide('ownerUrl', postgres.ownerUrl)
  project.provide('serviceUrl', postgres.serviceUrl)
  return async () => {
    await postgres.release()
    await rm(dataDir, { recursive: true, force: true })
  }
}

export function withDatabase(url: string, name: string): string {
  // The host of a socket is a folder, in the query: such an address is not one that URL would read.
  return url.replace(/(@[^/]*\/)[^?]*/, `$1${name}`)
}
