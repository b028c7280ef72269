// The doctor's look at the rails of production: that what each lists was held against ours lately. A rail without that is one
// of which nobody would see what it did untold.

import type { Context } from '#base/context.ts'
import { hourMs } from '#base/durations.ts'
import type { Config } from '#config.ts'
import { proofOfRails, type RailProof } from '#reconcile/proofs.ts'
import { finding, type Finding } from './finding.ts'

/** A close runs every 24 hours, and may take a while. */
const provedHoursMax = 26

export async function railFindings({ rails: file }: Config, ctx: Context): Promise<Finding[]> {
  const names = Object.entries(file?.rails ?? {}).flatMap(([name, { environment }]) =>
    environment === 'production' ? [name] : [],
  )
  if (names.length === 0) return []
  const proofs = await proofOfRails(ctx)
  return names.map((name) => {
    const proof = proofs.find(({ environment, rail }) => environment === 'production' && rail === name)
    return findingOf(name, proof, ctx.clock.now())
  })
}

function findingOf(name: string, proof: RailProof | undefined, nowMs: number): Finding {
  const check = 'rail'
  if (proof?.stopped !== null && proof !== undefined)
    return finding(check, 'failed', `${name} is stopped: ${proof.stopped.why}. See: npx manilla rails breaks --open`)
  const provedMs = proof?.provedUntil?.getTime()
  if (provedMs === undefined) {
    const told = `what ${name} lists was never held against ours`
    return finding(check, 'failed', `${told}: ${proof?.why ?? 'no worker has looked at it'}. See docs/rails/breaks.md`)
  }
  const hours = Math.floor((nowMs - provedMs) / hourMs)
  if (hours >= provedHoursMax)
    return finding(
      check,
      'failed',
      `what ${name} lists is unproven for ${hours} hours: ${proof?.why ?? 'no worker looks'}`,
    )
  const open = proof?.openBreaks ?? 0
  return open === 0
    ? finding(check, 'ok', `what ${name} lists was held against ours ${hours} hours ago`)
    : finding(check, 'warning', `${open} breaks with ${name} are open. See: npx manilla rails breaks --open`)
}
