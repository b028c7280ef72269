// Parses JSON, and refuses whole numbers that JavaScript would round, because an amount must be exact.

export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the object in a text. Undefined if there is none, or if it has a whole number that JavaScript would round. */
export function parseFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text, (_key, item: unknown) => {
      if (typeof item === 'number' && Number.isInteger(item) && !Number.isSafeInteger(item)) throw new RangeError()
      return item
    })
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}
