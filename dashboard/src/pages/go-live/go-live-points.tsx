// The points of the go-live checklist, each with its result.

import type { GoLivePoint } from '#api/settings.ts'
import { Way } from '#shell/way.tsx'
import { Button } from '#ui/button.tsx'
import { Row } from '#ui/layout.tsx'
import { Status } from '#ui/status.tsx'
import styles from './go-live.module.css'
import { SendForgeries } from './send-forgeries.tsx'

type GoLivePointsProps = {
  points: GoLivePoint[]
  refusal: string | undefined
  onWaive: (point: GoLivePoint) => void
}

export function GoLivePoints({ points, refusal, onWaive }: GoLivePointsProps) {
  return (
    <ol>
      {points.map((point) => (
        <li key={point.id} className={styles.point}>
          <Status status={point.state} />
          <div>
            <h2 className={styles.title}>{point.title}</h2>
            <p className={styles.says}>{saysOf(point)}</p>
          </div>
          {point.state === 'open' ? (
            <Row>
              {point.id === 'signature' ? <SendForgeries /> : null}
              {point.href === null ? null : <Way href={point.href}>Go there</Way>}
              <Button
                isSmall
                tone="quiet"
                aria-label={`Waive: ${point.title}`}
                disabledReason={refusal}
                onClick={() => onWaive(point)}
              >
                Waive
              </Button>
            </Row>
          ) : null}
        </li>
      ))}
    </ol>
  )
}

function saysOf({ says, state, waivedBy, reason }: GoLivePoint): string {
  return state === 'waived' ? `Waived by ${waivedBy ?? 'an owner'}: ${reason ?? 'no reason'}` : says
}
