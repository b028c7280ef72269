// Paystack and Monnify in a world: the fakes of the tests, one machine each, behind doors that belong to one instance and are
// cut when it dies. Bank transfers go to them over the service's own adapters, routes and breakers. What a fake has is the truth.

import { parseRailsFile, type RailsFile } from '#rails/rails-file.ts'
import type { WorldTime } from '#simulate/clocks.ts'
import { monnifyContract } from '#tests/support/fakes/monnify-accounts.ts'
import { monnifyKeys, startFakeMonnify, type FakeMonnify } from '#tests/support/fakes/monnify.ts'
import { paystackTestKey, startFakePaystack, type FakePaystack } from '#tests/support/fakes/paystack.ts'
import type { Act, Door } from '#tests/support/fakes/provider.ts'
import type { Arrival } from './far-side.ts'
import type { Ending, Fate, Misfortune } from './fate.ts'

export type Providers = {
  paystack: FakePaystack
  monnify: FakeMonnify
  /** A door of each, for one instance. */
  open(): Promise<ProviderDoors>
  plan(accountNumber: string, fate: Fate): void
  arrivals(): (Arrival & { bank: string })[]
  /** What a service may never do to a provider. */
  faults(): string[]
  close(): Promise<void>
}

export type ProviderDoors = { file: RailsFile; close(): Promise<void> }

export async function startProviders(time: WorldTime): Promise<Providers> {
  const [paystack, monnify] = await Promise.all([startFakePaystack(time), startFakeMonnify(time)])
  return {
    paystack,
    monnify,
    async open() {
      const doors = await Promise.all([paystack.openDoor(), monnify.openDoor()])
      return {
        file: fileFor(doors),
        close: () => Promise.all(doors.map((door) => door.close())).then(() => undefined),
      }
    },
    plan(accountNumber, { submissions, silences, ends }) {
      const submit = submissions.map((misfortune) => acts[misfortune])
      const status = Array.from({ length: silences }, (): Act => 'error-not-done')
      paystack.script(accountNumber, { submit, status, fate: words[ends].paystack })
      monnify.script(accountNumber, { submit, status, fate: words[ends].monnify })
    },
    arrivals: () => [
      ...paystack.transfers().map(({ reference, accountNumber, amount }) => ({
        ...nobody,
        bank: 'Paystack',
        railReference: reference,
        payee: accountNumber,
        amount: BigInt(amount),
      })),
      ...monnify.transfers().map(({ reference, accountNumber, naira }) => ({
        ...nobody,
        bank: 'Monnify',
        railReference: reference,
        payee: accountNumber,
        amount: BigInt(naira.replace('.', '')),
      })),
    ],
    faults: () => [
      ...[...paystack.faults, ...monnify.faults].map((fault) => `a provider would have refused: ${fault}`),
      ...[...paystack.repeats, ...monnify.repeats].map((one) => `${one} was sent again to a provider that had it`),
    ],
    close: () => Promise.all([paystack.close(), monnify.close()]).then(() => undefined),
  }
}

const nobody = { atMs: 0, agreedAtMs: undefined }

function fileFor([paystack, monnify]: readonly [Door, Door]): RailsFile {
  const staging = { environment: 'staging' }
  const content = {
    rails: {
      paystack: { kind: 'paystack', ...staging, secretKey: paystackTestKey, baseUrl: paystack.url },
      monnify: { kind: 'monnify', ...staging, ...monnifyKeys, contractCode: monnifyContract, baseUrl: monnify.url },
    },
    routes: {
      staging: {
        NGN: {
          payout: [
            { rail: 'paystack', weight: 60 },
            { rail: 'monnify', weight: 40 },
          ],
        },
      },
    },
  }
  return parseRailsFile(JSON.stringify(content), {})
}

/** How a misfortune looks on the wire. One that arrives late cannot be played by a machine that answers: it fails instead. */
const acts: Record<Misfortune, Act> = {
  answers: 'answer',
  'answer-lost': 'cut-after',
  'lost-on-the-way': 'cut-before',
  'never-sent': 'too-many',
  throws: 'error-done',
  late: 'half',
  'arrives-late': 'gateway-page',
  hangs: 'never',
}

/** One that contradicts itself does so in a notice (traffic/provider-notices.ts): what it answers is that it succeeded. */
const words: Record<Ending, { paystack: 'success' | 'failed' | 'pending' | 'reversed'; monnify: string }> = {
  succeeds: { paystack: 'success', monnify: 'SUCCESS' },
  contradicts: { paystack: 'success', monnify: 'SUCCESS' },
  fails: { paystack: 'failed', monnify: 'FAILED' },
  returns: { paystack: 'reversed', monnify: 'REVERSED' },
  waits: { paystack: 'pending', monnify: 'PENDING' },
}
