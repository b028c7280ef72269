// The receipt of a payout as a PDF, and its facts for the public page. Only a payout that succeeded gets one, because a
// receipt is taken as proof of payment. If the bank returned the payout later, a shared receipt says so.

import type { LogoImage } from '#businesses/logo.ts'
import { findOperator } from '#directory/operators.ts'
import { momoTransferData, publicIdOf } from '#payments/wire.ts'
import type { PaymentOf } from '#payments/payment.ts'
import type { Environment } from '#platform/context.ts'
import { formatMoney, decimalsOf, type Currency, type Money } from '#platform/money.ts'
import { lagosTime, PageDrawing, pageHeight, pageWidth, pdf, wrapText } from './pdf.ts'

type PaidPayment = PaymentOf<'bank_transfer'> | PaymentOf<'momo_transfer'>

export type ReceiptOf = {
  payment: PaidPayment
  business: string
  logo: LogoImage | undefined
  environment: Environment
  /** True for readers of a shared link: account numbers are masked, and the payment id is left out. */
  isPublic?: boolean
}

/** Sizes and positions are in points; an A4 page is 595 points wide. */
const logoBox = { width: 140, height: 52 }
const margin = 64
const valueAt = 220
const right = pageWidth - margin
const gray = 0.42

export function receiptPdf(receipt: ReceiptOf): AsyncGenerator<Uint8Array> {
  async function* pages(): AsyncGenerator<PageDrawing> {
    yield drawReceipt(receipt)
  }
  return pdf({ title: `Receipt ${receipt.payment.reference}`, logo: receipt.logo, pages: pages() })
}

export const stagingNotice = 'Test payment in staging. No money was moved.'

function drawReceipt(receipt: ReceiptOf): PageDrawing {
  const { payment, business, logo, environment } = receipt
  const page = new PageDrawing()
  if (logo !== undefined) page.logo(logo, { right, top: 56, ...logoBox })
  const write = (lines: string[], y: number, style: { size: number; weight?: 'semibold'; gray?: number }): number => {
    for (const [index, line] of lines.entries()) page.text(margin, y + index * style.size * 1.4, line, style)
    return y + lines.length * style.size * 1.4
  }
  const title = { size: 18, weight: 'semibold' } as const
  let y = write(wrapText(business, right - margin - (logo === undefined ? 0 : logoBox.width + 20), title), 84, title)
  y = write(['Payment receipt'], y, { size: 12, gray })
  if (environment === 'staging') y = write([stagingNotice], y + 4, { size: 11 })
  page.line(margin, right, y + 8)
  y = write([formatMoney(payment.amount, payment.currency)], y + 50, { size: 30, weight: 'semibold' })
  const words = { size: 11, gray }
  y = write(wrapText(sayAmount(payment.amount, payment.currency), right - margin, words), y - 8, words)
  page.line(margin, right, y + 8)
  y += 34
  for (const [name, value] of receiptFacts(receipt)) {
    const style = { size: 11 }
    page.text(margin, y, name, { ...style, gray })
    const lines = wrapText(value, right - valueAt, style)
    for (const [index, line] of lines.entries()) page.text(valueAt, y + index * 16, line, style)
    y += 10 + lines.length * 16
  }
  page.line(margin, right, y - 4)
  page.text(margin, pageHeight - 64, 'Times are those of Lagos.', { size: 9, gray })
  return page
}

type ReceiptLine = [name: string, value: string]

export function receiptFacts({ payment, isPublic = false }: ReceiptOf): ReceiptLine[] {
  const { completedAt, narration, reference } = payment
  const isReturned = payment.status === 'REVERSED'
  const when = isReturned ? 'Returned on' : 'Paid on'
  return [
    ['Status', isReturned ? 'Returned by the bank: the recipient does not have the money' : 'Succeeded'],
    ...(completedAt === null ? [] : [[when, lagosTime(completedAt)] satisfies ReceiptLine]),
    ...recipientFacts(payment, isPublic ? maskNumber : (number) => number),
    ...optional('Narration', narration),
    ['Reference', reference],
    ...(isPublic ? [] : [['Payment id', publicIdOf(payment)] satisfies ReceiptLine]),
  ]
}

function recipientFacts(payment: PaidPayment, shown: (number: string) => string): ReceiptLine[] {
  if (payment.kind === 'bank_transfer')
    return [
      ['Recipient', payment.accountName],
      ['Account number', shown(payment.accountNumber)],
      ['Bank', payment.bankName],
      ...optional('Session id', payment.sessionId),
    ]
  const { operator, operatorReference } = momoTransferData(payment)
  return [
    ...optional('Recipient', payment.accountName),
    ...optional('Phone number', payment.phoneNumber === null ? null : shown(payment.phoneNumber)),
    // Not masked: a business displays the number of its till or paybill to its customers.
    ...optional(
      findOperator(operator)?.recipient === 'paybill' ? 'Paybill number' : 'Till number',
      payment.accountNumber,
    ),
    ...optional('Account', payment.accountReference === null ? null : shown(payment.accountReference)),
    ['Operator', findOperator(operator)?.name ?? operator],
    ...optional('Operator’s reference', operatorReference),
  ]
}

/** Shows the last four characters, and at most half of a short number: `0123456789` → `••••••6789`, `4711` → `••11`. */
function maskNumber(number: string): string {
  const shown = Math.min(4, Math.floor(number.length / 2))
  return number.slice(number.length - shown).padStart(number.length, '•')
}

function optional(name: string, value: string | null): ReceiptLine[] {
  return value === null || value === '' ? [] : [[name, value]]
}

// An amount in words, as on a check. The dashboard has its own copy for its pages, because it shares no code with the
// service.

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const scales: [bigint, string][] = [
  [1_000_000_000_000n, 'trillion'],
  [1_000_000_000n, 'billion'],
  [1_000_000n, 'million'],
  [1_000n, 'thousand'],
]

type UnitNames = [one: string, many: string]

/** The names of the major and the minor unit. A currency without decimals has no minor unit. */
const unitNames: Record<Currency, [UnitNames, UnitNames?]> = {
  NGN: [
    ['naira', 'naira'],
    ['kobo', 'kobo'],
  ],
  GHS: [
    ['Ghana cedi', 'Ghana cedis'],
    ['pesewa', 'pesewas'],
  ],
  KES: [
    ['Kenya shilling', 'Kenya shillings'],
    ['cent', 'cents'],
  ],
  UGX: [['Uganda shilling', 'Uganda shillings']],
  TZS: [
    ['Tanzania shilling', 'Tanzania shillings'],
    ['cent', 'cents'],
  ],
  RWF: [['Rwanda franc', 'Rwanda francs']],
  ZMW: [
    ['Zambia kwacha', 'Zambia kwacha'],
    ['ngwee', 'ngwee'],
  ],
  MWK: [
    ['Malawi kwacha', 'Malawi kwacha'],
    ['tambala', 'tambala'],
  ],
  XOF: [['CFA franc', 'CFA francs']],
  XAF: [['CFA franc', 'CFA francs']],
  SLE: [
    ['Sierra Leone leone', 'Sierra Leone leones'],
    ['cent', 'cents'],
  ],
  MZN: [
    ['Mozambique metical', 'Mozambique meticais'],
    ['centavo', 'centavos'],
  ],
  ETB: [
    ['Ethiopia birr', 'Ethiopia birr'],
    ['santim', 'santim'],
  ],
  LSL: [
    ['Lesotho loti', 'Lesotho maloti'],
    ['sente', 'lisente'],
  ],
  CDF: [
    ['Congo franc', 'Congo francs'],
    ['centime', 'centimes'],
  ],
  USD: [
    ['US dollar', 'US dollars'],
    ['cent', 'cents'],
  ],
}

/** `One thousand five hundred naira, fifty kobo`. */
export function sayAmount(amount: Money, currency: Currency): string {
  const [major, minor] = unitNames[currency]
  const unit = 10n ** BigInt(decimalsOf(currency))
  const [whole, rest] = [amount / unit, amount % unit]
  const words = sayUnits(whole, major)
  const sentence = words.charAt(0).toUpperCase() + words.slice(1)
  return rest === 0n || minor === undefined ? sentence : `${sentence}, ${sayUnits(rest, minor)}`
}

function sayUnits(number: bigint, [one, many]: UnitNames): string {
  return `${numberInWords(number)} ${number === 1n ? one : many}`
}

function numberInWords(number: bigint): string {
  for (const [size, name] of scales) {
    if (number < size) continue
    const rest = number % size
    const head = `${numberInWords(number / size)} ${name}`
    if (rest === 0n) return head
    return `${head}${rest < 100n ? ' and ' : ' '}${numberInWords(rest)}`
  }
  return hundredsInWords(Number(number))
}

function hundredsInWords(number: number): string {
  if (number < 20) return small[number] ?? ''
  const rest = number < 100 ? number % 10 : number % 100
  if (number < 100) return `${tens[Math.floor(number / 10)] ?? ''}${rest === 0 ? '' : `-${small[rest] ?? ''}`}`
  return `${small[Math.floor(number / 100)] ?? ''} hundred${rest === 0 ? '' : ` and ${hundredsInWords(rest)}`}`
}
