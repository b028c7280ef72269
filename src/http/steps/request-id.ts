import { randomUUID } from 'node:crypto'

const visibleAscii = /^[\x21-\x7e]{1,128}$/

/** The caller's own correlation id when it is usable, else a new one. Never an error. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && visibleAscii.test(header) ? header : randomUUID()
}
