import { OperatorError } from '#base/error.ts'
import { parseConfig, readVariables, type Config } from '#config.ts'
import { isSystemError } from './output.ts'

/** The settings of this process. */
export function readConfig(): Config {
  return parseConfig(readSettings(), { terminal: process.stdout.isTTY })
}

function readSettings(): ReturnType<typeof readVariables> {
  try {
    return readVariables()
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new OperatorError(`Cannot read .env in ${process.cwd()}: ${error.message}.`, { cause: error })
  }
}
