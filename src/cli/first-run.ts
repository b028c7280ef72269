// What somebody sees who starts Manilla on the embedded database: the first time the keys and a request to paste,
// later where they are.

import { chmod, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Context } from '#base/context.ts'
import { formatId } from '#base/ids.ts'
import { bootstrap, type FirstBusiness } from '#businesses/bootstrap.ts'
import { entrancesOf, localAddress, type Config } from '#config.ts'

/** Before the door opens, so that the first request already finds its key. Undefined when there is a business. */
export function firstRun(ctx: Context, config: Config): Promise<FirstBusiness | undefined> {
  const given = { testKey: config.bootstrapTestKey, liveKey: config.bootstrapLiveKey }
  return bootstrap(ctx, given, (business) => writeCredentials(config, config.port, business))
}

/** Once it is open: `first` is the business of a first run. */
export async function welcome(config: Config, port: number, first: FirstBusiness | undefined): Promise<string> {
  const entrances = entrancesOf(config, port)
  const lines = entrances.map(({ environment, baseUrl }) => `${environment.padEnd(12)} ${baseUrl}`)
  const addresses = ['', ...lines, `reference    ${localAddress(config.host, port, 'docs')}`]
  const file = credentialsFile(config)
  if (first === undefined) return [...addresses, `keys         ${file}`, ''].join('\n')
  // Where the port was left open, the addresses are known only now.
  if (port !== config.port) await writeCredentials(config, port, first)
  return [
    ...addresses,
    `staging key  ${first.testKey}`,
    `live key     ${first.liveKey}`,
    `             kept in ${file}`,
    '',
    'Try it:',
    `  ${exampleOf(config, port, first)}`,
    '',
  ].join('\n')
}

function exampleOf(config: Config, port: number, { testKey, liveKey }: FirstBusiness): string {
  const [entrance] = entrancesOf(config, port).toSorted((left) => (left.environment === 'staging' ? -1 : 1))
  const key = entrance?.environment === 'staging' ? testKey : liveKey
  return `curl ${entrance?.baseUrl}/v1/balance -H "Authorization: Bearer ${key}"`
}

function credentialsFile(config: Config): string {
  return path.join(config.dataDir, 'credentials.json')
}

async function writeCredentials(config: Config, port: number, first: FirstBusiness): Promise<void> {
  const entrances = entrancesOf(config, port)
  const baseUrlOf = (environment: string): string | null =>
    entrances.find((entrance) => entrance.environment === environment)?.baseUrl ?? null
  const credentials = {
    businessId: formatId('business', first.businessId),
    stagingBaseUrl: baseUrlOf('staging'),
    productionBaseUrl: baseUrlOf('production'),
    testKey: first.testKey,
    liveKey: first.liveKey,
    dashboardUrl: localAddress(config.host, port, 'dashboard'),
  }
  const file = credentialsFile(config)
  const fresh = `${file}.new`
  await writeFile(fresh, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  await chmod(fresh, 0o600)
  await rename(fresh, file)
}
