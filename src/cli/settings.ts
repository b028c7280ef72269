import { parseConfig, readVariables, type Config } from '#config.ts'

/** The settings of this process. */
export function readConfig(): Config {
  return parseConfig(readVariables(), { terminal: process.stdout.isTTY })
}
