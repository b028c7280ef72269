// One real PostgreSQL for the whole test run (ground.ts), in the run's folder, with the migrated template that each
// test file copies. Its disk writes are not forced, because nothing here outlives the run (tests/faults/ use clusters
// of their own).

import type { ProvidedContext } from 'vitest'
import type { TestProject } from 'vitest/node'
import { migrate } from '#postgres/migrations/migrate.ts'
import { chromiumFile } from './chromium.ts'
import { citusUrl, makeCitusTemplate } from './citus.ts'
import { startGround } from './ground.ts'
import { asOwner } from './owner.ts'
import { beginRun } from './run.ts'
import { beginSite } from './site.ts'

declare module 'vitest' {
  // The values that this set-up hands to the test files; merged with vitest's own type.
  interface ProvidedContext {
    ownerUrl: string
    serviceUrl: string
    runFolder: string
    gate: string
  }
}

export const templateName = 'manilla_template'

export default async (project: TestProject): Promise<() => Promise<void>> => {
  if (chromiumFile === undefined) {
    process.stderr.write('There is no Chromium on this machine: the tests that drive a browser are skipped.\n')
  }
  const endSite = beginSite()
  const end = await setUp((name, value) => project.provide(name, value), [project.tmpDir])
  return async () => {
    await endSite()
    await end()
  }
}

/** Resolves with a function that ends it. `elsewhere`: existing folders for this run. */
export async function setUp(
  provide: (name: keyof ProvidedContext, value: string) => void,
  elsewhere: string[] = [],
): Promise<() => Promise<void>> {
  const run = await beginRun(elsewhere)
  const { ownerUrl, serviceUrl, gate, end } = await startGround(run)
  if (citusUrl === undefined) {
    await asOwner({ ownerUrl }, `create database ${templateName}`)
    await migrate(withDatabase(ownerUrl, templateName))
  } else await makeCitusTemplate(citusUrl, templateName)
  provide('ownerUrl', ownerUrl)
  provide('serviceUrl', serviceUrl)
  provide('runFolder', run.folder)
  provide('gate', gate)
  return async () => {
    await end()
    await run.end()
  }
}

export function withDatabase(url: string, name: string): string {
  // The address of a socket has its folder in the query, so URL cannot read it.
  return url.replace(/(@[^/]*\/)[^?]*/, `$1${name}`)
}
