// The files RAILS_FILE that instances are started with. They differ in providers, names and routes, as when an operator changes
// them on one instance after the other.

import { parseRailsFile, type RailsFile } from '#rails/rails-file.ts'
import { monnifyContract } from '#tests/support/fakes/monnify-accounts.ts'
import { monnifyKeys } from '#tests/support/fakes/monnify.ts'
import { pawapayToken } from '#tests/support/fakes/pawapay.ts'
import { paystackTestKey } from '#tests/support/fakes/paystack.ts'
import { currenciesAbroad } from './pawapay.ts'

/**
 * `first`: the provider that opens accounts. `only`: the one provider that the file has. `named`: the entries have new names,
 * with `renamedFrom` (`anew`) or without it (`wrongly`).
 */
export type Roads = { first: 'paystack' | 'monnify'; only?: 'paystack' | 'monnify'; named?: 'anew' | 'wrongly' }

/** Files with both providers, so that every instance can go on with every payment. */
export const wholeRoads: readonly Roads[] = [{ first: 'paystack' }, { first: 'monnify' }]

export const allRoads: readonly Roads[] = [
  ...wholeRoads,
  { first: 'paystack', only: 'paystack' },
  { first: 'monnify', only: 'monnify' },
]

const weights = { paystack: 60, monnify: 40 } as const
const emailDomain = 'pay.example.com'

/** `pawapay` is undefined in a world without that switch. */
export type ProviderUrls = { paystack: string; monnify: string; pawapay?: string | undefined }

export function railsFileFor({ first, only, named }: Roads, urls: ProviderUrls): RailsFile {
  const isThere = (name: string): boolean => only === undefined || only === name
  const nameOf = (name: string): string => (named === undefined ? name : `${name}-ng`)
  const common = { environment: 'staging', emailDomain }
  const rails = {
    paystack: { kind: 'paystack', ...common, secretKey: paystackTestKey, baseUrl: urls.paystack },
    monnify: { kind: 'monnify', ...common, ...monnifyKeys, contractCode: monnifyContract, baseUrl: urls.monnify },
    ...(urls.pawapay === undefined
      ? {}
      : { pawapay: { kind: 'pawapay', environment: 'staging', apiToken: pawapayToken, baseUrl: urls.pawapay } }),
  }
  const payout = Object.entries(weights).map(([name, weight]) => ({ name, weight }))
  const wallets = [{ rail: nameOf('paystack'), operators: ['mtn-momo'] }]
  const accounts = [{ rail: nameOf(first) }]
  const routes = {
    payout: payout.filter(({ name }) => isThere(name)).map(({ name, weight }) => ({ rail: nameOf(name), weight })),
    ...(isThere('paystack') ? { momoPayout: wallets } : {}),
    'virtualAccounts.static': accounts,
    'virtualAccounts.dynamic': accounts,
  }
  const toWallets = [{ rail: nameOf('pawapay') }]
  const abroad = Object.fromEntries(
    currenciesAbroad.map((currency) => [currency, { momoPayout: toWallets, momoCollection: toWallets }]),
  )
  const entries = Object.entries(rails).filter(([name]) => isThere(name))
  const content = {
    rails: Object.fromEntries(
      entries.map(([name, entry]) => [nameOf(name), named === 'anew' ? { ...entry, renamedFrom: name } : entry]),
    ),
    routes: { staging: { NGN: routes, ...('pawapay' in rails && isThere('pawapay') ? abroad : {}) } },
  }
  return parseRailsFile(JSON.stringify(content), {})
}
