// The command line: parses the command, hands over, and turns what went wrong into one sentence and an exit code.

import { createProgram } from '#cli/program.ts'
import { outliveReaders, reportFailure } from '#cli/output.ts'

endWithStarter()
outliveReaders()
try {
  await createProgram().parseAsync(process.argv)
} catch (error) {
  process.exitCode = reportFailure(error)
}

/**
 * `bin/manilla.js` waits for us and hands on the signals that it gets, but for SIGKILL, which nobody can. Whoever killed
 * it means us: a server that went on would hold the port against the next one.
 */
function endWithStarter(): void {
  if (process.channel === undefined) return
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}
