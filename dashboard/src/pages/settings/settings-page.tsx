import { PageHead } from '#ui/layout.tsx'

export function SettingsPage() {
  return <PageHead title="SettingsPage" />
}
