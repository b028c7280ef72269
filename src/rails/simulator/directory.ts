// Simulated name enquiries for bank accounts and wallets: which of them have a holder, and under which name.

import type { BankDirectory, MomoDirectory } from '#rails/rail.ts'
import { digestOf } from './digest.ts'
import { accountFate, phoneFate } from './magic-numbers.ts'

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
