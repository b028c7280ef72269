// A collection that waits for its payer's code: the payer reads the code out on the phone, and the person enters it
// here.

import { enterOtp, type Payment } from '#api/payments.ts'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { usePlace, useRefusal } from '#shell/place.ts'
import { useRefresh } from '#shell/refresh.ts'
import { Section, Stack } from '#ui/layout.tsx'
import { Time } from '#ui/values.tsx'

export function PayerCode({ payment }: { payment: Payment }) {
  const place = usePlace()
  const refresh = useRefresh()
  const refusal = useRefusal('payouts.propose')
  if (payment.kind !== 'collection' || payment.status !== 'OTP_REQUIRED') return null
  return (
    <Section title="Code of the payer">
      <Stack>
        <p>
          The operator has sent a code to {payment.phoneNumber}. It is valid until <Time at={payment.otpExpiresAt} />.
        </p>
        <Form
          submit="Send code"
          disabledReason={refusal}
          onSubmit={async ({ otp = '' }) => {
            // Wrong codes are counted, and the last one fails the collection, so the page reads the payment again either way.
            await enterOtp(place, payment.reference, otp.trim()).finally(() => void refresh())
          }}
        >
          <TextField name="otp" label="Code" inputMode="numeric" autoComplete="off" maxLength={8} />
        </Form>
      </Stack>
    </Section>
  )
}
