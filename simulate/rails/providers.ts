// Paystack and Monnify in a world, and pawaPay if its switch is on (pawapay.ts). They are the fake providers of the
// tests, one server each. The service uses its own adapters, routes and breakers. Each instance has its own door (a
// proxy) to each server, which is cut when the instance dies. The checks compare the service's books with the fakes'
// records.

import type { RailsFile } from '#rails/rails-file.ts'
import type { WorldTime } from '#simulate/clocks.ts'
import { startFakeMonnify, type FakeMonnify } from '#tests/support/fakes/monnify.ts'
import { startFakePaystack, type FakePaystack } from '#tests/support/fakes/paystack.ts'
import type { Act } from '#tests/support/fakes/provider.ts'
import type { FakePawapay } from '#tests/support/fakes/pawapay.ts'
import type { Switched } from '#simulate/switches.ts'
import type { Arrival } from './far-side.ts'
import { actsOf, type CodeFate, type Ending, type Fate } from './fate.ts'
import { isAbroad, startPawapay, type Pawapay, type Played } from './pawapay.ts'
import { createProviderLists, type ProviderLists } from './provider-lists.ts'
import { railsFileFor, type Roads } from './rails-files.ts'

export type ProviderName = 'paystack' | 'monnify'

export type Providers = {
  paystack: FakePaystack
  monnify: FakeMonnify
  /** Present with the switch `pawapay`. */
  pawapay: Pawapay | undefined
  lists: ProviderLists
  /** Opens one instance's doors to all providers. */
  open(roads: Roads): Promise<ProviderDoors>
  /** Sets the fate of a payee, named by account or phone number. */
  plan(payee: string, fate: Fate): void
  /** Sets the fate of a collection from a wallet at pawaPay; the other providers collect nothing. */
  planCollection(payee: string, fate: CodeFate): void
  /** The number of calls that are neither answered nor broken off. */
  underWay(): number
  /** Ends all faults: later calls are answered as usual. */
  calm(): void
  /** Sets the final status of a payout that waited for a person. */
  decide(payee: string, ends: 'succeeds' | 'fails'): void
  arrivals(): ProviderArrival[]
  /** The transfers at Paystack and Monnify. */
  transfers(): ProviderTransfer[]
  /** What the service did that it must never do to a provider. */
  faults(): string[]
  close(): Promise<void>
}

export type ProviderArrival = Arrival & { bank: string; rail: ProviderName | 'pawapay' }
export type ProviderTransfer = ProviderArrival & { rail: ProviderName }

export type ProviderDoors = { file: RailsFile; close(): Promise<void> }

export async function startProviders(time: WorldTime, isOn: Switched): Promise<Providers> {
  const [paystack, monnify] = await Promise.all([startFakePaystack(time), startFakeMonnify(time)])
  const pawapay = isOn('pawapay') ? await startPawapay(time) : undefined
  const fakes: Fakes = pawapay === undefined ? [paystack, monnify] : [paystack, monnify, pawapay.fake]
  const fates = new Map<string, Ending>()

  function script(payee: string, fate: Played): void {
    if (pawapay !== undefined && isAbroad(payee)) return pawapay.plan(payee, fate)
    const account = accountOf(payee)
    const scripts = scriptsOf(fate)
    paystack.script(account, scripts.paystack)
    monnify.script(account, scripts.monnify)
    fates.set(account, fate.ends)
  }

  const lists = createProviderLists({
    paystack,
    monnify,
    time,
    endingOf: (account) => fates.get(account) ?? 'succeeds',
    areOdd: isOn('odd-lists'),
  })

  return {
    paystack,
    monnify,
    pawapay,
    lists: {
      ...lists,
      bringUpToDate() {
        lists.bringUpToDate()
        pawapay?.bringUpToDate()
      },
    },
    open: (roads) => openDoors(fakes, roads),
    plan: script,
    planCollection: (payee, fate) => pawapay?.planCollection(payee, fate),
    underWay: () => fakes.reduce((sum, fake) => sum + fake.underWay(), 0),
    calm() {
      for (const fake of fakes) fake.calm()
      paystack.lists.circling = 0
      // Makes every statement ready at once. The service asks for an unready one again only after 20 seconds of world
      // time, so the quiet would need many more jumps.
      if (pawapay !== undefined) pawapay.fake.statements.slowness = 0
    },
    decide: (payee, ends) => script(payee, { submissions: [], silences: 0, ends }),
    arrivals: () => [...transfersAt(paystack, monnify), ...(pawapay?.arrivals() ?? [])],
    transfers: () => transfersAt(paystack, monnify),
    faults: () => [...faultsOf(paystack, monnify), ...(pawapay?.faults() ?? [])],
    close: () => Promise.all(fakes.map((fake) => fake.close())).then(() => undefined),
  }
}

type Fakes = [FakePaystack, FakeMonnify] | [FakePaystack, FakeMonnify, FakePawapay]

async function openDoors(fakes: Fakes, roads: Roads): Promise<ProviderDoors> {
  const doors = await Promise.all(fakes.map((fake) => fake.openDoor()))
  const [paystack = '', monnify = '', pawapay] = doors.map(({ url }) => url)
  return {
    file: railsFileFor(roads, { paystack, monnify, pawapay }),
    close: () => Promise.all(doors.map((door) => door.close())).then(() => undefined),
  }
}

function faultsOf(paystack: FakePaystack, monnify: FakeMonnify): string[] {
  return [
    ...[...paystack.faults, ...monnify.faults].map((fault) => `a provider would have refused: ${fault}`),
    ...[...paystack.repeats, ...monnify.repeats].map((one) => `${one} was sent again to a provider that had it`),
    ...[...paystack.refunds.repeats, ...monnify.refunds.repeats].map((one) => `${one} was to be sent back again`),
  ]
}

function transfersAt(paystack: FakePaystack, monnify: FakeMonnify): ProviderTransfer[] {
  return [
    ...paystack.transfers().map(({ reference, accountNumber, amount }) => ({
      ...nobody,
      bank: 'Paystack',
      rail: 'paystack' as const,
      railReference: reference,
      payee: payeeOf(accountNumber),
      amount: BigInt(amount),
    })),
    ...monnify.transfers().map(({ reference, accountNumber, naira }) => ({
      ...nobody,
      bank: 'Monnify',
      rail: 'monnify' as const,
      railReference: reference,
      payee: payeeOf(accountNumber),
      amount: BigInt(naira.replace('.', '')),
    })),
  ]
}

function scriptsOf({ submissions, silences, ends, untruth }: Played) {
  const { first, hiddenMs = 0, fails = 0, refusesRepeats = false } = untruth ?? {}
  const usual = submissions.map((misfortune) => actsOf[misfortune])
  const lostThenRefused = ['cut-after' as const, ...Array.from({ length: repeatsRefused }, () => repeatRefusal)]
  const untrue = first === undefined || first === 'failed' ? undefined : untrueAnswers[first]
  const common = { status: Array.from({ length: silences }, (): Act => 'error-not-done'), hiddenMs }
  return {
    paystack: {
      ...common,
      submit: refusesRepeats ? lostThenRefused : untrue === undefined ? usual : [untrue.paystack, ...usual],
      fate: words[ends].paystack,
    },
    monnify: {
      ...common,
      submit: refusesRepeats ? lostThenRefused : untrue === undefined ? usual : [untrue.monnify, ...usual],
      fate: words[ends].monnify,
      answered: first === 'failed' ? 'FAILED' : 'PENDING',
      // The service believes Monnify's FAILED at once only if the description blames the payee. With another
      // description the service waits for half an hour; without a description it never believes FAILED.
      description: ends === 'fails' ? 'Post no credit on account' : '',
      words: Array.from({ length: fails }, () => ({ status: 'FAILED', description: passing })),
    },
  }
}

const nobody = { atMs: 0, agreedAtMs: undefined }

/** For the provider a wallet is an account whose number is the phone's. No bank account of a world begins with 8. */
const accountOf = (payee: string): string => payee.replace('+234', '')
const payeeOf = (account: string): string => (account.startsWith('8') ? `+234${account}` : account)

/** The provider refuses the request and carries it out nevertheless. No table of the service has this message or code. */
const refusalOf = { message: 'We could not complete this transfer at the moment', done: true as const }
/** The service repeats a submission less often than this in an hour. */
const repeatsRefused = 8
/** Neither adapter knows the code. Without `done`, the provider makes no second transfer and keeps the first. */
const repeatRefusal = { message: refusalOf.message, code: 'D77' }
const untrueAnswers = {
  refused: { paystack: refusalOf, monnify: { ...refusalOf, code: '' } },
  'refused-with-a-code': {
    paystack: { ...refusalOf, code: 'transfer_unsuccessful' },
    monnify: { ...refusalOf, code: 'D77' },
  },
  exists: { paystack: 'duplicate', monnify: 'duplicate' },
} as const

/** Monnify's documentation says to ask again after this message, so it is not final. */
const passing = 'Transaction timed out while waiting for destination bank'

/** For `contradicts` the answers say that the payment succeeded; a notice contradicts them (traffic/provider-notices.ts). */
const words: Record<Ending, { paystack: 'success' | 'failed' | 'pending' | 'reversed'; monnify: string }> = {
  succeeds: { paystack: 'success', monnify: 'SUCCESS' },
  contradicts: { paystack: 'success', monnify: 'SUCCESS' },
  fails: { paystack: 'failed', monnify: 'FAILED' },
  returns: { paystack: 'reversed', monnify: 'REVERSED' },
  waits: { paystack: 'pending', monnify: 'PENDING' },
}
