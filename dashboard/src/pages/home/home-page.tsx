import { PageHead } from '#ui/layout.tsx'

export function HomePage() {
  return <PageHead title="HomePage" />
}
