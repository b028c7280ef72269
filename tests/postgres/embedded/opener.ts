import { openEmbeddedPostgres, type EmbeddedOptions } from '#postgres/embedded/open.ts'

// A process of its own that opens the embedded database, for tests that kill processes or need several. It reads its
// options from the command line, reports each event as a line of JSON, and releases the database at the end of its
// input.

const options = JSON.parse(process.argv[2] ?? '{}') as EmbeddedOptions
const say = (line: Record<string, unknown>) => process.stdout.write(`${JSON.stringify(line)}\n`)

try {
  const database = await openEmbeddedPostgres({
    ...options,
    onStep: (step) => say({ step }),
    onIncident: (incident) => say({ incident }),
  })
  say({ ownerUrl: database.ownerUrl, serviceUrl: database.serviceUrl })
  process.stdin.resume().once('end', () => void database.release().then(() => say({ released: true })))
} catch (error) {
  say({ error: error instanceof Error ? error.message : String(error), name: error instanceof Error ? error.name : '' })
}
