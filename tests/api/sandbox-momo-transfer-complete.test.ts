import { shareService } from '#tests/support/service.ts'
import { describeMomoCompleting } from './momo-completing.ts'

describeMomoCompleting(await shareService(), {
  operation: 'transfer',
  moved: -151_000,
  notFound: 'TRANSFER_NOT_FOUND',
})
