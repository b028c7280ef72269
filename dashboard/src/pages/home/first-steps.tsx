// A business that has no payment yet, or has not called the API: a test key in place, the commands with it filled in, and a
// test payment by a click.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ask, under } from '#api/client.ts'
import { keysQuery } from '#api/keys.ts'
import { transfersQuery } from '#api/payments.ts'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { Button } from '#ui/button.tsx'
import { CopyField } from '#ui/copy.tsx'
import { Panel, Row, Section, Stack } from '#ui/layout.tsx'
import { Notice } from '#ui/states.tsx'
import { firstCommands, testPayment } from './first-commands.ts'
import { lastOnes } from './last-payments.tsx'

export function FirstSteps() {
  const place = usePlace()
  const keysRefusal = useRefusal('keys.list')
  const { data } = useQuery(transfersQuery(place, lastOnes))
  const sent = place.environment === 'staging' ? data?.data.transfers.length : undefined
  // A business that fills the list is beyond its first steps, and its keys are not asked for.
  const mayLackKey = keysRefusal === undefined && sent !== undefined && sent > 0 && sent < lastOnes.limit
  const { data: keys } = useQuery({ ...keysQuery(place), enabled: mayLackKey })
  if (sent === 0) return <Steps hasPaid={false} />
  const lacksKey = mayLackKey && keys?.every(({ lastUsedAt }) => lastUsedAt === null) === true
  return lacksKey ? <Steps hasPaid /> : null
}

/** They stay until a payment was sent and a test key was used. */
function Steps({ hasPaid }: { hasPaid: boolean }) {
  const place = usePlace()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const keyRefusal = useRefusal('keys.change')
  const payRefusal = useRefusal('payouts.propose')
  const [secret, setSecret] = useState<string>()
  const [wrong, setWrong] = useState<string>()

  function attempt(action: () => Promise<unknown>): void {
    setWrong(undefined)
    action().catch((error: unknown) => setWrong(error instanceof Error ? error.message : String(error)))
  }

  async function makeKey(): Promise<void> {
    const { data } = await ask<{ secret: string }>(under(place, 'keys'), {
      method: 'POST',
      body: { name: 'First key' },
    })
    setSecret(data.secret)
  }

  async function pay(): Promise<void> {
    const body = testPayment(crypto.randomUUID().slice(0, 8))
    await ask(under(place, 'v1/transfers/initiate'), { method: 'POST', body })
    await queries.invalidateQueries({ queryKey: [place.businessId, place.environment] })
    void navigate({ to: paths.payment(place, body.reference) })
  }

  return (
    <Section title="First steps">
      <Panel>
        <Stack>
          <p>
            {hasPaid
              ? 'A payment was sent. Next, call the API with a test key: these steps stay until a key was used.'
              : 'This is staging: a simulator stands in for the banks, and the money is play money.'}
          </p>
          {wrong === undefined ? null : <Notice tone="failed">{wrong}</Notice>}
          <Row>
            {hasPaid ? null : (
              <Button tone="primary" disabledReason={payRefusal} onClick={() => attempt(pay)}>
                Send a test payment
              </Button>
            )}
            {secret === undefined ? (
              <Button disabledReason={keyRefusal} onClick={() => attempt(makeKey)}>
                Make a test key
              </Button>
            ) : null}
          </Row>
          {secret === undefined ? null : <Commands secret={secret} />}
        </Stack>
      </Panel>
    </Section>
  )
}

function Commands({ secret }: { secret: string }) {
  return (
    <>
      <p>Your test key, shown once, and three commands to paste:</p>
      <CopyField text={secret} label="Copy key" />
      {firstCommands(location.origin, secret).map((command) => (
        <CopyField key={command} text={command} />
      ))}
    </>
  )
}
