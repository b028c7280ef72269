// One complete entry of the audit log.

import type { AuditEntry } from '#api/audit.ts'
import { nameDevice } from '#format/device.ts'
import { Copyable } from '#ui/copy.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Facts, Stack, type Fact } from '#ui/layout.tsx'
import { Status } from '#ui/status.tsx'
import { Time } from '#ui/values.tsx'
import { sayAct, sayActor, sayDetail, sayTarget, sayWords, type Names } from './say-act.ts'

export function AuditDialog({ entry, names, onClose }: { entry: AuditEntry; names: Names; onClose: () => void }) {
  const { requestId, details } = entry
  return (
    <Dialog title={sayAct(entry)} shape="side" onClose={onClose}>
      <Stack>
        <Facts
          facts={[
            ['Outcome', <Status key="outcome" status={entry.outcome} />],
            ['Who', sayActor(entry, names)],
            entry.person === null || entry.actor === null ? undefined : ['E-mail address', entry.actor],
            entry.role === null ? undefined : ['Role at that time', sayWords(entry.role)],
            entry.subject === null ? undefined : ['Target', sayTarget(entry, names)],
            entry.environment === null ? undefined : ['Environment', entry.environment],
            ['Time', <Time key="time" at={entry.at} ago />],
            entry.address === null ? undefined : ['Address', entry.address],
            entry.device === null ? undefined : ['Device', nameDevice(entry.device)],
            requestId === null
              ? undefined
              : ['Request', <Copyable key="request" text={requestId} what="the request id" children={requestId} />],
            ['Action code', entry.act],
            ['Entry', entry.id],
          ]}
        />
        {details === null || Object.keys(details).length === 0 ? null : (
          <Facts facts={Object.keys(details).map((name): Fact => [sayWords(name), sayDetail(name, details)])} />
        )}
      </Stack>
    </Dialog>
  )
}
