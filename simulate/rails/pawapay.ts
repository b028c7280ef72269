// pawaPay in a world: wallets outside Nigeria, and the statements about them.

import type { Currency } from '#platform/money.ts'
import type { Abroad } from '#simulate/model.ts'
import type { WorldTime } from '#simulate/clocks.ts'
import {
  startFakePawapay,
  type FakePawapay,
  type FakePayment,
  type PawapayScript,
} from '#tests/support/fakes/pawapay.ts'
import { actsOf, type CodeFate, type Ending, type Fate } from './fate.ts'
import type { ProviderArrival } from './providers.ts'
import { amountOf, codeOf, createWallets, type CountryWallets } from './wallets.ts'

/**
 * The wallets of an operator: how their numbers begin. Amounts are multiples of the minor unit that the operator
 * carries.
 */
export type Place = Abroad & { provider: string; begins: string; digits: number; needsCode?: true }

export const places: readonly Place[] = [
  { currency: 'GHS', operator: 'mtn-gh', provider: 'MTN_MOMO_GHA', begins: '+23324', digits: 7 },
  { currency: 'UGX', operator: 'mtn-ug', provider: 'MTN_MOMO_UGA', begins: '+25677', digits: 7 },
  { currency: 'UGX', operator: 'airtel-ug', provider: 'AIRTEL_OAPI_UGA', begins: '+25675', digits: 7 },
  { currency: 'XOF', operator: 'mtn-ci', provider: 'MTN_MOMO_CIV', begins: '+22505', digits: 8 },
  { currency: 'XOF', operator: 'orange-bf', provider: 'ORANGE_BFA', begins: '+22607', digits: 6, needsCode: true },
]

export const currenciesAbroad: readonly Currency[] = [...new Set(places.map(({ currency }) => currency))]

export function isAbroad(payee: string): boolean {
  return places.some(({ begins }) => payee.startsWith(begins))
}

/** Limits so wide that every amount of a world is within them. */
const limits = { min: '1', max: '10000000000' }

export type Pawapay = {
  fake: FakePawapay
  plan(payee: string, fate: Played): void
  planCollection(payee: string, fate: CodeFate): void
  arrivals(): ProviderArrival[]
  wallets: CountryWallets
  /** Adds what happened since the last time to the statements. */
  bringUpToDate(): void
  faults(): string[]
}

export type Played = Pick<Fate, 'submissions' | 'silences' | 'ends' | 'untruth'>

export async function startPawapay(time: WorldTime): Promise<Pawapay> {
  const fake = await startFakePawapay(time)
  for (const { provider } of places) fake.account.limits[provider] = limits
  const wallets = createWallets(fake, time, places)
  const listed = new Set<string>()
  return {
    fake,
    plan: (payee, fate) => fake.script(payee, { ...scriptOf(fate), fate: payoutFates[fate.ends] }),
    planCollection: (payee, fate) =>
      fake.script(payee, {
        ...scriptOf(fate),
        fate: fate.ends === 'agrees' ? 'COMPLETED' : 'PAYMENT_NOT_APPROVED',
        ...(fate.ends === 'ignores' ? { words: Array.from({ length: ignoredSteps }, () => 'PROCESSING') } : {}),
      }),
    arrivals: () => fake.payments().map((payment) => arrivalOf(fake, payment)),
    wallets,
    bringUpToDate() {
      for (const payment of fake.payments()) {
        if (listed.has(payment.id)) continue
        listed.add(payment.id)
        const { id, amount, currency, provider, atMs, kind } = payment
        fake.statements.rows.push({ country: codeOf(provider), id, amount, currency, type: rowTypes[kind], atMs })
      }
      wallets.takeFees()
    },
    faults: () => [
      ...fake.faults.map((fault) => `pawaPay would have refused: ${fault}`),
      // The service never stores a payer's code and sends the next one under the same id, which starts no second
      // collection.
      ...fake
        .payments()
        .filter(({ id, code }) => code === undefined && fake.repeats.includes(id))
        .map(({ id }) => `${id} was sent again to pawaPay that had it`),
    ],
  }
}

const rowTypes = { payout: 'Payout', deposit: 'Deposit' }

/** A collection that the payer does not answer on the handset ends after ten minutes. */
const ignoredSteps = 400

const payoutFates: Record<Ending, string> = {
  succeeds: 'COMPLETED',
  contradicts: 'COMPLETED',
  returns: 'COMPLETED',
  fails: 'RECIPIENT_NOT_FOUND',
  waits: 'stuck',
}

/** Error codes that no table of the service knows. */
const untrueAnswers = {
  refused: { code: 'A_NEW_CODE', done: true },
  'refused-with-a-code': { code: 'UNKNOWN_ERROR', status: 500, done: true },
  exists: 'duplicate',
} as const

/** A `FAILED` before the end carries no known reason, and the service does not believe it. */
function scriptOf({ submissions, silences, untruth }: Omit<Played, 'ends'>): PawapayScript {
  const { first, hiddenMs = 0, fails = 0 } = untruth ?? {}
  const usual = submissions.map((misfortune) => actsOf[misfortune])
  return {
    submit: first === undefined || first === 'failed' ? usual : [untrueAnswers[first], ...usual],
    status: Array.from({ length: silences }, () => 'error-not-done'),
    hiddenMs,
    ...(fails === 0 ? {} : { words: ['ACCEPTED', ...Array.from({ length: fails }, () => 'FAILED'), 'PROCESSING'] }),
  }
}

/** A payment that has not ended has no arrival time yet, so the person of `traffic/person.ts` does not act on it. */
function arrivalOf(fake: FakePawapay, payment: FakePayment): ProviderArrival {
  const state = fake.stateOf(payment.id)
  const hasEnded = state === 'COMPLETED' || state === 'FAILED'
  return {
    bank: 'pawaPay',
    rail: 'pawapay',
    railReference: payment.id,
    payee: `+${payment.phoneNumber}`,
    amount: amountOf(payment),
    atMs: hasEnded ? 0 : Infinity,
    agreedAtMs: state === 'COMPLETED' ? 0 : undefined,
  }
}
