// Receipt links: users create and revoke them, and everyone with a link can see the receipt without signing in. The page
// runs no script. Unknown and revoked links get the same response.

import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { sendDownload } from '#api/dashboard/csv.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { dataUrlOf } from '#api/dashboard/business/settings.ts'
import { sayAmount, receiptFacts, receiptPdf, stagingNotice, type ReceiptOf } from '#api/dashboard/pdf/receipt.ts'
import { securityHeaders } from '#api/dashboard/browser-security.ts'
import { escape } from '#api/docs/highlight.ts'
import { answer } from '#api/server/answer.ts'
import type { Exchange } from '#api/server/exchange.ts'
import { requireId } from '#api/server/fields.ts'
import type { RateLimit } from '#api/server/rate-limit.ts'
import { readLogo } from '#businesses/logo.ts'
import { readSettings } from '#businesses/settings.ts'
import type { ReceiptLink } from '#payouts/service.ts'
import { createTurns } from '#platform/concurrency.ts'
import { ApiError } from '#platform/errors.ts'
import { networkOf } from '#platform/http-client/addresses.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { formatMoney } from '#platform/money.ts'
import { personOf } from './drafts.ts'

const path = '/dashboard/api/b/:business/:environment/payments/:reference/receipt-links'
const pagePath = '/dashboard/r/'

export function receiptLinkEndpoints({ ctx, rooms: { payouts }, address }: EndpointParts): DashboardEndpoint[] {
  const isOn = async (business: Uuid): Promise<boolean> =>
    (await readSettings(ctx, [business]))[0]?.hasReceiptLinks === true
  return [
    dashboardEndpoint({
      method: 'GET',
      path,
      permission: 'receipts.share',
      params: z.object({ reference: z.string() }),
      handle: async ({ business, tenant, params: { reference } }) => {
        const links = await payouts.receiptLinks(tenant, reference)
        return { data: { isOn: await isOn(business), links: links.map(shownLink) } }
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path,
      permission: 'receipts.share',
      params: z.object({ reference: z.string() }),
      handle: async (place) => {
        if (!(await isOn(place.business)))
          throw new ApiError('CONFLICT', 'Receipt links are switched off in the settings of the business.')
        const outcome = await payouts.makeReceiptLink(place.tenant, personOf(place), place.params.reference)
        switch (outcome.kind) {
          case 'made':
            return { data: { ...shownLink(outcome.link), url: `${address().origin}${pagePath}${outcome.token}` } }
          case 'not-found':
            throw new ApiError('NOT_FOUND', 'There is no payout with this reference.')
          case 'not-succeeded':
            throw new ApiError('CONFLICT', 'Only a payout that succeeded has a receipt.')
          case 'too-many':
            throw new ApiError('CONFLICT', `There are already ${outcome.max} links to this receipt. Revoke one first.`)
        }
      },
    }),
    dashboardEndpoint({
      method: 'DELETE',
      path: `${path}/:id`,
      permission: 'receipts.share',
      params: z.object({ reference: z.string(), id: z.string() }),
      handle: async (place) => {
        const { reference } = place.params
        const id = requireId('receiptLink', place.params.id, noLink)
        if (!(await payouts.revokeReceiptLink(place.tenant, personOf(place), reference, id))) throw noLink()
        return { data: {} }
      },
    }),
  ]
}

function noLink(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no such link to this receipt.')
}

function shownLink({ id, madeBy, createdAt }: ReceiptLink): Record<string, string> {
  return { id: formatId('receiptLink', id), madeBy, createdAt: createdAt.toISOString() }
}

/** Public receipts use the four connections of the dashboard, one at a time, so that three stay for the dashboard. */
const readTurns = {
  atOnceMax: 1,
  atOnceInAllMax: 1,
  waitingMax: 8,
  waitMsMax: 5_000,
  sentence: 'Too many receipts are requested at once. Try again shortly.',
}

export type PublicReceipts = {
  owns(exchange: Exchange): boolean
  answer(exchange: Exchange): Promise<void>
}

type PublicReceiptsOptions = Pick<EndpointParts, 'ctx' | 'rooms'> & { rateLimit: RateLimit }

export function createPublicReceipts({ ctx, rooms: { payouts }, rateLimit }: PublicReceiptsOptions): PublicReceipts {
  const turns = createTurns(readTurns)

  async function find(token: string): Promise<ReceiptOf | undefined> {
    const found = await payouts.findReceipt(token)
    if (found === undefined) return undefined
    const { payout: payment, businessId, environment } = found
    const [settings] = await readSettings(ctx, [businessId])
    if (settings?.hasReceiptLinks !== true) return undefined
    const logo = await readLogo(ctx, businessId)
    return { payment, business: settings.name, logo, environment, isPublic: true }
  }

  return {
    owns: (exchange) => exchange.path.startsWith(pagePath),
    async answer(exchange) {
      // The log must not contain the token.
      exchange.route = `${pagePath}:token`
      exchange.guards = pageHeaders
      rateLimit.count(exchange)
      if (exchange.method !== 'GET' && exchange.method !== 'HEAD')
        throw new ApiError('METHOD_NOT_ALLOWED', 'This path answers to: GET, HEAD', { headers: { Allow: 'GET, HEAD' } })
      const [token = '', file, ...more] = exchange.path.slice(pagePath.length).split('/')
      const isPage = file === undefined
      const isKnown = more.length === 0 && (isPage || file === pdfFile)
      const receipt = isKnown
        ? await turns.run(networkOf(exchange.callerAddress), () => ctx.db.aside(() => find(token)))
        : undefined
      if (receipt === undefined) answer(exchange, 404, missingPage, [], htmlType)
      else if (isPage) answer(exchange, 200, receiptPage(receipt, token), [], htmlType)
      else {
        const name = `receipt-${receipt.payment.reference}.pdf`
        await sendDownload(exchange, { name, type: 'application/pdf', pieces: receiptPdf(receipt) }, ctx.log)
      }
    },
  }
}

const pdfFile = 'receipt.pdf'
const htmlType = ['Content-Type', 'text/html; charset=utf-8']

const style = `
:root { color-scheme: light dark; background: Canvas; color: CanvasText }
a { color: inherit }
body { margin: 0 auto; padding: 3rem 1.25rem; max-width: 34rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
img { display: block; max-width: 12rem; max-height: 4rem; width: auto; height: auto; margin: 0 0 1rem; border-radius: .25rem }
h1 { margin: 0; font-size: 1.25rem }
h1 + p { margin: 0 0 1.5rem }
.amount + p { margin: 0 }
.amount { margin: 1.5rem 0 0; font-size: 2rem; font-weight: 600 }
dl { margin: 1.5rem 0; display: grid; grid-template-columns: minmax(7rem, auto) 1fr; gap: .625rem 1.5rem }
dd { margin: 0 }
.notice { padding: .75rem 1rem; border: 1px solid; border-radius: .5rem }
footer { font-size: .875rem }
@media (max-width: 26rem) { dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: .625rem } }
@media print { a { display: none } body { padding: 0 } }
`

const policy = [
  "default-src 'none'",
  'img-src data:',
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders = [
  ...securityHeaders.map((value, index) => (securityHeaders[index - 1] === 'Content-Security-Policy' ? policy : value)),
  'X-Robots-Tag',
  'noindex, nofollow',
]

function receiptPage(receipt: ReceiptOf, token: string): string {
  const { payment, business, logo, environment } = receipt
  const isReturned = payment.status === 'REVERSED'
  const facts = receiptFacts(receipt).map(([name, value]) => `<dt>${escape(name)}</dt><dd>${escape(value)}</dd>`)
  return pageOf(`Payment receipt from ${business}`, [
    logo === undefined ? '' : `<img src="${dataUrlOf(logo)}" alt="" width="${logo.width}" height="${logo.height}">`,
    `<h1>${escape(business)}</h1><p>Payment receipt</p>`,
    environment === 'staging' ? `<p class="notice">${stagingNotice}</p>` : '',
    isReturned ? `<p class="notice" role="status">${returnedNotice}</p>` : '',
    `<p class="amount">${escape(formatMoney(payment.amount, payment.currency))}</p>`,
    `<p>${escape(sayAmount(payment.amount, payment.currency))}</p>`,
    `<dl>${facts.join('\n')}</dl>`,
    `<p><a href="${pagePath}${token}/${pdfFile}">Download as PDF</a></p>`,
    '<footer>Times are those of Lagos.</footer>',
  ])
}

const returnedNotice = 'The bank returned this payment after it had succeeded. This is no proof of payment.'

const missingPage = pageOf('Receipt not found', [
  '<h1>There is no receipt here</h1>',
  '<p>The link is incomplete or was revoked. Ask its sender for a new one.</p>',
])

function pageOf(title: string, parts: string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${parts.filter((part) => part !== '').join('\n')}
</main>
</body>
</html>
`
}
