// The pages of the API reference: one for each tag, with every operation, its fields, its call in five languages and the
// answer that the example gets.

import type { Description, JsonFields, DocumentedOperation, DocumentedField } from './description.ts'
import { escape } from './highlight.ts'
import { codeOf, renderMarkdown, tabsOf, type LinkTo, type Rendered, type Section } from './markdown.ts'
import { samplesOf } from './samples.ts'

export type ReferenceOptions = { baseUrl: string; linkTo: LinkTo }

export function slugOf(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-')
}

export function referencePage(description: Description, tag: string, options: ReferenceOptions): Rendered {
  const operations = description.operations.filter((operation) => operation.tag === tag)
  const introduction = description.tags.find(({ name }) => name === tag)?.description ?? ''
  const sections: Section[] = [
    { title: tag, anchor: slugOf(tag), level: 1, text: introduction },
    ...operations.map(({ id, summary, verb, route, description: text }) => ({
      title: summary,
      anchor: id,
      level: 2,
      text: `${verb} ${route} ${text}`,
    })),
  ]
  const html = [
    `<h1 id="${slugOf(tag)}">${escape(tag)}</h1>`,
    renderMarkdown(introduction, options.linkTo).html,
    ...operations.map((operation) => operationHtml(description, operation, options)),
  ]
  return { title: tag, html: html.join('\n'), sections }
}

function operationHtml(
  description: Description,
  operation: DocumentedOperation,
  { baseUrl, linkTo }: ReferenceOptions,
): string {
  const text = (markdown: string): string => renderMarkdown(markdown, linkTo).html
  const typeOf = (name: string): JsonFields => description.schemas[name] ?? {}
  const samples = samplesOf(operation, baseUrl, typeOf).map(({ language, code }) => codeOf(code, language))
  const body = operation.body === undefined ? [] : fieldsOf(typeOf(operation.body.name))
  const answer = operation.answer === undefined ? '' : codeOf(JSON.stringify(operation.answer, undefined, 2), 'json')
  return `<section class="operation">
<div class="prose">
<h2 id="${operation.id}">${escape(operation.summary)}</h2>
<p class="route"><span class="verb">${operation.verb}</span> <code>${escape(operation.route)}</code></p>
${text(operation.description)}
${fieldTable('Path', operation.path, typeOf)}
${fieldTable('Query', operation.query, typeOf)}
${fieldTable('Body', body, typeOf)}
${refusalsOf(operation, text)}
</div>
<div class="sample">
${tabsOf(samples)}
<p class="caption">Answer</p>
${answer}
</div>
</section>`
}

function fieldsOf(schema: JsonFields): DocumentedField[] {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, JsonFields>; required?: string[] }
  return Object.entries(properties).map(([name, field]) => ({
    name,
    required: required.includes(name),
    description: typeof field['description'] === 'string' ? field['description'] : '',
    schema: field,
    example: undefined,
  }))
}

function fieldTable(title: string, fields: DocumentedField[], typeOf: (name: string) => JsonFields): string {
  if (fields.length === 0) return ''
  const rows = fields.map(({ name, required, description, schema }) => {
    const mark = required ? ' <span class="required">required</span>' : ''
    const facts = [typeText(schema, typeOf), description].filter((part) => part !== '').map(codeSpans)
    return `<li><code>${escape(name)}</code>${mark}<p>${facts.join('<br>')}</p></li>`
  })
  return `<h3>${title}</h3><ul class="fields">${rows.join('')}</ul>`
}

function typeText(schema: JsonFields, typeOf: (name: string) => JsonFields): string {
  const name = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined
  const found = name === undefined ? schema : typeOf(name)
  const values = found['enum']
  if (Array.isArray(values)) return `One of ${values.map((value) => `\`${String(value)}\``).join(', ')}.`
  if (found['const'] !== undefined) return `\`${textOf(found['const'])}\`.`
  const type = [found['type']]
    .flat()
    .filter((one) => one !== 'null' && one !== undefined)
    .join(' or ')
  const items = type === 'array' ? ` of ${typeText((found['items'] ?? {}) as JsonFields, typeOf)}` : ''
  return `${type}${items}${limitsOf(found)}`
}

function limitsOf({ minLength, maxLength, minimum, maximum, maxItems, default: usual }: JsonFields): string {
  const parts: string[] = []
  if (typeof maxLength === 'number') parts.push(`${textOf(minLength ?? 0)} to ${maxLength} characters`)
  if (typeof minimum === 'number') parts.push(`at least ${minimum}`)
  if (typeof maximum === 'number' && maximum < 2 ** 31) parts.push(`at most ${maximum}`)
  if (typeof maxItems === 'number') parts.push(`at most ${maxItems} items`)
  if (usual !== undefined) parts.push(`${textOf(usual)} if left out`)
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`
}

/** Text without quotes; anything else as JSON writes it. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function refusalsOf({ refusals }: DocumentedOperation, text: (markdown: string) => string): string {
  const lines = refusals.flatMap(([status, description]) => {
    const codes = [...description.matchAll(/`([A-Z_]+)`/g)].map(
      ([, code = '']) => `[\`${code}\`](errors.md#${code.toLowerCase()})`,
    )
    return codes.length === 0 ? [] : [`- ${status}: ${codes.join(', ')}`]
  })
  return lines.length === 0 ? '' : `<h3>Errors</h3>${text(lines.join('\n'))}`
}

function codeSpans(text: string): string {
  return escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}
