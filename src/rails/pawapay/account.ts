// Our account at pawaPay: its wallets, and the operators that it may use, with their limits. No call here moves money.

import { add, amountMax, decimalsOf, isCurrency, toMoney, zero } from '#platform/money.ts'
import { detailOf, ofQuestion } from '#rails/outcome.ts'
import type {
  AccountCheck,
  Float,
  OperatorOffer,
  RailOperator,
  RailWallet,
  ReadOffers,
  Unknown,
  Wallet,
  WalletAccount,
} from '#rails/rail.ts'
import type { z } from 'zod'
import {
  type AccountOperation,
  amountIn,
  availabilityBody,
  balancesBody,
  configurationBody,
  heldIn,
  keysBody,
  predictionBody,
} from './answers.ts'
import type { PawapayCall, PawapayEndpoint } from './call.ts'
import { approvalAt } from './collections.ts'
import { providerOf } from './payments.ts'

/** From our entry in RAILS_FILE. `requests`: we sign them. `callbacks`: pawaPay must sign them. */
type Signs = { requests: boolean; callbacks: boolean }

export function createAccount(call: PawapayCall, signs: Signs): WalletAccount {
  return {
    async wallets() {
      const read = await readBody(call, 'balances', '/v2/wallet-balances', balancesBody)
      if (read.kind === 'unavailable') return read
      const wallets: RailWallet[] = []
      for (const { country, currency, balance, provider } of read.body.balances) {
        // Skips wallets in currencies that we do not support. If the balance of any other wallet cannot be read, the
        // whole answer fails, because a skipped wallet would not be compared with our book.
        if (!isCurrency(currency)) continue
        const amount = heldIn(balance, currency)
        if (amount === undefined)
          return { kind: 'unavailable', detail: `balances: the wallet ${country} ${currency} cannot be read` }
        wallets.push({ country, currency, amount, provider: provider === '' ? null : (provider ?? null) })
      }
      return { kind: 'known', wallets }
    },
    async check({ operators, unnamed = [], phoneNumber }) {
      const [configuration, available, keys] = await Promise.all([
        checkConfiguration(call, signs, { operators, unnamed }),
        checkAvailability(call, [...operators, ...unnamed]),
        checkKeys(call),
      ])
      const prediction = phoneNumber === undefined ? [] : [await checkPrediction(call, phoneNumber)]
      return [...configuration, available, keys, ...prediction]
    },
  }
}

/** One balance per country and currency: the sum of all wallets, also of those that pawaPay keeps for one operator. */
export function createFloat(readWallets: WalletAccount['wallets']): Float {
  return {
    async balance() {
      const read = await readWallets()
      if (read.kind === 'unavailable') return read
      const sums = new Map<string, Required<Wallet>>()
      for (const { country: shown, currency, amount } of read.wallets) {
        const country = countryOf(shown)
        const before = sums.get(`${country} ${currency}`)?.amount ?? zero
        sums.set(`${country} ${currency}`, { country, currency, amount: add(before, amount) })
      }
      return { kind: 'known', wallets: [...sums.values()] }
    },
  }
}

export function countryOf(code: string): string {
  return countriesByCode.get(code) ?? code
}

const countriesByCode: ReadonlyMap<string, string> = new Map(
  Object.entries({
    BEN: 'BJ',
    BFA: 'BF',
    CIV: 'CI',
    CMR: 'CM',
    COD: 'CD',
    COG: 'CG',
    ETH: 'ET',
    GAB: 'GA',
    GHA: 'GH',
    KEN: 'KE',
    LSO: 'LS',
    MOZ: 'MZ',
    MWI: 'MW',
    NGA: 'NG',
    RWA: 'RW',
    SEN: 'SN',
    SLE: 'SL',
    TZA: 'TZ',
    UGA: 'UG',
    ZMB: 'ZM',
  }),
)

type ReadBody<Body> = { kind: 'read'; body: Body } | { kind: 'unavailable'; detail: string; why?: Unknown['why'] }

async function readBody<Body>(
  call: PawapayCall,
  endpoint: PawapayEndpoint,
  path: string,
  schema: z.ZodType<Body>,
): Promise<ReadBody<Body>> {
  const said = await call({ endpoint, method: 'GET', path })
  if (said.kind === 'unknown') return { ...ofQuestion(said), kind: 'unavailable' }
  if (said.kind === 'refusal') return { kind: 'unavailable', detail: detailOf(endpoint, said) }
  const body = schema.safeParse(said.body).data
  return body === undefined
    ? { kind: 'unavailable', detail: `${endpoint}: an answer that cannot be read` }
    : { kind: 'read', body }
}

const failed = (check: string, told: string): AccountCheck => ({ check, ok: false, told })

type Operations = ReadonlyMap<string, AccountOperation>

async function checkConfiguration(
  call: PawapayCall,
  signs: Signs,
  { operators, unnamed }: { operators: readonly RailOperator[]; unnamed: readonly RailOperator[] },
): Promise<AccountCheck[]> {
  const read = await readBody(call, 'active-conf', '/v2/active-conf', configurationBody)
  if (read.kind === 'unavailable') return [failed('account', read.detail)]
  const { companyName = 'the account', countries, signatureConfiguration } = read.body
  const offered = offeredBy(read.body)
  const codes = countries.map(({ country }) => country).join(', ')
  const held = unnamed.filter((operator) => offered.has(`${providerOf(operator) ?? ''} ${operator.currency}`))
  return [
    { check: 'account', ok: true, told: `${companyName} has ${offered.size} operators in ${codes || 'no country'}` },
    signatureCheck(signs, signatureConfiguration ?? {}),
    ...[...operators, ...held].map((operator) => operatorCheck(operator, offered)),
  ]
}

function offeredBy({ countries }: z.output<typeof configurationBody>): Map<string, Operations> {
  const offered = new Map<string, Operations>()
  for (const { providers } of countries) {
    for (const { provider, currencies: list } of providers)
      for (const { currency, operationTypes } of list) offered.set(`${provider} ${currency}`, operationTypes)
  }
  return offered
}

const operationOf = { momoPayout: 'PAYOUT', momoCollection: 'DEPOSIT' } as const

export function createReadOffers(call: PawapayCall): ReadOffers {
  return async (operators) => {
    const read = await readBody(call, 'active-conf', '/v2/active-conf', configurationBody)
    if (read.kind === 'unavailable') return { kind: 'unavailable', detail: read.detail }
    const offered = offeredBy(read.body)
    const ports = ['momoPayout', 'momoCollection'] as const
    const offers = operators.flatMap((operator) =>
      ports.flatMap((port) => {
        const operations = offered.get(`${providerOf(operator) ?? ''} ${operator.currency}`)
        const operation = operations?.get(operationOf[port])
        if (operation === undefined || hasOtherApproval(operator, operation)) return []
        return [{ operator: operator.slug, port, ...offerOf(operator, operation) }]
      }),
    )
    return { kind: 'known', offers }
  }
}

/**
 * If a limit is missing or cannot be read, we apply none: pawaPay itself refuses a payment beyond its limit and creates
 * nothing.
 */
function offerOf(
  { currency }: RailOperator,
  operation: AccountOperation,
): Pick<OperatorOffer, 'minAmount' | 'maxAmount' | 'step'> {
  const [least, most] = limitsOf(operation)
  return {
    minAmount: amountIn(least, currency) ?? toMoney(1n),
    maxAmount: amountIn(most, currency) ?? amountMax,
    step: operation.decimalsInAmount === 'NONE' ? 10 ** decimalsOf(currency) : 1,
  }
}

function limitsOf({ minAmount, minTransactionLimit, maxAmount, maxTransactionLimit }: AccountOperation) {
  return [minAmount ?? minTransactionLimit, maxAmount ?? maxTransactionLimit]
}

function signatureCheck(
  signs: Signs,
  {
    signedRequestsOnly,
    signedCallbacks,
  }: { signedRequestsOnly?: boolean | undefined; signedCallbacks?: boolean | undefined },
): AccountCheck {
  const check = 'signatures'
  if (signedRequestsOnly === true && !signs.requests)
    return failed(check, 'pawaPay takes signed requests only; set "signing"')
  if (signedCallbacks === false && signs.callbacks)
    return failed(check, 'pawaPay does not sign its callbacks; switch that on there, or set "callbacks": "unsigned"')
  const requests = signs.requests ? 'are signed' : 'are not signed'
  return { check, ok: true, told: `requests ${requests}, callbacks ${signs.callbacks ? 'must be' : 'need not be'}` }
}

function operatorCheck(operator: RailOperator, offered: ReadonlyMap<string, Operations>): AccountCheck {
  const check = `operator ${operator.slug}`
  const provider = providerOf(operator)
  if (provider === undefined) return failed(check, 'pawaPay does not serve it; take it out of the route')
  const operations = offered.get(`${provider} ${operator.currency}`)
  if (operations === undefined) return failed(check, `the account has no ${provider} in ${operator.currency}`)
  const [payout, deposit] = [operations.get('PAYOUT'), operations.get('DEPOSIT')]
  const faults = [payout, deposit].flatMap((one) => decimalsFault(operator, one) ?? [])
  if (deposit !== undefined && hasOtherApproval(operator, deposit))
    faults.push(
      `its payers approve by ${deposit.authType}, which this version does not expect; collections are not offered`,
    )
  const collections =
    deposit !== undefined && approvalAt(provider) === 'page'
      ? 'collections are not offered: payers approve on a page'
      : describeOperation('collections', operator, deposit)
  const told = [describeOperation('payouts', operator, payout), collections, ...faults]
  return { check, ok: faults.length === 0, told: told.join('; ') }
}

const authTypes = { handset: 'PROVIDER_AUTH', code: 'PREAUTH', page: 'REDIRECT_AUTH' }

/**
 * Returns true if payers approve in another way than this version expects. pawaPay would refuse each collection,
 * because a code is missing or unexpected.
 */
function hasOtherApproval(operator: RailOperator, { authType = '' }: AccountOperation): boolean {
  return Object.values(authTypes).includes(authType) && authTypes[approvalAt(providerOf(operator))] !== authType
}

function decimalsFault({ decimals }: RailOperator, operation: AccountOperation | undefined): string | undefined {
  return operation?.decimalsInAmount === 'NONE' && decimals > 0
    ? 'it takes whole amounts only, where our directory has decimals'
    : undefined
}

function describeOperation(what: string, { currency }: RailOperator, operation: AccountOperation | undefined): string {
  if (operation === undefined) return `no ${what}`
  const { status = '' } = operation
  const [least = '?', most = '?'] = limitsOf(operation)
  return `${what} ${least} to ${most} ${currency}${status === '' || status === 'OPERATIONAL' ? '' : ` (${status})`}`
}

async function checkAvailability(call: PawapayCall, operators: readonly RailOperator[]): Promise<AccountCheck> {
  const check = 'availability'
  const read = await readBody(call, 'availability', '/v2/availability', availabilityBody)
  if (read.kind === 'unavailable') return failed(check, read.detail)
  const routed = new Set(operators.map(providerOf))
  const troubled = read.body.rows
    .flatMap(({ providers }) => providers)
    .filter(({ provider }) => routed.has(provider))
    .flatMap(({ provider, operationTypes }) =>
      [...operationTypes].flatMap(([name, { status }]) =>
        watched.includes(name) && status !== 'OPERATIONAL' ? [`${provider} ${name} ${status}`] : [],
      ),
    )
  // Ok in any case, because an operator that is down now is no fault of our settings.
  return { check, ok: true, told: troubled.join(', ') || 'every operator of our routes is operational' }
}

const watched = ['PAYOUT', 'DEPOSIT']

async function checkKeys(call: PawapayCall): Promise<AccountCheck> {
  const check = 'callback keys'
  const read = await readBody(call, 'public-key', '/v2/public-key/http', keysBody)
  if (read.kind === 'unavailable') return failed(check, read.detail)
  const names = read.body.rows.map(({ id }) => id)
  return { check, ok: names.length > 0, told: names.join(', ') || 'pawaPay publishes none' }
}

/** pawaPay can only guess the operator of a number, because numbers are ported between operators. */
async function checkPrediction(call: PawapayCall, phoneNumber: string): Promise<AccountCheck> {
  const check = 'operator of the number'
  const body = { phoneNumber: phoneNumber.slice(1) }
  const said = await call({ endpoint: 'predict', method: 'POST', path: '/v2/predict-provider', body })
  const found = said.kind === 'success' ? predictionBody.safeParse(said.body).data : undefined
  if (found !== undefined) return { check, ok: true, told: `probably ${found.provider} in ${found.country}` }
  return failed(check, said.kind === 'success' ? 'pawaPay knows no operator for it' : detailOf('predict', said))
}
