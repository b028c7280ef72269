// Resolves the holder of an account or wallet at the rail before money goes there. Each call asks the rail; nothing is
// stored or cached here. Also lists the mobile-money operators that an environment can serve.

import type { Environment } from '#platform/context.ts'
import { amountMax, decimalsOf, toMoney } from '#platform/money.ts'
import { bankPayee, walletPayee } from '#rails/choose.ts'
import type { CarriedAmounts } from '#rails/operator-offers.ts'
import type { AccountResolution } from '#rails/rail.ts'
import { type PortAnswer, requirePort, type RailRegistry } from '#rails/registry.ts'
import { findBank, findBankByCode, type Bank, unknownBank } from './banks.ts'
import {
  findOperator,
  listOperators,
  predictOperator,
  servesNumber,
  type MomoOperator,
  type OperatorFilter,
} from './operators.ts'

/** `bankSlug` or `bankCode` identifies the bank; if both are given, they must identify the same bank. */
type AccountQuestion = {
  accountNumber: string
  bankSlug?: string | undefined
  bankCode?: string | undefined
}

type AccountOutcome =
  | { kind: 'resolved'; bank: Bank; accountNumber: string; accountName: string }
  | { kind: 'invalid-bank'; message: string }
  | { kind: 'not-found'; bank: Bank }
  | { kind: 'unavailable'; bank: Bank; detail: string }

/** `phoneNumber` is E.164; an explicit operator overrides the prefix, because numbers are ported. */
type PhoneQuestion = { phoneNumber: string; operatorSlug?: string | undefined }

type PhoneOutcome =
  | { kind: 'resolved'; operator: MomoOperator; phoneNumber: string; accountName: string }
  | { kind: 'invalid-operator' }
  | { kind: 'not-found' }
  | { kind: 'unavailable'; operator: MomoOperator; detail: string }

/**
 * `account` and `phone` throw Unavailable, with the name of the setting, if the environment has no rail for the
 * question.
 */
export type Resolver = {
  account(environment: Environment, question: AccountQuestion): Promise<AccountOutcome>
  phone(environment: Environment, question: PhoneQuestion): Promise<PhoneOutcome>
  operators(environment: Environment, filter: OperatorFilter): MomoOperator[]
}

/** The caller waits for the answer, so the limit is shorter than the one for a payment. */
const timeLimitMsDefault = 10_000

export function createResolver(options: { rails: RailRegistry; timeLimitMs?: number }): Resolver {
  const { rails, timeLimitMs = timeLimitMsDefault } = options

  async function account(environment: Environment, question: AccountQuestion): Promise<AccountOutcome> {
    const chosen = chooseBank(question)
    if (chosen.kind === 'invalid-bank') return chosen
    const { bank } = chosen
    const { accountNumber } = question
    const payee = bankPayee(bank.slug)
    const directories = allServing((except) => rails.bankDirectory(environment, { payee, except }), 'Account look-ups')
    const answer = await askInTurn(directories, timeLimitMs, (directory, signal) =>
      directory.resolve({ bank, accountNumber, signal }),
    )
    return answer.kind === 'resolved' ? { ...answer, bank, accountNumber } : { ...answer, bank }
  }

  async function phone(environment: Environment, question: PhoneQuestion): Promise<PhoneOutcome> {
    const { phoneNumber, operatorSlug } = question
    const named = operatorSlug === undefined ? undefined : findOperator(operatorSlug)
    if (operatorSlug !== undefined && named === undefined) return { kind: 'invalid-operator' }
    const operator = named ?? predictOperator(environment, phoneNumber)
    if (operator === undefined) return { kind: 'not-found' }
    if (!servesNumber(operator, phoneNumber)) return { kind: 'invalid-operator' }
    const payee = walletPayee(operator, operator.currency)
    const directories = allServing((except) => rails.momoDirectory(environment, { payee, except }), 'Phone look-ups')
    const answer = await askInTurn(directories, timeLimitMs, (directory, signal) =>
      directory.lookUp({ operator, phoneNumber, signal }),
    )
    if (answer.kind === 'not-found') return { kind: 'not-found' }
    return answer.kind === 'resolved' ? { ...answer, operator, phoneNumber } : { ...answer, operator }
  }

  /** An environment without any rail lists the operators of Nigeria as the directory has them. */
  function supportedAt(environment: Environment, one: MomoOperator): MomoOperator {
    if (one.currency === 'NGN' && rails.namesOf(environment).length === 0) return one
    const payee = walletPayee(one, one.currency)
    const transfers = rails.carriedBy('momoPayout', environment, payee)
    const collections = one.supports.collection ? rails.carriedBy('momoCollection', environment, payee) : []
    const supports = { transfer: transfers.length > 0, collection: collections.length > 0 }
    return {
      ...one,
      ...limitsOf(one, [transfers, collections]),
      supports,
      requiresOtp: requiresOtpAt(rails.momoCollection(environment, { payee }), one),
    }
  }

  function operators(environment: Environment, filter: OperatorFilter): MomoOperator[] {
    return listOperators(filter)
      .map((one) => supportedAt(environment, one))
      .filter(({ supports }) => supports.transfer || supports.collection)
  }

  return { account, phone, operators }
}

/** Providers differ: where one asks payers for a code, another has them approve on the handset. */
function requiresOtpAt(served: ReturnType<RailRegistry['momoCollection']>, operator: MomoOperator): boolean {
  if (served.kind === 'missing') return operator.requiresOtp
  return served.port.approval({ operator, phoneNumber: '' }).kind === 'otp'
}

/**
 * The limits that suit both transfers and collections. If several rails serve transfers, each limit of transfers is
 * that of the most generous rail; the same applies to collections.
 */
function limitsOf(
  { currency }: MomoOperator,
  offers: CarriedAmounts[][],
): Pick<MomoOperator, 'minAmount' | 'maxAmount' | 'decimals'> {
  const supported = offers.filter((carried) => carried.length > 0)
  const steps = supported.map((carried) => carried.map(({ step }) => step).reduce(smaller))
  const step = steps.reduce(larger, 1n)
  const least = supported.map((carried) => carried.map(({ minAmount }) => minAmount).reduce(smaller)).reduce(larger, 1n)
  const most = supported.map((carried) => carried.map(({ maxAmount }) => maxAmount).reduce(larger))
  return {
    minAmount: toMoney(((least + step - 1n) / step) * step),
    maxAmount: toMoney(most.reduce(smaller, amountMax)),
    decimals: step === 1n ? decimalsOf(currency) : 0,
  }
}

const smaller = <N extends bigint>(left: N, right: N): N => (left < right ? left : right)
const larger = <N extends bigint>(left: N, right: N): N => (left > right ? left : right)

function chooseBank(
  question: AccountQuestion,
): { kind: 'found'; bank: Bank } | { kind: 'invalid-bank'; message: string } {
  const { bankSlug, bankCode } = question
  if (bankSlug === undefined) return bankOfCode(bankCode ?? '')
  const bank = findBank(bankSlug)
  if (bank === undefined) return invalid(unknownBank(bankSlug))
  if (bankCode === undefined || bankCode === bank.code) return { kind: 'found', bank }
  return invalid(`bankSlug ${bankSlug} and bankCode ${bankCode} name different banks. Send one of them.`)
}

function bankOfCode(bankCode: string): ReturnType<typeof chooseBank> {
  const answer = findBankByCode(bankCode)
  if (answer.kind === 'found') return answer
  if (answer.kind === 'unknown') return invalid(`No bank has the code ${bankCode}. GET /v1/banks lists them.`)
  const slugs = answer.banks.map((bank) => bank.slug).join(', ')
  return invalid(`Several banks have the code ${bankCode}. Send bankSlug instead: ${slugs}.`)
}

function invalid(message: string): { kind: 'invalid-bank'; message: string } {
  return { kind: 'invalid-bank', message }
}

/** The ports of all rails that serve the question, the best first; throws Unavailable if there is none. */
function allServing<Port>(ask: (except: ReadonlySet<string>) => PortAnswer<Port>, operation: string): Port[] {
  const found = new Map<string, Port>()
  let served = ask(new Set())
  requirePort(served, operation)
  while (served.kind === 'served' && !found.has(served.rail)) {
    found.set(served.rail, served.port)
    served = ask(new Set(found.keys()))
  }
  return [...found.values()]
}

/**
 * A question moves no money, so the next rail is asked if a rail cannot answer. Each rail has an equal part of the time
 * that is left.
 */
async function askInTurn<Port>(
  ports: readonly Port[],
  timeLimitMs: number,
  ask: (port: Port, signal: AbortSignal) => Promise<AccountResolution>,
): Promise<AccountResolution> {
  const untilMs = performance.now() + timeLimitMs
  let answer: AccountResolution = { kind: 'unavailable', detail: 'no rail was asked' }
  for (const [index, port] of ports.entries()) {
    const leftMs = Math.max(untilMs - performance.now(), 0)
    answer = await within(Math.round(leftMs / (ports.length - index)), (signal) => ask(port, signal))
    if (answer.kind !== 'unavailable') break
  }
  return answer
}

/** A rail should end the call by itself; this limit applies if it does not. */
async function within(
  timeLimitMs: number,
  ask: (signal: AbortSignal) => Promise<AccountResolution>,
): Promise<AccountResolution> {
  const stop = new AbortController()
  const late = Promise.withResolvers<AccountResolution>()
  const timer = setTimeout(() => {
    stop.abort()
    late.resolve({ kind: 'unavailable', detail: `there was no answer within ${timeLimitMs} ms` })
  }, timeLimitMs)
  try {
    return await Promise.race([ask(stop.signal), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
