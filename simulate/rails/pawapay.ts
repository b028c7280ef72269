// pawaPay in a world: the fake of the tests, with the fate of each payee, wallets outside Nigeria and their statements.

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

/** The phone numbers of an operator: how they begin, and how many digits follow. */
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

/** Every amount of a world is within these limits. */
const limits = { min: '1', max: '10000000000' }

export type Pawapay = {
  fake: FakePawapay
  plan(payee: string, fate: Played): void
  planCollection(payee: string, fate: CodeFate): void
  arrivals(): ProviderArrival[]
  wallets: CountryWallets
  /** Adds all payments and fees since the last update to the statements. */
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
      // The service never stores a payer's code, so it submits each code again under the same id. That is allowed: it
      // starts no second collection.
      ...fake
        .payments()
        .filter(({ id, code }) => code === undefined && fake.repeats.includes(id))
        .map(({ id }) => `${id} was sent again to pawaPay that had it`),
    ],
  }
}

const rowTypes = { payout: 'Payout', deposit: 'Deposit' }

/** So many questions are answered PROCESSING: more than the service asks before the collection expires. */
const ignoredSteps = 400

const payoutFates: Record<Ending, string> = {
  succeeds: 'COMPLETED',
  contradicts: 'COMPLETED',
  returns: 'COMPLETED',
  fails: 'RECIPIENT_NOT_FOUND',
  waits: 'stuck',
}

/** The first two are error codes that no table of the service has. */
const untrueAnswers = {
  refused: { code: 'A_NEW_CODE', done: true },
  'refused-with-a-code': { code: 'UNKNOWN_ERROR', status: 500, done: true },
  exists: 'duplicate',
} as const

/**
 * A payment that succeeds in the end may report FAILED first, with the code UNKNOWN_ERROR. The service must not believe
 * that.
 */
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

/** `atMs` is Infinity before a final status, so that the person of `traffic/person.ts` does not act on the payment yet. */
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
