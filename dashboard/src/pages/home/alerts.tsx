// The alerts that need a person, or one quiet line if there are none.

import { useQuery } from '@tanstack/react-query'
import { alertsQuery, type Alert } from '#api/home.ts'
import { paths } from '#shell/paths.ts'
import { useMe, usePlace } from '#shell/place.ts'
import { Way } from '#shell/way.tsx'
import { Stack } from '#ui/layout.tsx'
import { Notice, Skeleton } from '#ui/states.tsx'
import styles from './home.module.css'

export function Alerts() {
  const place = usePlace()
  const { person } = useMe()
  const { data, error } = useQuery(alertsQuery(place))
  const own: Alert[] = person.hasSecondFactor
    ? []
    : [
        {
          id: 'factor',
          kind: 'factor',
          severity: 'asks',
          says: 'Your account has no second factor: in production you can only read.',
          href: `/dashboard${paths.profile(place)}`,
        },
      ]
  const alerts = [...(data ?? []), ...own]
  if (error !== null && data === undefined) {
    return <Notice tone="failed">Alerts could not be loaded: {error.message}</Notice>
  }
  if (data === undefined) return <Skeleton width="40%" />
  if (alerts.length === 0) return <p className={styles.quiet}>All is well. There are no alerts.</p>
  return (
    <Stack>
      {alerts.map(({ id, severity, says, href }) => (
        <Notice key={id} tone={severity} action={href === null ? undefined : <Way href={href}>View</Way>}>
          {says}
        </Notice>
      ))}
    </Stack>
  )
}
