// A notice when the server has another version of the dashboard than the open page. Actions of the old page may fail,
// because the server may want other fields now.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readServersVersion, versionOfPage } from '#api/version.ts'
import { Button } from '#ui/button.tsx'
import { Row } from '#ui/layout.tsx'
import { Notice } from '#ui/states.tsx'

const checkEveryMs = 5 * 60_000
export function NewVersion() {
  const [opened] = useState(versionOfPage)
  const [dismissed, setDismissed] = useState<string>()
  const { data: latest } = useQuery({
    queryKey: ['version-of-dashboard'],
    queryFn: ({ signal }) => readServersVersion(signal),
    initialData: opened,
    staleTime: checkEveryMs,
    refetchInterval: checkEveryMs,
    refetchOnWindowFocus: 'always',
    retry: false,
  })
  if (latest === null || latest === opened || latest === dismissed) return null
  return (
    <Notice
      tone="asks"
      action={
        <Row>
          <Button isSmall onClick={() => location.reload()}>
            Reload page
          </Button>
          <Button isSmall tone="quiet" onClick={() => setDismissed(latest)}>
            Later
          </Button>
        </Row>
      }
    >
      Manilla was updated. Reload the page: until then, some actions may fail.
    </Notice>
  )
}
