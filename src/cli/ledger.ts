// `manilla ledger verify`: proves the books from the movements, and lists the breaches.

import { correctionInvariants } from '#corrections/corrections.ts'
import { depositInvariants } from '#deposits/verify.ts'
import { type Breach, archiveInvariants, floatInvariants, ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import { type Invariant, usualRest } from '#ledger/table-scan.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { figureInvariants } from '#payments/stats.ts'
import { reconcileInvariants } from '#reconciliation/verify.ts'
import { withContext } from './database.ts'
import type { Output } from './output.ts'
import { readConfig } from './settings.ts'

export const invariants: Invariant[] = [
  ...ledgerInvariants,
  ...archiveInvariants,
  ...floatInvariants,
  ...paymentInvariants,
  ...depositInvariants,
  ...correctionInvariants,
  ...reconcileInvariants,
  ...figureInvariants,
]

/** Progress is printed after this many rows, because a large ledger takes minutes. */
const rowsPerLine = 1_000_000

export async function verifyLedgerCommand(output: Output, { hurry = false }: { hurry?: boolean }): Promise<void> {
  const onProgress = createProgress(output.step)
  const breaches = await withContext(readConfig(), output.step, (ctx) =>
    verifyLedger(ctx, { invariants, onProgress, restsPerWork: hurry ? 0 : usualRest }),
  )
  const ok = breaches.length === 0
  output.result({ ok, invariants: invariants.map(({ name }) => name), breaches }, ok ? allWell() : told(breaches))
  if (!ok) process.exitCode = 1
}

function createProgress(step: Output['step']) {
  let [current, lines] = ['', 0]
  return ({ checked, what }: { checked: number; what: string }): void => {
    if (what !== current) {
      ;[current, lines] = [what, 0]
      step(`checking that ${what}`)
    }
    if (checked < (lines + 1) * rowsPerLine) return
    lines = Math.floor(checked / rowsPerLine)
    step(`  ${checked.toLocaleString('en')} rows`)
  }
}

function allWell(): string {
  return ['The books are right:', ...invariants.map(({ name }) => `- ${name}`)].join('\n')
}

function told(breaches: Breach[]): string {
  const lines = breaches.flatMap(({ invariant, tenantId, ids, message }) => [
    `BREACH: ${invariant}`,
    `  ${tenantId === undefined ? '' : `tenant ${tenantId}: `}${message}`,
    ...ids.map((id) => `  ${id}`),
  ])
  return [...lines, `${breaches.length} ${breaches.length === 1 ? 'breach' : 'breaches'}. See docs/ledger.md.`].join(
    '\n',
  )
}
