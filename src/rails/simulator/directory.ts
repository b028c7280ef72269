// Simulated name enquiries for bank accounts and wallets, and the numbers that control the simulator.

import { minuteMs } from '#platform/durations.ts'
import type { BankDirectory, MomoDirectory, BankFailureReason, MomoFailureReason } from '#rails/rail.ts'
import { digestOf } from './digest.ts'

export const simulatedBankDirectory: BankDirectory = {
  resolve: ({ bank, accountNumber }) => {
    const fate = accountFate(accountNumber)
    if (fate.kind === 'fails' && fate.reason === 'INVALID_ACCOUNT') return Promise.resolve({ kind: 'not-found' })
    if (fate.kind === 'fails' && fate.reason === 'BANK_UNAVAILABLE') {
      return Promise.resolve({ kind: 'unavailable', detail: 'the bank does not answer (simulated)' })
    }
    return Promise.resolve({ kind: 'resolved', accountName: nameFrom(`${bank.slug} ${accountNumber}`) })
  },
}

/** Resolves every phone except those that end with 005. Payments to 006 fail, but its holder can be resolved. */
export const simulatedMomoDirectory: MomoDirectory = {
  lookUp: ({ operator, phoneNumber }) => {
    if (phoneFate(phoneNumber)?.kind === 'not-found') return Promise.resolve({ kind: 'not-found' })
    return Promise.resolve({ kind: 'resolved', accountName: nameFrom(`${operator.slug} ${phoneNumber}`) })
  },
}

/**
 * Generated account holders: family name first, in capitals, as Nigerian banks answer. Names of one region and one
 * sex stay together, so that they look real.
 */
type Region = { families: string[]; women: string[]; men: string[] }

const words = (text: string): string[] => text.trim().split(/\s+/)

const regions: Region[] = [
  {
    // Yoruba
    families: words('ADEYEMI OGUNLEYE BALOGUN ADEBAYO OLAWALE AKINTOLA FASHOLA OYELARAN AJAYI OLADIPO AFOLABI SALAKO'),
    women: words('FOLASADE OMOLARA TITILAYO YETUNDE ABIMBOLA MOJISOLA OLUWASEUN RONKE BOLANLE SIMISOLA RUTH ESTHER'),
    men: words('BABATUNDE OLUMIDE AYODELE KAYODE SEGUN TEMITOPE GBENGA KUNLE OLAMIDE ADEWALE SAMUEL DAVID'),
  },
  {
    // Igbo
    families: words('OKAFOR NWOSU EZE OKONKWO CHUKWU OBI NNAMANI ANYANWU IHEANACHO OGBONNA UGWU ONYEKA'),
    women: words('NGOZI ADAEZE CHIAMAKA IFEOMA NKECHI UCHENNA OLUCHI AMARACHI CHINYERE OBIAGELI GRACE MARY'),
    men: words('CHINEDU EMEKA IKECHUKWU OBINNA KELECHI UZOMA NNAMDI CHIDI IFEANYI KENECHUKWU EMMANUEL PETER'),
  },
  {
    // Hausa and Fulani
    families: words('BELLO YUSUF ABUBAKAR DANJUMA GARBA TUKUR WAZIRI JIBRIN SHEHU LAWAL INUWA RINGIM'),
    women: words('AISHA HADIZA ZAINAB HAUWA MARYAM FATIMA RAKIYA BILKISU SADIYA HALIMA AMINA SAFIYA'),
    men: words('MUSA IBRAHIM SANI ALIYU UMAR KABIRU NASIRU HARUNA BASHIR SULEIMAN ISMAIL AMINU'),
  },
  {
    // Efik, Ibibio and Annang
    families: words('EFFIONG ETIM BASSEY UDOH ESSIEN INYANG OKON EKPENYONG AKPAN UMOREN NTUK EYO'),
    women: words('EKAETTE ARIT NKOYO IMAOBONG MFON IDARA EMEM AFFIONG ENO UDUAK COMFORT PATIENCE'),
    men: words('UBONG EDET ANIETIE NSIKAK OTU IMEH UDEME ITORO EKONG ASUQUO JOSEPH MICHAEL'),
  },
  {
    // Edo and Urhobo
    families: words(
      'OSAGIE IGBINEDION OMOREGIE EHIGIATOR AIGBE OVIA EFETOBO AKPOBOME OGHENEKARO IDAHOSA UWAIFO EROMOSELE',
    ),
    women: words('ISOKEN OSARIEMEN EFE ESOSA ITOHAN OGHENETEGA RUKEVWE AISOSA ONOME OFURE JOY BLESSING'),
    men: words('OSARETIN EFOSA NOSAKHARE EGHOSA OGHENERO AKPOR UYI OSAZE TEGA EJIRO FESTUS LUCKY'),
  },
  {
    // Tiv, Idoma and Igala
    families: words('TERNA IORFA AGBO OCHEFU ONOJA ADEJOH ORTOM AKAAHAN ICHABA ABAH OCHEJA TYOUGH'),
    women: words('MIMIDOO DOOSHIMA ENE OJONUGWA ONYINOYI SEWUESE MWUESE OCHANYA ELEOJO NGUVAN DEBORAH HELEN'),
    men: words('TERSOO AONDOVER OCHE ADAKOLE SUNDAY MSUUR OJOCHIDE SHIMA ENEOJO TERKULA DANIEL ANDREW'),
  },
  {
    // Ijaw and the Delta
    families: words('BRIGGS DOKUBO AMACHREE TAMUNO EBIKE KALAGBOR DIRI OGBOLOMA WENIBO IKURU PEREWARE SEKIBO'),
    women: words('TONYE EBIERE IBINABO PREYE TARIMOBOERE BOMA DAERE BELEMA ALATARI FUNKEYE GLORY PEACE'),
    men: words('DIEPREYE TIMIPRE TAMUNOEMI SOTONYE EBITIMI PRINCEWILL IBIM DOUYE ABIYE INEMO GEORGE VICTOR'),
  },
]

const pick = <T>(list: T[], byte: number): T => list[byte % list.length] as T

function nameFrom(seed: string): string {
  const [region = 0, sex = 0, family = 0, first = 0, second = 0, length = 0] = digestOf(`name ${seed}`)
  const { families, women, men } = pick(regions, region)
  const given = sex % 2 === 0 ? women : men
  const firstIndex = first % given.length
  // Offset from the first name, so that the two differ.
  const secondName = pick(given, firstIndex + 1 + (second % (given.length - 1)))
  const names = [pick(families, family), pick(given, firstIndex)]
  return [...names, ...(length % 3 === 0 ? [] : [secondName])].join(' ')
}

type AccountFate =
  | { kind: 'succeeds' }
  | { kind: 'fails'; reason: BankFailureReason }
  /** The outcome stays unknown for this long after the submission; then the transfer has succeeded. */
  | { kind: 'unclear'; forMs: number }
  | { kind: 'never-ends' }
  | { kind: 'returns'; afterMs: number }

const succeeds = { kind: 'succeeds' } as const
const neverEnds = { kind: 'never-ends' } as const
const fails = <Reason>(reason: Reason) => ({ kind: 'fails', reason }) as const

/** The numbers that control the simulator. A payment to any other number succeeds. */
const accountFates = new Map<string, AccountFate>([
  ['9990000005', fails('DO_NOT_HONOR')],
  ['9990000006', fails('DORMANT_ACCOUNT')],
  ['9990000007', fails('INVALID_ACCOUNT')],
  ['9990000008', fails('ACCOUNT_NAME_MISMATCH')],
  ['9990000009', neverEnds],
  ['9990000034', fails('SUSPECTED_FRAUD')],
  ['9990000050', { kind: 'returns', afterMs: 5_000 }],
  ['9990000061', fails('LIMIT_EXCEEDED')],
  ['9990000091', fails('BANK_UNAVAILABLE')],
  ['9990000097', { kind: 'unclear', forMs: 30_000 }],
  ['9990000099', fails('PROVIDER_ERROR')],
])

export function accountFate(accountNumber: string): AccountFate {
  return accountFates.get(accountNumber) ?? succeeds
}

export type PhoneFate =
  | { kind: 'succeeds' }
  | { kind: 'fails'; reason: MomoFailureReason }
  | { kind: 'never-ends' }
  /** A collection from this phone requires a code; a transfer to it succeeds. */
  | { kind: 'asks-for-code'; codeLifeMs: number }
  /** The failure reason for a payer differs from the one for a recipient. */
  | { kind: 'not-found' }

export const rightOtp = '123456'

export const codeLifeMs = 10 * minuteMs

/** The fates by the last three digits of a phone. */
const phoneFates = new Map<string, PhoneFate>([
  ['001', succeeds],
  ['002', { kind: 'asks-for-code', codeLifeMs }],
  ['003', fails('PAYMENT_NOT_APPROVED')],
  ['004', fails('INSUFFICIENT_FUNDS')],
  ['005', { kind: 'not-found' }],
  ['006', fails('OPERATOR_UNAVAILABLE')],
  ['007', fails('LIMIT_EXCEEDED')],
  ['008', neverEnds],
  ['009', { kind: 'asks-for-code', codeLifeMs: 10_000 }],
])

/** In Nigeria, the phones 08000000001 to 08000000009 control the simulator; no network has them. */
const ordinaryNigerian = /^\+234(?!80000000)/

/** Undefined for a phone that is not listed; then its operator decides whether a code is required. */
export function phoneFate(phoneNumber: string): PhoneFate | undefined {
  return ordinaryNigerian.test(phoneNumber) ? undefined : phoneFates.get(phoneNumber.slice(-3))
}
