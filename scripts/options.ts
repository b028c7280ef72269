// The options of the tools that `npm run … -- --help` starts. A misspelt option gets the right spelling in its error.

import { parseArgs, type ParseArgsConfig } from 'node:util'

/** Works as parseArgs. `--help` prints the usage; an unknown option prints the reason and the usage. */
export function readOptions<const T extends ParseArgsConfig>(
  usage: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  if (process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    return refuse(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  }
}

/** Reads the value of an option that must be a whole number above 0. */
export function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  return Number.isSafeInteger(value) && value > 0 ? value : refuse(`--${name} is a whole number above 0, not ${text}`)
}

export function refuse(message: string): never {
  console.error(message)
  process.exit(1)
}
