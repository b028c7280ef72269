// Reads the command-line options of the tools that npm scripts start, such as `npm run simulate -- --help`.

import { parseArgs, type ParseArgsConfig } from 'node:util'

/** Calls parseArgs. For `--help` prints the usage and exits; for a wrong option prints the reason and the usage, and exits with 1. */
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

export function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  return Number.isSafeInteger(value) && value > 0 ? value : refuse(`--${name} is a whole number above 0, not ${text}`)
}

export function refuse(message: string): never {
  console.error(message)
  process.exit(1)
}
