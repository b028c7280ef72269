import { PageHead } from '#ui/layout.tsx'

export function TeamPage() {
  return <PageHead title="TeamPage" />
}
