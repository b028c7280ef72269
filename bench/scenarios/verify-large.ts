// Accepts transfers while `ledger verify` proves five million movements of the same business, again and again. `alone` measures
// the same without a proof. The proof runs in the measuring process, which has no other work.

import { defineScenario, type Progress, type Rig } from '#bench/scenario.ts'
import { createTenant, loadTransfers } from '#bench/tenant.ts'
import { transferRequest } from '#bench/transfer.ts'
import { depositInvariants } from '#deposits/verify.ts'
import { usualRest } from '#ledger/table-scan.ts'
import { ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import { paymentInvariants } from '#payments/verify.ts'

/** Each transfer has three movements. */
const transfers = 1_666_667
// Leaves out the invariants about events, because the loaded transfers have no events.
const invariants = [...ledgerInvariants, ...paymentInvariants, ...depositInvariants].filter(
  ({ name }) => !name.includes('events'),
)

type Verifier = { stop: () => Promise<void> }
let verifier: Verifier | undefined
let rowsProved = 0

class Stopped extends Error {}

function startVerifier({ ctx }: Rig): Verifier {
  let isStopped = false
  let [before, what] = [0, '']
  const onProgress = (done: { checked: number; what: string }): void => {
    // The count starts again for each invariant.
    rowsProved += done.checked - (done.what === what ? before : 0)
    ;[before, what] = [done.checked, done.what]
    if (isStopped) throw new Stopped('the round is over')
  }
  async function verifyAgain(): Promise<void> {
    for (;;) {
      const breaches = await verifyLedger(ctx, { invariants, onProgress, restsPerWork: usualRest })
      if (breaches.length > 0) throw new Error(`the ledger does not prove: ${JSON.stringify(breaches.slice(0, 3))}`)
    }
  }
  const ended = verifyAgain().catch((error: unknown) => {
    if (!(error instanceof Stopped)) throw error
  })
  ended.catch(() => undefined) // `stop` returns the error; until then it must not end the process.
  return {
    stop() {
      isStopped = true
      return ended
    },
  }
}

/** The first call, before a round of the service, starts the proof; the next one, after the round, stops it. */
async function progress(rig: Rig): Promise<Progress> {
  if (verifier === undefined) verifier = startVerifier(rig)
  else {
    await verifier.stop()
    verifier = undefined
  }
  return { done: rowsProved, waiting: 0 }
}

async function proveAll({ ctx }: Rig): Promise<void> {
  const breaches = await verifyLedger(ctx, { invariants })
  if (breaches.length > 0) throw new Error(`the ledger does not prove: ${JSON.stringify(breaches.slice(0, 3))}`)
}

export const scenario = defineScenario({
  title:
    'POST /v1/transfers/initiate while `ledger verify` proves 5 000 000 movements; must reach 0.9 × the same alone',
  connections: [256],
  async prepare(rig, say) {
    const { key, tenant } = await createTenant(rig)
    await loadTransfers(rig, tenant, transfers, say)
    return { key }
  },
  request: ({ key }, sequence) => transferRequest(key, `BENCH-${sequence}`),
  variants: { alone: ({ key }, sequence) => transferRequest(key, `BENCH-${sequence}`) },
  service: { roles: ['api'] },
  progress,
  verify: proveAll,
  // A round is long enough to show what an open snapshot of the proof costs the transfers.
  secondsLeast: 60,
  targets: [{ figure: 'service', of: 'alone', atLeast: 0.9 }],
})
