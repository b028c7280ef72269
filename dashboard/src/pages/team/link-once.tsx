// A link that is shown once.

import { Button } from '#ui/button.tsx'
import { CopyField } from '#ui/copy.tsx'
import { Row, Stack } from '#ui/layout.tsx'

export function LinkOnce({ link, says, onClose }: { link: string; says: string; onClose: () => void }) {
  return (
    <Stack>
      <p>{says}</p>
      <CopyField text={link} label="Copy link" />
      <Row>
        <Button tone="primary" onClick={onClose}>
          Done
        </Button>
      </Row>
    </Stack>
  )
}
