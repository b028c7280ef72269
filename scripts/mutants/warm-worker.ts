// The process of warm-process.ts: vitest's own, but for how it ends.

import { init, runBaseTests, setupEnvironment } from 'vitest/worker'

init({
  post: (message) => process.send?.(message),
  on: (listener) => process.on('message', listener),
  off: (listener) => process.off('message', listener),
  runTests: (state, traces) => runBaseTests('run', state, traces),
  collectTests: (state, traces) => runBaseTests('collect', state, traces),
  setup: setupEnvironment,
})
