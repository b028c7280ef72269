// Which rails hold real money. The simulator's is made up: no provider owes it to anybody.

export const simulatorName = 'simulator'

/** Of a deposit that a collection made: its payment knows the rail. */
const collected = 'momo'

/** `rail`: the name of a rail, or of the provider that told of a deposit. */
export function holdsMoney(rail: string | null): rail is string {
  return rail !== null && rail !== '' && rail !== simulatorName && rail !== collected
}
