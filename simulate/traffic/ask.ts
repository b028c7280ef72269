// Sends one request to one instance, and returns its answer, or that the caller got none. Also reports answers that the service
// must never give: a 500, or a 503 without Retry-After.

import type { Answer, CallOptions } from '#tests/support/client.ts'
import { realTime } from '#simulate/clocks.ts'
import type { Instance } from '#simulate/instance.ts'
import type { Model, ModelTenant } from '#simulate/model.ts'

/**
 * `silence`: no answer in time. `unavailable`: 503 or 500. In both cases the caller does not know whether the request
 * took effect.
 */
export type CallerAnswer = Answer | 'silence' | 'unavailable'

export async function ask(
  model: Model,
  instance: Instance,
  { key, name }: ModelTenant,
  path: string,
  options: CallOptions = {},
): Promise<CallerAnswer> {
  const call = instance.call(key, path, options).catch(() => 'silence' as const)
  model.underWay.add(call)
  void call.then(() => model.underWay.delete(call))
  const answer = await Promise.race([call, realTime(model.patienceMs).then(() => 'silence' as const)])
  if (answer === 'silence') return answer
  const { status } = answer
  const what = `${options.method ?? 'GET'} ${path} of ${name}`
  if (status === 503) {
    const seconds = Number(answer.headers['retry-after'])
    if (!(seconds >= 1)) model.wrong.add(`${what} was answered 503 without Retry-After`)
    if (model.heedsRetryAfter) await realTime(seconds * 1_000)
    return 'unavailable'
  }
  if (status >= 500) model.wrong.add(`${what} was answered ${status}: ${reasonIn(instance, answer)}`)
  return status >= 500 ? 'unavailable' : answer
}

export function post(
  model: Model,
  instance: Instance,
  tenant: ModelTenant,
  path: string,
  body: unknown,
): Promise<CallerAnswer> {
  return ask(model, instance, tenant, path, { method: 'POST', body })
}

/** Finds the error in the instance's log by the id of the request, because the answer does not contain it. */
function reasonIn({ errors }: Instance, { body }: Answer): string {
  const line = errors.findLast((text) => body.requestId !== undefined && text.includes(body.requestId))
  const logged = line === undefined ? {} : (JSON.parse(line) as { error?: { message?: string } })
  return logged.error?.message ?? body.error?.message ?? 'without a reason'
}

export function isUnclear(heard: CallerAnswer): heard is 'silence' | 'unavailable' {
  return heard === 'silence' || heard === 'unavailable'
}
