// The command `manilla` bundled into a few JavaScript files, for the tests that start many processes: Node reads a
// fifth as much as from the sources, and a server starts with half of the processor time. tests/cli/compiled.test.ts,
// tests/cli/serve-tracing.test.ts, tests/cli/starter.test.ts and the runbooks start the sources, as an operator does.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, glob, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import type { TestProject } from 'vitest/node'
import { dayMs } from '#platform/durations.ts'

declare module 'vitest' {
  interface ProvidedContext {
    program: string
  }
}

const root = path.resolve(import.meta.dirname, '../..')
const sourceProgram = path.join(root, 'src', 'bin', 'manilla.js')
/** Packages that are not bundled are found from here. `.cache` may be closed to the users of some tests. */
const bundles = path.join(root, 'node_modules', '.manilla-bundles')

/** Vitest calls this for the projects whose files start the command. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('program', await bundled())
}

/** The folder is named by a hash of the sources, so that the next run can use Node's compile cache too. */
async function bundled(): Promise<string> {
  const folder = path.join(bundles, await hashOfSources())
  const program = path.join(folder, 'manilla.js')
  if (existsSync(program)) return program
  await mkdir(bundles, { recursive: true })
  await removeOld()
  const made = await mkdtemp(path.join(bundles, 'new-'))
  await chmod(made, 0o755) // A test that runs as root starts it as another user too.
  const bundle = await rolldown({
    input: sourceProgram,
    platform: 'node',
    // The driver loads this package only where it is installed, and here it is not.
    external: ['pg-native'],
    plugins: [{ name: 'places', transform: keepPlaces }],
  })
  await bundle.write({ dir: made, format: 'esm' })
  await bundle.close()
  // Another run may have built the same meanwhile.
  await rename(made, folder).catch(() => rm(made, { recursive: true }))
  return program
}

/** Bundles that another run of this checkout may still use stay. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(bundles)) {
    const one = path.join(bundles, name)
    if (Date.now() - (await stat(one)).mtimeMs > dayMs) await rm(one, { recursive: true, force: true })
  }
}

async function hashOfSources(): Promise<string> {
  const files: string[] = []
  const sources = [
    'package.json',
    'package-lock.json',
    'tests/support/program.ts',
    '{src,sdk/typescript/src}/**/*.{ts,js}',
  ]
  for await (const file of glob(sources, { cwd: root })) files.push(file)
  const hash = createHash('sha256')
  for (const file of files.toSorted()) hash.update(`${file}\n`).update(await readFile(path.join(root, file)))
  return hash.digest('hex').slice(0, 16)
}

/** Files that a module finds beside itself (migrations, fonts, the dashboard) stay where they are. */
function keepPlaces(code: string, id: string): string | undefined {
  if (id.includes('/node_modules/')) return undefined
  return code
    .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(id)))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
}
