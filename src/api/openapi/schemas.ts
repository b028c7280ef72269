// The JSON Schemas of the OpenAPI document, made from the zod schemas that validate requests and type responses. Each
// record and each list of allowed values is one named component, so that generated clients have one type for it.

import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { depositStatuses, failureReasonNames } from '#deposits/deposit.ts'
import { countryCodes, recipientKinds } from '#directory/operators.ts'
import { collectionStatuses, transferStatuses } from '#payments/payment.ts'
import { bankFailureReasonNames, momoFailureReasonNames } from '#payments/wire.ts'
import { assert } from '#platform/assert.ts'
import { apiErrorStatus, fieldErrorCodes } from '#platform/errors.ts'
import { currencies } from '#platform/money.ts'
import { accountStatuses, accountTypes, amountPolicies } from '#virtual-accounts/account.ts'
import { customerStatuses } from '#virtual-accounts/customers.ts'
import { deliveryStatuses } from '#webhooks/log.ts'
import { disablingReasons, loggedEvents, subscribableEvents, subscriptionEnvironments } from '#webhooks/subscription.ts'
import { withDescriptions } from './descriptions.ts'

export type Json = Record<string, unknown>

/** Every list of allowed values that a request or a response has. The generation fails if a list has no name here. */
const enums: Record<string, readonly string[]> = {
  AmountPolicy: amountPolicies,
  ApiVersion: ['v1'],
  BankFailureReason: bankFailureReasonNames,
  BulkTransferOutcome: ['accepted', 'replayed', 'refused'],
  Country: countryCodes,
  Currency: currencies,
  CustomerStatus: customerStatuses,
  DeliveryStatus: deliveryStatuses,
  DeliveryTrigger: ['automatic', 'manual'],
  DepositFailureReason: failureReasonNames,
  DepositSettlement: ['SUCCESSFUL', 'FAILED'],
  DepositStatus: depositStatuses,
  Environment: subscriptionEnvironments,
  ErrorCode: Object.keys(apiErrorStatus),
  EventName: subscribableEvents,
  FeeType: ['transfer'],
  FieldErrorCode: Object.keys(fieldErrorCodes),
  LoggedEventName: loggedEvents,
  MomoCollectionStatus: collectionStatuses,
  MomoCompletion: ['SUCCESS', 'FAILED'],
  MomoFailureReason: momoFailureReasonNames,
  MomoRecipient: recipientKinds,
  TransferCompletion: ['SUCCESS', 'FAILED', 'REVERSED'],
  TransferStatus: transferStatuses,
  VirtualAccountStatus: accountStatuses,
  VirtualAccountType: accountTypes,
  WebhookDisabledReason: disablingReasons,
  WebhookStatus: ['active', 'disabled'],
}

const enumNames = new Map(Object.entries(enums).map(([name, values]) => [JSON.stringify(values), name]))

export function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` }
}

export function nameOf({ $ref }: Json): string {
  assert(typeof $ref === 'string', 'a schema has no name')
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

export type Schemas = {
  of(schema: z.ZodType, io: 'input' | 'output'): Json
  /** Makes a schema a component and returns a reference to it. Throws if another schema has this name. */
  keep(name: string, schema: Json): Json
  /** Like `keep`, but returns a schema that is already a reference unchanged. */
  named(name: string, schema: Json): Json
  all(): Json
}

export function createSchemas(): Schemas {
  const components: Json = {}

  function keep(name: string, schema: Json): Json {
    assert(
      components[name] === undefined || isDeepStrictEqual(components[name], schema),
      `two different schemas are called ${name}`,
    )
    components[name] = schema
    return reference(name)
  }

  for (const [name, values] of Object.entries(enums)) keep(name, { type: 'string', enum: [...values] })
  return {
    of(schema, io) {
      const {
        $schema: _dialect,
        $defs = {},
        ...made
      } = toJsonSchema(schema, io) as Json & { $defs?: Record<string, Json> }
      for (const [name, definition] of Object.entries($defs)) keep(name, tidied(definition))
      return tidied(made)
    },
    keep,
    named: (name, schema) => (typeof schema['$ref'] === 'string' ? schema : keep(name, schema)),
    all: () =>
      Object.fromEntries(
        Object.entries(components)
          .toSorted(([left], [right]) => (left < right ? -1 : 1))
          .map(([name, schema]) => [name, withDescriptions(name, schema)]),
      ),
  }
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const made = jsonSchema as Json
      // If an integer has no bounds, Zod writes those of a JSON integer, which tell readers nothing.
      if (made['minimum'] === Number.MIN_SAFE_INTEGER) {
        delete made['minimum']
        delete made['maximum']
      }
      // Other properties are not forbidden, because responses may get fields that today's clients do not know.
      if (made['additionalProperties'] === false) delete made['additionalProperties']
      // Names in JSON are always text, so only a stricter rule is shown.
      if (isDeepStrictEqual(made['propertyNames'], { type: 'string' })) delete made['propertyNames']
      if ('default' in made) describeDefault(made)
      // A field defines its schema itself if Zod cannot derive it, as for a number in a query, which arrives as text.
      const { wire } = (z.globalRegistry.get(zodSchema) ?? {}) as { wire?: Json }
      if (wire === undefined) return
      for (const key of Object.keys(made)) delete made[key]
      Object.assign(made, wire)
    },
  })
}

/** Puts a default into the description, because generators treat a field with `default` as always present. */
function describeDefault(made: Json): void {
  const { default: value, description } = made
  delete made['default']
  const sentence = value === '' ? 'Default: empty.' : `Default: \`${String(value)}\`.`
  made['description'] = typeof description === 'string' ? `${description} ${sentence}` : sentence
}

/**
 * Turns Zod's references into references to components, and enums into references to their names. A nullable type without
 * a name becomes a list of types that includes null.
 */
function tidied(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === '$ref') return String(value).replace('#/$defs/', '#/components/schemas/')
    return isFields(value) ? withNullInType(withNamedEnum(value)) : value
  }) as Json
}

function withNamedEnum(schema: Json): Json {
  const { type, enum: values, ...rest } = schema
  if (!Array.isArray(values) || type !== 'string') return schema
  const name = enumNames.get(JSON.stringify(values))
  assert(name !== undefined, `an enum has no name in openapi/schemas.ts: ${values.join(', ')}`)
  return { ...reference(name), ...rest }
}

function withNullInType(schema: Json): Json {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [some, none] = anyOf as [Json, Json]
  if (none['type'] !== 'null' || typeof some['type'] !== 'string') return schema
  return { ...some, ...rest, type: [some['type'], 'null'] }
}

function isFields(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
