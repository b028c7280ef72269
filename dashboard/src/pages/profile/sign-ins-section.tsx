// The sessions of the person, with buttons that end them.

import { useQuery } from '@tanstack/react-query'
import { failureOf } from '#api/failure.ts'
import { endSignIn, signInsQuery } from '#api/me.ts'
import { nameDevice } from '#format/device.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Section } from '#ui/layout.tsx'
import { ErrorState, SkeletonLines } from '#ui/states.tsx'
import { Chip } from '#ui/status.tsx'
import { useSay } from '#ui/say.ts'
import { Time } from '#ui/values.tsx'
import styles from './profile.module.css'

export function SignInsSection() {
  const refreshOf = useRefreshOf()
  const say = useSay()
  const { data, error, refetch } = useQuery(signInsQuery)
  async function end(id: string): Promise<void> {
    await endSignIn(id).catch((failed: unknown) => say(failureOf(failed).message))
    await refreshOf(signInsQuery.queryKey)
  }
  return (
    <Section title="Sign-ins">
      {data === undefined && error === null ? <SkeletonLines lines={2} /> : null}
      {data === undefined && error !== null ? <ErrorState failure={error} onRetry={() => void refetch()} /> : null}
      <ul>
        {data?.map(({ id, device, address, seenAt, isThis }) => (
          <li key={id} className={styles.signIn}>
            <div>
              <span title={device}>{nameDevice(device)}</span> <span className={styles.muted}>from {address}</span>
              <div className={styles.muted}>
                Last seen <Time at={seenAt} ago />
              </div>
            </div>
            {isThis ? (
              <Chip tone="done">This one</Chip>
            ) : (
              <Button
                isSmall
                aria-label={`End the sign-in of ${nameDevice(device)} from ${address}`}
                onClick={() => void end(id)}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}
