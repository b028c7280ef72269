/** The version of the API that this client speaks: the first part of each path. */
export const apiVersion = 'v1'

export { Manilla, type ManillaOptions } from './client.ts'
export * from './errors.ts'
export { List, type Page } from './list.ts'
export { formatNaira, naira } from './money.ts'
export type { Payments, WaitOptions } from './payments.ts'
export { version, type Answered, type AnswerMeta, type CallOptions, type Clock, type Method } from './transport.ts'
export type * from './types.ts'
export * from './webhooks.ts'
