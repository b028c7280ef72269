// The three kinds of payments. Each can be sent again under its reference without paying twice, and read until it is final.

import { ArgumentError, errorOf, ManillaError } from './errors.ts'
import type { Fields } from './json.ts'
import type { List } from './list.ts'
import { checkAmount } from './money.ts'
import { delayAfter, type Answered, type CallOptions } from './transport.ts'
import type { Caller } from './client.ts'
import type * as Api from './types.ts'

type Payment = { reference: string; isFinal: boolean; status: string }

export type WaitOptions = CallOptions & {
  /** How long to wait for the final status, in milliseconds. The default is 10 minutes. */
  waitMs?: number | undefined
}

export type Payments<Request, Record, Query> = {
  /**
   * Sends the payment. If the answer is lost, reads the payment by its reference, and sends it again only if it does not
   * exist. If this throws an error with `unclear`, read the payment before you pay in another way.
   */
  initiate: (request: Request, options?: CallOptions) => Promise<Answered<Record>>
  get: (reference: string, options?: CallOptions) => Promise<Answered<Record>>
  list: (query?: Query, options?: CallOptions) => List<Record>
  /** Reads a payment until it is final: at once, then after 1, 2, 4, 8, 16, 30, 30 … seconds. A webhook arrives sooner. */
  waitFor: (reference: string, options?: WaitOptions) => Promise<Answered<Record>>
}

const defaultWaitMs = 600_000

export function createPayments<
  Request extends { reference: string; amount: number },
  Record extends Payment,
  Query extends object,
>(
  { send, list, clock }: Caller,
  path: readonly string[],
  initiatePath: readonly string[],
  name: string,
): Payments<Request, Record, Query> {
  const get = (reference: string, options?: CallOptions): Promise<Answered<Record>> =>
    send<Record>({ method: 'GET', path: [...path, reference] }, options)
  return {
    async initiate(request, options) {
      checkAmount(request.amount)
      const lookUp = { path: [...path, request.reference], isSame: (record: Fields) => isSame(request, record) }
      return send<Record>({ method: 'POST', path: initiatePath, body: request, lookUp }, options)
    },
    get,
    list: (query, options) => list<Record>(path, name, query, options),
    async waitFor(reference, options = {}) {
      const deadline = clock.now() + (options.waitMs ?? defaultWaitMs)
      for (let turn = 0; ; turn += 1) {
        const payment = await get(reference, options)
        if (payment.isFinal) return payment
        const waitMs = delayAfter(turn)
        if (clock.now() + waitMs >= deadline) {
          const message = `${reference} is still ${payment.status}. It has not failed: ask again later, or wait for its event.`
          const { requestId } = payment.lastResponse
          throw errorOf({ kind: 'timeout', code: 'STILL_PENDING', message, requestId })
        }
        await clock.wait(waitMs, options.signal)
      }
    },
  }
}

/** Returns whether a record has the values that were requested. Fields that were not requested are not compared. */
function isSame(request: Fields, record: Fields): boolean {
  const { phoneNumber } = request
  const fields = ['amount', 'bankSlug', 'accountNumber', 'accountReference', 'operator']
  const agrees = (field: string): boolean => (request[field] ?? record[field]) === record[field]
  return fields.every(agrees) && (typeof phoneNumber !== 'string' || isSamePhone(phoneNumber, record['phoneNumber']))
}

/** 08030000000, 2348030000000 and +2348030000000 are the same number. */
function isSamePhone(sent: string, shown: unknown): boolean {
  const digits = sent.replaceAll(/\D/g, '').replace(/^0+/, '')
  return String(shown).replaceAll(/\D/g, '').endsWith(digits)
}

const itemsMax = 1000
const bytesMax = 1_000_000

/** Splits the transfers so that each part fits into one request. */
function* partsOf(transfers: readonly Api.TransferRequest[]): Generator<Api.TransferRequest[]> {
  let part: Api.TransferRequest[] = []
  let bytes = 0
  for (const transfer of transfers) {
    const size = new TextEncoder().encode(JSON.stringify(transfer)).length + 1
    if (part.length === itemsMax || (part.length > 0 && bytes + size > bytesMax - 20)) {
      yield part
      part = []
      bytes = 0
    }
    part.push(transfer)
    bytes += size
  }
  yield part
}

/**
 * Sends any number of transfers, up to a thousand in each request. Results have the `index` in the whole list. If a
 * part fails, the error has the `results` of the earlier parts, and sending the same list again is safe.
 */
export async function initiateMany(
  { send }: Caller,
  transfers: readonly Api.TransferRequest[],
  options: CallOptions | undefined,
): Promise<Answered<Api.InitiateTransfersResult>> {
  if (transfers.length === 0) throw new ArgumentError('There is no transfer to send.')
  for (const { amount } of transfers) checkAmount(amount)
  const whole: Api.InitiateTransfersResult = { results: [], accepted: 0, replayed: 0, refused: 0 }
  let lastResponse: Answered<object>['lastResponse'] | undefined
  for (const part of partsOf(transfers)) {
    const from = whole.results.length
    const path = ['transfers', 'bulk']
    const sent = await send<Api.InitiateTransfersResult>(
      { method: 'POST', path, body: { transfers: part }, replays: true },
      options,
    ).catch((error: unknown) => {
      if (error instanceof ManillaError) error.results = whole.results
      throw error
    })
    for (const result of sent.results) whole.results.push({ ...result, index: from + result.index })
    whole.accepted += sent.accepted
    whole.replayed += sent.replayed
    whole.refused += sent.refused
    lastResponse = sent.lastResponse
  }
  return Object.defineProperty(whole, 'lastResponse', { value: lastResponse }) as Answered<Api.InitiateTransfersResult>
}
