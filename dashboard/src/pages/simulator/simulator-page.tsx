// On staging alone: actions that banks, operators and payers do in production.

import { usePlace } from '#shell/place.ts'
import { PageHead, Section, Stack } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'
import { FundForm } from './fund-form.tsx'
import { MagicNumbers } from './magic-numbers.tsx'
import { OpenPayments } from './open-payments.tsx'
import { PayInForm } from './pay-in-form.tsx'
import styles from './simulator.module.css'
import { TriggerForm } from './trigger-form.tsx'

export function SimulatorPage() {
  if (usePlace().environment === 'production') {
    return (
      <EmptyState
        isPage
        title="There is no such page"
        says="The simulator exists on staging only. Money in production is real."
      />
    )
  }
  return (
    <>
      <PageHead title="Simulator" says="Acts as the banks, mobile-money operators and payers of staging." />
      <Stack isWide>
        <div className={styles.forms}>
          <FundForm />
          <PayInForm />
          <TriggerForm />
        </div>
        <Section title="Complete a payment">
          <OpenPayments />
        </Section>
        <Section title="Test numbers">
          <MagicNumbers />
        </Section>
      </Stack>
    </>
  )
}
