// The settings of a business.

import { useQuery } from '@tanstack/react-query'
import { meQuery } from '#api/me.ts'
import { changeSettings, settingsQuery, type Settings } from '#api/settings.ts'
import { SelectField, TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { FactorNotice } from '#shell/factor-notice.tsx'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { zones } from '#format/time.ts'
import { PageHead, Section, Stack } from '#ui/layout.tsx'
import { ErrorState, SkeletonLines } from '#ui/states.tsx'
import { useSay } from '#ui/say.ts'
import { ApprovalPolicy } from './approval-policy.tsx'
import { CompulsoryFactor } from './compulsory-factor.tsx'
import { CurrenciesSection } from './currencies.tsx'
import { LogoSection } from './logo.tsx'
import { LowBalanceSection } from './low-balance.tsx'
import { PausePayouts } from './pause-payouts.tsx'
import { ReceiptLinksSection } from './receipt-links.tsx'
import styles from './settings.module.css'

export function SettingsPage() {
  const { businessId } = usePlace()
  const { data, error, refetch } = useQuery(settingsQuery(businessId))
  return (
    <>
      <PageHead title="Settings" />
      <div className={styles.column}>
        {data === undefined ? (
          error === null ? (
            <SkeletonLines />
          ) : (
            <ErrorState failure={error} onRetry={() => void refetch()} />
          )
        ) : (
          <Stack isWide>
            <FactorNotice permission="settings.change" />
            <SettingsForm key={`${data.name} ${data.timeZone}`} settings={data} />
            <LogoSection settings={data} />
            <CompulsoryFactor key={data.compulsoryFactorRoles.join()} settings={data} />
            <ApprovalPolicy />
            <CurrenciesSection />
            <ReceiptLinksSection settings={data} />
            <LowBalanceSection />
            <PausePayouts />
          </Stack>
        )}
      </div>
    </>
  )
}

function SettingsForm({ settings }: { settings: Settings }) {
  const refreshOf = useRefreshOf()
  const say = useSay()
  const refusal = useRefusal('settings.change')
  return (
    <Section title="Business">
      <Form
        submit="Save settings"
        disabledReason={refusal}
        onSubmit={async ({ name = '', timeZone = '' }) => {
          await changeSettings(settings.id, { name, timeZone })
          say('Settings saved')
          await refreshOf(settingsQuery(settings.id).queryKey, meQuery.queryKey)
        }}
      >
        <TextField name="name" label="Name" defaultValue={settings.name} autoComplete="off" />
        <SelectField
          name="timeZone"
          label="Time zone"
          hint="Times on screen are in this zone. Exports use it unless you choose another one."
          choices={zoneChoices}
          defaultValue={settings.timeZone}
        />
      </Form>
    </Section>
  )
}

const zoneChoices = zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
