// Sends one request to one instance and says what became of the work: done, refused or unknown. It also names the
// answers that the service may never give.

import type { Answer, CallOptions } from '#tests/support/client.ts'
import { realTime } from '#simulate/clocks.ts'
import type { Instance } from '#simulate/instance.ts'
import type { Model, ModelTenant } from '#simulate/model.ts'

/**
 * `silence`: no answer, or none in time. `unavailable`: 503. After either, the caller does not know whether the work
 * was done.
 */
export type Heard = Answer | 'silence' | 'unavailable'

export async function ask(
  model: Model,
  instance: Instance,
  { key, name }: ModelTenant,
  path: string,
  options: CallOptions = {},
): Promise<Heard> {
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
): Promise<Heard> {
  return ask(model, instance, tenant, path, { method: 'POST', body })
}

/** Only the instance's log has the stack, under the id of the request. */
function reasonIn({ errors }: Instance, { body }: Answer): string {
  const line = errors.findLast((text) => body.requestId !== undefined && text.includes(body.requestId))
  const logged = line === undefined ? {} : (JSON.parse(line) as { error?: { message?: string } })
  return logged.error?.message ?? body.error?.message ?? 'without a reason'
}

export function isUnclear(heard: Heard): heard is 'silence' | 'unavailable' {
  return heard === 'silence' || heard === 'unavailable'
}
