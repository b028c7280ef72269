// Runs before each test file, in a process that may have had others before.

import { endAtOnce } from './ends-with-run.ts'

process.off('disconnect', endAtOnce).once('disconnect', endAtOnce)
