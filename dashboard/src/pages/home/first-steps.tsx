// The first steps of a business: a test payment by a click, a test key with commands to paste, and a webhook.

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { failureOf } from '#api/failure.ts'
import { createKey, keysQuery } from '#api/keys.ts'
import { sendTransfer, transfersQuery } from '#api/payments.ts'
import { subscriptionsQuery } from '#api/webhooks.ts'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { CopyField } from '#ui/copy.tsx'
import { Panel, Section, Stack } from '#ui/layout.tsx'
import { Notice } from '#ui/states.tsx'
import { Status } from '#ui/status.tsx'
import { firstCommands, testPayment } from './first-commands.ts'
import styles from './home.module.css'
import { lastOnes } from './last-payments.tsx'

export function FirstSteps() {
  const place = usePlace()
  const keysRefusal = useRefusal('keys.list')
  const hooksRefusal = useRefusal('webhooks.see')
  const { data } = useQuery(transfersQuery(place, lastOnes))
  const sent = place.environment === 'staging' ? data?.data.transfers.length : undefined
  // A business with ten transfers has completed its first steps, so the other queries are skipped.
  const isBeginning = sent !== undefined && sent < lastOnes.limit
  const keys = useQuery({ ...keysQuery(place), enabled: isBeginning && keysRefusal === undefined })
  const hooks = useQuery({ ...subscriptionsQuery(place), enabled: isBeginning && hooksRefusal === undefined })
  const [secret, setSecret] = useState<string>()
  if (secret === undefined && (!isBeginning || keys.isLoading || hooks.isLoading)) return null
  // A step that the person's role may not see counts as done.
  const done = {
    payment: sent !== 0,
    key: keys.data?.some(({ lastUsedAt }) => lastUsedAt !== null) !== false,
    webhook: hooks.data?.length !== 0,
  }
  if (secret === undefined && done.payment && done.key && done.webhook) return null
  return <Steps done={done} secret={secret} onSecret={setSecret} />
}

type Done = { payment: boolean; key: boolean; webhook: boolean }

type StepsProps = { done: Done; secret: string | undefined; onSecret: (secret: string) => void }

/**
 * The steps stay on screen until all are done. A new key stays until the person leaves the page, because nothing can show
 * it again.
 */
function Steps({ done, secret, onSecret }: StepsProps) {
  const place = usePlace()
  const refresh = useRefresh()
  const navigate = useNavigate()
  const keyRefusal = useRefusal('keys.change')
  const payRefusal = useRefusal('payouts.propose')
  const [isBusy, setBusy] = useState(false)
  const [wrong, setWrong] = useState<string>()

  async function attempt(action: () => Promise<void>): Promise<void> {
    setBusy(true)
    setWrong(undefined)
    await action().catch((error: unknown) => setWrong(failureOf(error).message))
    setBusy(false)
  }

  async function makeKey(): Promise<void> {
    onSecret((await createKey(place, { name: 'First key' })).secret)
  }

  async function pay(): Promise<void> {
    const body = testPayment(crypto.randomUUID().slice(0, 8))
    await sendTransfer(place, body)
    void refresh()
    await navigate({ to: paths.payment(place, body.reference) })
  }

  return (
    <StepsSection>
      {wrong === undefined ? null : <Notice tone="failed">{wrong}</Notice>}
      <ol>
        <Step isDone={done.payment} title="Send a payment" says="Pays ₦1,500.00 to a test account.">
          <Button tone="primary" isSmall isBusy={isBusy} disabledReason={payRefusal} onClick={() => void attempt(pay)}>
            Send a test payment
          </Button>
        </Step>
        <Step isDone={done.key} title="Call the API" says="With a test key. This step is done when a key was used.">
          {secret === undefined ? (
            <Button isSmall isBusy={isBusy} disabledReason={keyRefusal} onClick={() => void attempt(makeKey)}>
              Make a test key
            </Button>
          ) : null}
        </Step>
        <Step isDone={done.webhook} title="Add a webhook" says="Your server learns how each payment ended.">
          <Link to={paths.webhooks(place)} className={buttonLook({ isSmall: true })}>
            Add a webhook
          </Link>
        </Step>
      </ol>
      {secret === undefined ? null : <Commands secret={secret} />}
    </StepsSection>
  )
}

function StepsSection({ children }: { children: ReactNode }) {
  return (
    <Section
      title="First steps"
      actions={
        <a href="/docs" target="_blank" rel="noopener">
          Documentation
        </a>
      }
    >
      <Panel>
        <Stack>
          <p>This is staging: a simulator stands in for the banks, and the money is play money.</p>
          {children}
        </Stack>
      </Panel>
    </Section>
  )
}

type StepProps = { isDone: boolean; title: string; says: string; children: ReactNode }

function Step({ isDone, title, says, children }: StepProps) {
  return (
    <li className={styles.step}>
      <Status status={isDone ? 'done' : 'open'} />
      <div>
        <h3>{title}</h3>
        <p className={styles.quiet}>{says}</p>
      </div>
      {isDone ? null : children}
    </li>
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
