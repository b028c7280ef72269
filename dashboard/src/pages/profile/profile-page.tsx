// The person's own settings: name, second factor, passkeys, password, sign-ins, e-mails, and the display in this browser.

import { PageHead, Stack } from '#ui/layout.tsx'
import { FactorSection } from './factor-section.tsx'
import { MailsSection } from './mails-section.tsx'
import { NameSection } from './name-section.tsx'
import { PasskeySection } from './passkey-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { PreferencesSection } from './preferences-section.tsx'
import styles from './profile.module.css'
import { SignInsSection } from './sign-ins-section.tsx'

export function ProfilePage() {
  return (
    <>
      <PageHead title="My profile" />
      <div className={styles.column}>
        <Stack isWide>
          <NameSection />
          <FactorSection />
          <PasskeySection />
          <PasswordSection />
          <SignInsSection />
          <MailsSection />
          <PreferencesSection />
        </Stack>
      </div>
    </>
  )
}
