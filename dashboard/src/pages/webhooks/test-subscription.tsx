// Sends a test event to a subscription and shows the receiver's answer.

import { useMutation } from '@tanstack/react-query'
import type { WebhookSubscription } from '#api/schema.ts'
import { testSubscription } from '#api/webhooks.ts'
import { formatDuration } from '#format/time.ts'
import { usePlace } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Facts, Row, Stack } from '#ui/layout.tsx'
import { Notice } from '#ui/states.tsx'
import { Status } from '#ui/status.tsx'
import { Code } from '#ui/values.tsx'

export function TestSubscription({
  subscription,
  onClose,
}: {
  subscription: WebhookSubscription
  onClose: () => void
}) {
  const place = usePlace()
  const refresh = useRefresh()
  const test = useMutation({ mutationFn: () => testSubscription(place, subscription.id), onSuccess: refresh })
  const { data } = test
  return (
    <Dialog
      title="Send test event"
      says={`webhook.test is sent to ${subscription.url} and waits for its answer.`}
      onClose={onClose}
    >
      <Stack>
        {data === undefined ? null : (
          <>
            <Facts
              facts={[
                ['Outcome', <Status key="outcome" status={data.delivered ? 'delivered' : 'failed'} />],
                data.responseCode === null ? undefined : ['Code', data.responseCode],
                data.error === null ? undefined : ['Error', data.error],
                ['After', formatDuration(data.durationMs / 1_000)],
              ]}
            />
            {data.responseBody === null ? null : <Code label="What it answered">{data.responseBody}</Code>}
          </>
        )}
        {test.error === null ? null : <Notice tone="failed">{test.error.message}</Notice>}
        <Row>
          <Button tone="primary" isBusy={test.isPending} onClick={() => test.mutate()}>
            {data === undefined ? 'Send test event' : 'Send again'}
          </Button>
          <Button tone="quiet" onClick={onClose}>
            Close
          </Button>
        </Row>
      </Stack>
    </Dialog>
  )
}
