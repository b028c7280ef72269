// Loaded before the service: replaces the function that counts figures by one that does nothing, so that two
// runs, with and without this file, show the cost of counting. The service has no setting that turns counting off.

import { registerHooks } from 'node:module'

const counting = new URL('../../src/stats/stats.ts', import.meta.url).href
let swapped = false

registerHooks({
  load(url, context, next) {
    if (url !== counting) return next(url, context)
    swapped = true
    return { format: 'module', source: 'export function countFigure() {}', shortCircuit: true }
  },
})

process.on('exit', () => {
  if (!swapped) console.error(`${counting} was never loaded: this run counted figures like any other`)
})
