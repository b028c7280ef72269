import type { Example } from '#api/openapi/example.ts'

/** A sandbox call that makes a payment of any kind fail. */
export function completion(
  noun: 'transfer' | 'collection',
  failed: { reference: string; failureReason: string },
): Example {
  return {
    params: { reference: failed.reference },
    request: { status: 'FAILED', failureReason: failed.failureReason },
    answer: failed,
    refusals: { CONFLICT: { message: `The ${noun} is FAILED: it can no longer become SUCCESS.` } },
  }
}
