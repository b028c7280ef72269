// What somebody sees who starts Manilla on the embedded database: the first time the keys and a request to paste,
// later where they are.

import { chmod, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Context } from '#base/context.ts'
import { formatId } from '#base/ids.ts'
import { bootstrap, type FirstBusiness } from '#businesses/bootstrap.ts'
import { localAddress, type Config, type Entrance } from '#config.ts'

export async function firstRun(ctx: Context, config: Config, port: number, entrances: Entrance[]): Promise<string> {
  const file = path.join(config.dataDir, 'credentials.json')
  const given = { testKey: config.bootstrapTestKey, liveKey: config.bootstrapLiveKey }
  const addresses = addressLines(config, port, entrances)
  // The file is there before the business is: keys that nobody knows would be worse than a business that is not there.
  const first = await bootstrap(ctx, given, (business) => writeCredentials(file, business, config, port, entrances))
  if (first === undefined) return [...addresses, `keys         ${file}`, ''].join('\n')
  return [
    ...addresses,
    `staging key  ${first.testKey}`,
    `live key     ${first.liveKey}`,
    `             kept in ${file}`,
    '',
    'Try it:',
    `  curl ${addressOf(entrances, 'staging') ?? addressOf(entrances, 'production') ?? ''}/v1/balance -H "Authorization: Bearer ${addressOf(entrances, 'staging') === null ? first.liveKey : first.testKey}"`,
    '',
  ].join('\n')
}

function addressLines(config: Config, port: number, entrances: Entrance[]): string[] {
  const bases = entrances.map(({ environment, baseUrl }) => `${environment.padEnd(12)} ${baseUrl}`)
  return ['', ...bases, `reference    ${localAddress(config.host, port, 'docs')}`]
}

function addressOf(entrances: Entrance[], environment: string): string | null {
  return entrances.find((entrance) => entrance.environment === environment)?.baseUrl ?? null
}

async function writeCredentials(
  file: string,
  first: FirstBusiness,
  config: Config,
  port: number,
  entrances: Entrance[],
): Promise<void> {
  const credentials = {
    businessId: formatId('business', first.businessId),
    stagingBaseUrl: addressOf(entrances, 'staging'),
    productionBaseUrl: addressOf(entrances, 'production'),
    testKey: first.testKey,
    liveKey: first.liveKey,
    dashboardUrl: localAddress(config.host, port, 'dashboard'),
  }
  const fresh = `${file}.new`
  await writeFile(fresh, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  await chmod(fresh, 0o600)
  await rename(fresh, file)
}
