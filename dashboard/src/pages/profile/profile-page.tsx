import { PageHead } from '#ui/layout.tsx'

export function ProfilePage() {
  return <PageHead title="ProfilePage" />
}
