// Runs a command and turns a failure into one sentence and an exit code.

import { createProgram } from '#cli/program.ts'
import { outliveReaders, reportFailure } from '#cli/output.ts'

stopWithParent()
outliveReaders()
try {
  await createProgram().parseAsync(process.argv)
} catch (error) {
  process.exitCode = reportFailure(error)
}

/**
 * `bin/manilla.js` starts this process and forwards signals to it, but cannot forward SIGKILL. So this process stops
 * itself when `bin/manilla.js` is gone. Otherwise a server would keep running and block the port for the next start.
 */
function stopWithParent(): void {
  if (process.channel === undefined) return
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}
