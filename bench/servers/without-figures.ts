// Loaded before the service: replaces the function that counts figures by one that does nothing. Two runs, with and without it,
// show the cost of counting, which no setting of the service turns off.

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
