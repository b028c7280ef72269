import { OperatorError } from '#platform/errors.ts'
import { parseConfig, type Variables } from '#config.ts'

/** The message with which the service refuses these settings. */
export function refusal(variables: Variables): string {
  try {
    parseConfig(variables)
  } catch (error) {
    if (error instanceof OperatorError) return error.message
    throw error
  }
  return 'was not refused'
}
