// The home page: first the alerts, then the balance, then the money that moved. If one part fails, the others still
// load.

import { Alerts } from './alerts.tsx'
import { Balances } from './balances.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Forecast } from './forecast.tsx'
import { LastPayments } from './last-payments.tsx'
import { Volume } from './volume.tsx'
import { CurrencySwitch, useChosenCurrency } from '#shell/currency-switch.tsx'
import { PageHead, Stack } from '#ui/layout.tsx'
import { CurrencyProvider } from '#ui/values.tsx'

export function HomePage() {
  return (
    <CurrencyProvider currency={useChosenCurrency()}>
      <PageHead title="Home" actions={<CurrencySwitch />} />
      <Stack isWide>
        <Alerts />
        <Balances />
        <Forecast />
        <FirstSteps />
        <Volume />
        <LastPayments />
      </Stack>
    </CurrencyProvider>
  )
}
