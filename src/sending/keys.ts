// The signing keys of receivers, opened once each: unsealing costs more than signing.

import type { SecretBox } from '#base/secret.ts'
import { secretContext, type Receiver } from '#events/receiver.ts'
import { signingKey, type SigningKey } from '#events/sign.ts'

const openMax = 10_000

/** The keys that sign for a receiver: the new one first, and the old one until its time is over. */
export function createKeyOpener(box: SecretBox): (receiver: Receiver, nowMs: number) => SigningKey[] {
  const opened = new Map<string, SigningKey>()

  function open(sealed: Buffer, { subscriptionId }: Receiver): SigningKey {
    const name = sealed.toString('latin1')
    const known = opened.get(name)
    if (known !== undefined) return known
    const key = signingKey(box.open(sealed, secretContext(subscriptionId)))
    const [oldest] = opened.keys()
    if (opened.size >= openMax && oldest !== undefined) opened.delete(oldest)
    opened.set(name, key)
    return key
  }

  return (receiver, nowMs) => {
    const { secret, oldSecret, oldSecretUntil } = receiver
    const rotating = oldSecret !== null && oldSecretUntil !== null && oldSecretUntil.getTime() > nowMs
    return rotating ? [open(secret, receiver), open(oldSecret, receiver)] : [open(secret, receiver)]
  }
}
