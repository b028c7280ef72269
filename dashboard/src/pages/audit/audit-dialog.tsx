// One line of the audit log, whole.

import type { AuditEntry } from '#api/audit.ts'
import { Copyable } from '#ui/copy.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Facts, Stack } from '#ui/layout.tsx'
import { Status } from '#ui/status.tsx'
import { Json, Time } from '#ui/values.tsx'

export function AuditDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const { requestId, details } = entry
  return (
    <Dialog title={entry.act} shape="side" onClose={onClose}>
      <Stack>
        <Facts
          facts={[
            ['Outcome', <Status key="outcome" status={entry.outcome} />],
            ['Who', entry.actor ?? entry.actorKind],
            entry.role === null ? undefined : ['Role at that time', entry.role],
            entry.subject === null ? undefined : ['Of', entry.subject],
            entry.environment === null ? undefined : ['Environment', entry.environment],
            ['Time', <Time key="time" at={entry.at} ago />],
            entry.address === null ? undefined : ['Address', entry.address],
            entry.device === null ? undefined : ['Device', entry.device],
            requestId === null
              ? undefined
              : ['Request', <Copyable key="request" text={requestId} what="the request id" children={requestId} />],
            ['Entry', entry.id],
          ]}
        />
        {details === null ? null : <Json label="What was changed" text={JSON.stringify(details)} />}
      </Stack>
    </Dialog>
  )
}
