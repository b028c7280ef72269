import { PageHead } from '#ui/layout.tsx'

export function GoLivePage() {
  return <PageHead title="GoLivePage" />
}
