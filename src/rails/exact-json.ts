// JSON in which no digit is lost: providers have ids beyond 2^53, and amounts with decimals. A number that a double would
// change, or show in another way, is read as its text.

/** Undefined: it is not JSON. */
export function parseExact(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits)
  } catch {
    return undefined
  }
}

function keepDigits(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || source === undefined) return value
  return Number.isSafeInteger(value) && String(value) === source ? value : source
}

/** Writes an amount as a JSON number with exactly these digits. */
export function jsonNumber(digits: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits)
}
