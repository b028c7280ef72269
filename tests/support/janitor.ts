// A process of its own that waits for the end of a test run and cleans up after it (run.ts).

import { cleanUp } from './clean-up.ts'

process.stdin.resume().once('close', () => {
  void cleanUp(process.argv[2] ?? '', { processes: true })
})
