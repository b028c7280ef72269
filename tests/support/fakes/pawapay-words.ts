// pawaPay's data about its operators ("Providers", "Test numbers") and its refusals ("Failure codes").

import type { ProviderWords } from './provider-words.ts'
import type { Answer, Asked } from './provider.ts'

export type FakeOperator = {
  country: string
  currency: string
  prefix: string
  decimals: 'TWO_PLACES' | 'NONE'
  authType: 'PROVIDER_AUTH' | 'PREAUTH' | 'REDIRECT_AUTH'
}

const operator = (
  country: string,
  currency: string,
  prefix: string,
  decimals: FakeOperator['decimals'],
  authType: FakeOperator['authType'] = 'PROVIDER_AUTH',
): FakeOperator => ({ country, currency, prefix, decimals, authType })

export const fakeOperators: Partial<Record<string, FakeOperator>> = {
  MTN_MOMO_GHA: operator('GHA', 'GHS', '233', 'TWO_PLACES'),
  VODAFONE_GHA: operator('GHA', 'GHS', '233', 'TWO_PLACES'),
  MPESA_KEN: operator('KEN', 'KES', '254', 'TWO_PLACES'),
  MTN_MOMO_UGA: operator('UGA', 'UGX', '256', 'TWO_PLACES'),
  AIRTEL_OAPI_UGA: operator('UGA', 'UGX', '256', 'NONE'),
  MTN_MOMO_RWA: operator('RWA', 'RWF', '250', 'NONE'),
  MTN_MOMO_CMR: operator('CMR', 'XAF', '237', 'NONE'),
  VODACOM_TZA: operator('TZA', 'TZS', '255', 'NONE'),
  MTN_MOMO_CIV: operator('CIV', 'XOF', '225', 'NONE'),
  ORANGE_SEN: operator('SEN', 'XOF', '221', 'NONE'),
  WAVE_CIV: operator('CIV', 'XOF', '225', 'NONE', 'REDIRECT_AUTH'),
  ORANGE_BFA: operator('BFA', 'XOF', '226', 'NONE', 'PREAUTH'),
  MTN_MOMO_NGA: operator('NGA', 'NGN', '234', 'TWO_PLACES'),
}

/** How payments to the sandbox's numbers end. `stuck`: the payment stays accepted. */
const fates = {
  deposit: {
    '019': 'PAYER_LIMIT_REACHED',
    '029': 'PAYER_NOT_FOUND',
    '039': 'PAYMENT_NOT_APPROVED',
    '049': 'INSUFFICIENT_BALANCE',
    '069': 'UNSPECIFIED_FAILURE',
    '129': 'stuck',
  },
  payout: {
    '089': 'RECIPIENT_NOT_FOUND',
    '099': 'WALLET_LIMIT_REACHED',
    '109': 'RECIPIENT_LIMIT_REACHED',
    '119': 'UNSPECIFIED_FAILURE',
    '129': 'stuck',
  },
} as const

/** A failure code, `stuck`, or COMPLETED. */
export function fateOfNumber(kind: 'deposit' | 'payout', phoneNumber: string): string {
  return (fates[kind] as Partial<Record<string, string>>)[phoneNumber.slice(-3)] ?? 'COMPLETED'
}

export type Refused = { code: string; status?: number; done?: true }

/** A refusal with its code: of the request (HTTP 4xx) or, with HTTP 200, of the payment. */
export function refusal({ code, status = 200 }: Refused, id: Record<string, string> = {}): Answer {
  const failureReason = { failureCode: code, failureMessage: 'Refused' }
  return { status, body: status === 200 ? { ...id, status: 'REJECTED', failureReason } : { failureReason } }
}

/** The id of the payment that a call is about. */
export function idIn({ body }: Asked): Record<string, string> {
  const { payoutId, depositId } = (body ?? {}) as Partial<Record<string, string>>
  return { ...(payoutId === undefined ? {} : { payoutId }), ...(depositId === undefined ? {} : { depositId }) }
}

export const pawapayWords: ProviderWords = {
  missing: { status: 200, body: { status: 'NOT_FOUND' } },
  'no-money': refusal({ code: 'PAWAPAY_WALLET_OUT_OF_FUNDS' }),
  'key-refused': refusal({ code: 'AUTHENTICATION_ERROR', status: 403 }),
  exists: (asked) => ({ status: 200, body: { ...idIn(asked), status: 'DUPLICATE_IGNORED' } }),
}
