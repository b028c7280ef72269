// What the doctor says of one thing.

export type Finding = { check: string; state: 'ok' | 'warning' | 'failed'; message: string }

export function finding(check: string, state: Finding['state'], message: string): Finding {
  return { check, state, message }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
