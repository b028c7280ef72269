// What `manilla serve` prints on the embedded database: at the first start the keys and a request to paste, later where
// the keys are.

import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '#base/context.ts'
import { formatId } from '#base/ids.ts'
import { bootstrap, type FirstBusiness } from '#businesses/bootstrap.ts'
import { dashboardUrlOf, entrancesOf, localAddress, type Config } from '#config.ts'
import { readUnlinked, writeWhole } from '#embedded/folder.ts'

/** Called before the server listens, so that the first request finds its key. Undefined when there is a business. */
export function firstRun(ctx: Context, config: Config): Promise<FirstBusiness | undefined> {
  const given = { testKey: config.bootstrapTestKey, liveKey: config.bootstrapLiveKey }
  return bootstrap(ctx, given, (business) =>
    writeCredentials(credentialsFile(config), credentialsOf(config, config.port, business)),
  )
}

/**
 * What to print once the server listens. `first` is the business that this start made. The live key is shown to a person:
 * what is not a terminal is a log, which keeps it for ever and shows it to many.
 */
export async function welcome(
  config: Config,
  port: number,
  {
    first,
    terminal,
    dashboard,
  }: { first: FirstBusiness | undefined; terminal: boolean; dashboard: string | undefined },
): Promise<string> {
  const entrances = entrancesOf(config, port)
  const lines = entrances.map(({ environment, baseUrl }) => `${environment.padEnd(12)} ${baseUrl}`)
  const reference = `reference    ${localAddress(config.host, port, 'docs')}`
  const addresses = ['', ...lines, reference, ...(dashboard === undefined ? [] : [dashboard])]
  const file = credentialsFile(config)
  if (first === undefined) return [...addresses, `keys         ${await whereKeysAre(config, port)}`, ''].join('\n')
  // With PORT=0 the system chooses the port, so the addresses are known only now.
  if (port !== config.port) await writeCredentials(file, credentialsOf(config, port, first))
  return [
    ...addresses,
    `staging key  ${first.testKey}`,
    `live key     ${terminal ? first.liveKey : `in ${file}`}`,
    ...(terminal ? [`             kept in ${file}`] : []),
    '',
    'Try it:',
    `  ${exampleOf(config, port, { ...first, liveKey: terminal ? first.liveKey : liveKeyIn(file) })}`,
    '',
  ].join('\n')
}

/** The file's keys stay as they are; its addresses follow when the server listens elsewhere than before. */
async function whereKeysAre(config: Config, port: number): Promise<string> {
  const file = credentialsFile(config)
  const text = await readUnlinked(file)
  if (text === undefined) return 'not kept here; to make one see: npx manilla keys create --help'
  const kept = parseObject(text)
  const current = { ...kept, ...addressesOf(config, port) }
  if (kept !== undefined && !isDeepStrictEqual(kept, current)) await writeCredentials(file, current)
  return file
}

/** Undefined when the file holds something else: then the operator changed it, and it is left alone. */
function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** For a shell that pastes it. */
function liveKeyIn(file: string): string {
  return `$(node -p 'JSON.parse(fs.readFileSync(${JSON.stringify(file)})).liveKey')`
}

function exampleOf(config: Config, port: number, { testKey, liveKey }: FirstBusiness): string {
  const [entrance] = entrancesOf(config, port).toSorted((left) => (left.environment === 'staging' ? -1 : 1))
  const key = entrance?.environment === 'staging' ? testKey : liveKey
  return `curl ${entrance?.baseUrl}/v1/balance -H "Authorization: Bearer ${key}"`
}

function credentialsFile(config: Config): string {
  return path.join(config.dataDir, 'credentials.json')
}

function credentialsOf(config: Config, port: number, { businessId, testKey, liveKey }: FirstBusiness): object {
  const { dashboardUrl, ...baseUrls } = addressesOf(config, port)
  return { businessId: formatId('business', businessId), ...baseUrls, testKey, liveKey, dashboardUrl }
}

function addressesOf(config: Config, port: number) {
  const entrances = entrancesOf(config, port)
  const baseUrlOf = (environment: string): string | null =>
    entrances.find((entrance) => entrance.environment === environment)?.baseUrl ?? null
  return {
    stagingBaseUrl: baseUrlOf('staging'),
    productionBaseUrl: baseUrlOf('production'),
    dashboardUrl: dashboardUrlOf(config, port),
  }
}

function writeCredentials(file: string, credentials: object): Promise<void> {
  return writeWhole(file, `${JSON.stringify(credentials, null, 2)}\n`, 0o600)
}
