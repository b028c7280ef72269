// The process: parses the command, hands over, and turns what went wrong into one sentence and an exit code.

import { createProgram } from '#cli/program.ts'
import { outliveReaders, reportFailure } from '#cli/output.ts'

outliveReaders()
try {
  await createProgram().parseAsync(process.argv)
} catch (error) {
  process.exitCode = reportFailure(error)
}
