// Writes the call of each operation in five languages, from its example in the OpenAPI document.

import type { JsonFields, DocumentedOperation } from './description.ts'

/** The methods of the TypeScript SDK. The other SDKs use the same names in the case of their language. */
const methods: Record<string, string> = {
  listDeposits: 'deposits.list',
  getDeposit: 'deposits.get',
  validateDeposit: 'deposits.validate',
  createCustomer: 'customers.create',
  listCustomers: 'customers.list',
  getCustomer: 'customers.get',
  updateCustomer: 'customers.update',
  openStaticAccount: 'virtualAccounts.openStatic',
  openDynamicAccount: 'virtualAccounts.openDynamic',
  listVirtualAccounts: 'virtualAccounts.list',
  getVirtualAccount: 'virtualAccounts.get',
  closeVirtualAccount: 'virtualAccounts.close',
  initiateTransfer: 'transfers.initiate',
  initiateTransfers: 'transfers.initiateMany',
  listTransfers: 'transfers.list',
  getTransfer: 'transfers.get',
  initiateMomoTransfer: 'momo.transfers.initiate',
  listMomoTransfers: 'momo.transfers.list',
  getMomoTransfer: 'momo.transfers.get',
  initiateMomoCollection: 'momo.collections.initiate',
  listMomoCollections: 'momo.collections.list',
  verifyCollectionOtp: 'momo.collections.verifyOtp',
  getMomoCollection: 'momo.collections.get',
  listMomoOperators: 'momo.operators',
  resolvePhoneNumber: 'momo.resolve',
  listBanks: 'banks.list',
  resolveBankAccount: 'banks.resolve',
  getBalance: 'balance.get',
  listLedgerEntries: 'balance.ledger',
  getFee: 'transfers.fee',
  createWebhook: 'webhooks.create',
  listWebhooks: 'webhooks.list',
  getWebhook: 'webhooks.get',
  updateWebhook: 'webhooks.update',
  deleteWebhook: 'webhooks.delete',
  rotateWebhookSecret: 'webhooks.rotateSecret',
  testWebhook: 'webhooks.test',
  listEvents: 'events.list',
  listWebhookDeliveries: 'webhooks.deliveries.list',
  getWebhookDelivery: 'webhooks.deliveries.get',
  retryWebhookDelivery: 'webhooks.deliveries.retry',
  retryWebhookDeliveries: 'webhooks.deliveries.retryMany',
  simulateDeposit: 'sandbox.deposit',
  settleDeposit: 'sandbox.settleDeposit',
  completeTransfer: 'sandbox.completeTransfer',
  completeMomoTransfer: 'sandbox.completeMomoTransfer',
  completeMomoCollection: 'sandbox.completeMomoCollection',
  triggerWebhookEvent: 'sandbox.triggerEvent',
  fundBalance: 'sandbox.fund',
}

/** Operations whose SDK method takes one field in place of the whole body or query. */
const singleFields: Record<string, string> = {
  initiateTransfers: 'transfers',
  getFee: 'amount',
  fundBalance: 'amount',
  triggerWebhookEvent: 'event',
}

/**
 * Operations whose Go method also takes a currency. An empty currency is naira, because Go has no optional arguments.
 */
const inNaira = ['getFee', 'fundBalance']

export type CodeSample = { language: string; code: string }

/** Returns only the curl sample for an operation that the SDKs do not have. */
export function samplesOf(
  operation: DocumentedOperation,
  baseUrl: string,
  typeOf: (name: string) => JsonFields,
): CodeSample[] {
  const method = methods[operation.id]
  const curl = { language: 'sh', code: curlOf(operation, baseUrl) }
  if (method === undefined) return [curl]
  const call: SampleCall = { operation, method, arguments: argumentsOf(operation) }
  return [
    curl,
    { language: 'ts', code: typescriptOf(call) },
    { language: 'python', code: pythonOf(call) },
    { language: 'php', code: phpOf(call) },
    { language: 'go', code: goOf(call, typeOf) },
  ]
}

type SampleCall = { operation: DocumentedOperation; method: string; arguments: unknown[] }

/** The arguments of the method in order: the parts of the path, then the body or the query. */
function argumentsOf(operation: DocumentedOperation): unknown[] {
  const values = operation.path.map(({ example }) => example)
  const whole = operation.body?.example ?? queryOf(operation)
  const single = singleFields[operation.id]
  if (whole === undefined) return values
  return [...values, single === undefined ? whole : whole[single]]
}

function queryOf({ query, isList }: DocumentedOperation): JsonFields | undefined {
  const shown = query.filter(({ example }) => example !== undefined).map(({ name, example }) => [name, example])
  return shown.length === 0 || isList ? undefined : (Object.fromEntries(shown) as JsonFields)
}

function curlOf(operation: DocumentedOperation, baseUrl: string): string {
  const query = new URLSearchParams(queryOf(operation) as Record<string, string> | undefined).toString()
  const path = operation.path.reduce(
    (text, { name, example }) => text.replace(`{${name}}`, String(example)),
    operation.route,
  )
  const address = `${baseUrl}${path}${query === '' ? '' : `?${query}`}`
  const shown = query === '' ? address : `"${address}"`
  const method = ['GET', operation.body === undefined ? '' : 'POST'].includes(operation.verb)
    ? ''
    : `-X ${operation.verb} `
  const head = `curl ${method}${shown} \\\n  -H "Authorization: Bearer $MANILLA_API_KEY"`
  if (operation.body === undefined) return head
  const body = JSON.stringify(operation.body.example, undefined, 2).replaceAll(/^(?!\{)/gm, '  ')
  return `${head} \\\n  -H 'Content-Type: application/json' \\\n  -d '${body.replaceAll("'", String.raw`'\''`)}'`
}

function typescriptOf({ operation, method, arguments: given }: SampleCall): string {
  const call = `manilla.${method}(${given.map((value) => literal(value, typescript)).join(', ')})`
  if (!operation.isList) return `const ${nounOf(operation)} = await ${call}`
  return `for await (const ${nounOf(operation)} of ${call}) {\n  console.log(${nounOf(operation)})\n}`
}

function pythonOf({ operation, method, arguments: given }: SampleCall): string {
  const call = `manilla.${snake(method)}(${given.map((value) => literal(value, python)).join(', ')})`
  const noun = snake(nounOf(operation))
  return operation.isList ? `for ${noun} in ${call}:\n    print(${noun})` : `${noun} = ${call}`
}

function phpOf({ operation, method, arguments: given }: SampleCall): string {
  const call = `$manilla->${method.replaceAll('.', '->')}(${given.map((value) => literal(value, php)).join(', ')})`
  const noun = `$${nounOf(operation)}`
  return operation.isList ? `foreach (${call} as ${noun}) {\n    print_r(${noun});\n}` : `${noun} = ${call};`
}

function goOf({ operation, method, arguments: given }: SampleCall, typeOf: (name: string) => JsonFields): string {
  const name = method.split('.').map(pascal).join('.').replace('VerifyOtp', 'VerifyOTP')
  const queryType = `${pascal(operation.id)}Query`
  const values = given.map((value, at) => {
    const isWhole = at === operation.path.length && typeof value === 'object' && value !== null
    if (!isWhole) return goValue(value, {}, typeOf)
    if (operation.body === undefined)
      return goStruct(value as JsonFields, queryType, goQuerySchema(operation), typeOf, 0)
    if (Array.isArray(value)) {
      const items = value.map((item) => `\t${goStruct(item as JsonFields, '', typeOf('TransferRequest'), typeOf, 1)},`)
      return `[]manilla.TransferRequest{\n${items.join('\n')}\n}`
    }
    return goStruct(value as JsonFields, operation.body.name, typeOf(operation.body.name), typeOf, 0)
  })
  const noun = nounOf(operation)
  if (!operation.isList) {
    if (values.length === 0 && operation.query.length > 0) values.push(`manilla.${queryType}{}`)
    if (inNaira.includes(operation.id)) values.push('""')
    return `${noun}, err := client.${name}(${['ctx', ...values].join(', ')})`
  }
  const list = `client.${name}(manilla.${queryType}{})`
  return `for ${noun}, err := range ${list}.All(ctx) {\n\tif err != nil {\n\t\treturn err\n\t}\n\tfmt.Println(${noun})\n}`
}

/** In the Go SDK every field of a query is optional. */
function goQuerySchema({ query }: DocumentedOperation): JsonFields {
  return { properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])) }
}

function goStruct(
  value: JsonFields,
  type: string,
  schema: JsonFields,
  typeOf: (name: string) => JsonFields,
  depth: number,
): string {
  const { required = [], properties = {} } = schema as { required?: string[]; properties?: Record<string, JsonFields> }
  const tabs = '\t'.repeat(depth)
  const lines = Object.entries(value).map(([field, one]) => {
    const text = goValue(one, properties[field] ?? {}, typeOf)
    const isPointer = !required.includes(field) && (typeof one !== 'object' || one === null)
    const shown = typeof one === 'number' && isPointer ? `int64(${text})` : text
    return `${tabs}\t${goField(field)}: ${isPointer ? `manilla.Ptr(${shown})` : text},`
  })
  return `${type === '' ? '' : `manilla.${type}`}{\n${lines.join('\n')}\n${tabs}}`
}

function goValue(value: unknown, schema: JsonFields, typeOf: (name: string) => JsonFields): string {
  const named = nameOf(schema)
  const isEnum = named !== undefined && Array.isArray(typeOf(named)['enum'])
  if (Array.isArray(value)) {
    const item = nameOf((schema['items'] ?? {}) as JsonFields)
    return `[]${item === undefined ? 'string' : `manilla.${item}`}{${value.map((one) => JSON.stringify(one)).join(', ')}}`
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${JSON.stringify(one)}`)
    return `map[string]string{${entries.join(', ')}}`
  }
  return isEnum ? `manilla.${named}(${JSON.stringify(value)})` : JSON.stringify(value)
}

function nameOf(schema: JsonFields): string | undefined {
  const reference = schema['$ref']
  return typeof reference === 'string' ? reference.split('/').at(-1) : undefined
}

type Syntax = {
  open: [string, string]
  list: [string, string]
  field: (name: string) => string
  text: (value: string) => string
  words: [string, string, string]
  indent: string
}

const quoted = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
const doubled = (value: string): string => JSON.stringify(value)

const typescript: Syntax = {
  open: ['{', '}'],
  list: ['[', ']'],
  field: (name) => `${/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name)}: `,
  text: quoted,
  words: ['true', 'false', 'null'],
  indent: '  ',
}
const python: Syntax = {
  ...typescript,
  field: (name) => `${doubled(name)}: `,
  text: doubled,
  words: ['True', 'False', 'None'],
  indent: '    ',
}
const php: Syntax = { ...typescript, open: ['[', ']'], field: (name) => `${quoted(name)} => `, indent: '    ' }

function literal(value: unknown, syntax: Syntax, depth = 0): string {
  const [isTrue, isFalse, none] = syntax.words
  if (value === null) return none
  if (typeof value === 'boolean') return value ? isTrue : isFalse
  if (typeof value === 'string') return syntax.text(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  const [open, close] = Array.isArray(value) ? syntax.list : syntax.open
  const items = Array.isArray(value)
    ? value.map((item) => literal(item, syntax, depth + 1))
    : Object.entries(value).map(([name, item]) => `${syntax.field(name)}${literal(item, syntax, depth + 1)}`)
  const short = `${open}${items.join(', ')}${close}`
  if (short.length < 60 && !short.includes('\n')) return short
  const indent = syntax.indent.repeat(depth)
  return `${open}\n${items.map((item) => `${indent}${syntax.indent}${item},`).join('\n')}\n${indent}${close}`
}

/** The name of the variable for the result: `listDeposits` → `deposit`. */
function nounOf({ id }: DocumentedOperation): string {
  const noun = id
    .replace(/^[a-z]+(?=[A-Z])/, '')
    .replace(/^(Ledger)?Entries$/, 'Entry')
    .replace(/Deliveries$/, 'Delivery')
  const single = id.startsWith('list') ? noun.replace(/s$/, '') : noun
  return single.charAt(0).toLowerCase() + single.slice(1)
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

const goField = (name: string): string =>
  pascal(name)
    .replace(/Id$/, 'ID')
    .replace(/Url$/, 'URL')
    .replace(/^Bvn$/, 'BVN')
    .replace(/^Nip(?=[A-Z])/, 'NIP')
    .replace(/Otp(?=$|[A-Z])/, 'OTP')
