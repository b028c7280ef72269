// Renders the pages of the API reference. The page of a tag has every operation with its fields, its errors, the call in
// five languages and the response of the example. The page of events has the payload of each event.

import type { Description, JsonFields, DocumentedEvent, DocumentedField, DocumentedOperation } from './description.ts'
import { fieldList, fieldsOf, type TypeOf } from './fields.ts'
import { escape } from './highlight.ts'
import { codeOf, renderMarkdown, tabsOf, type LinkTo, type Rendered, type Section } from './markdown.ts'
import { samplesOf } from './samples.ts'

export type ReferenceOptions = { baseUrl: string; linkTo: LinkTo }

export function slugOf(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-')
}

export const eventsTag = 'Events'

export function referencePage(description: Description, tag: string, options: ReferenceOptions): Rendered {
  const typeOf = (name: string): JsonFields => description.schemas[name] ?? {}
  const operations = description.operations.filter((operation) => operation.tag === tag)
  const events = tag === eventsTag ? description.events : []
  const introduction = description.tags.find(({ name }) => name === tag)?.description ?? ''
  const sections: Section[] = [
    { title: tag, anchor: slugOf(tag), level: 1, text: introduction },
    ...operations.map(({ id, summary, verb, route, description: text }) => ({
      title: summary,
      anchor: id,
      level: 2,
      text: `${verb} ${route} ${text}`,
    })),
    ...events.map(({ id, name, summary }) => ({ title: name, anchor: id, level: 2, text: summary })),
  ]
  const html = [
    `<h1 id="${slugOf(tag)}">${escape(tag)}</h1>`,
    renderMarkdown(introduction, options.linkTo).html,
    ...operations.map((operation) => operationHtml(operation, options, typeOf)),
    ...events.map((event) => eventHtml(event, typeOf)),
  ]
  return { title: tag, html: html.join('\n'), sections }
}

function operationHtml(operation: DocumentedOperation, { baseUrl, linkTo }: ReferenceOptions, typeOf: TypeOf): string {
  const text = (markdown: string): string => renderMarkdown(markdown, linkTo).html
  const samples = samplesOf(operation, baseUrl, typeOf).map(({ language, code }) => codeOf(code, language))
  const body = operation.body === undefined ? [] : fieldsOf(typeOf(operation.body.name), typeOf)
  const answer = operation.answer === undefined ? '' : codeOf(JSON.stringify(operation.answer, undefined, 2), 'json')
  return `<section class="operation">
<div class="prose">
<h2 id="${operation.id}">${escape(operation.summary)}</h2>
<p class="route"><span class="verb">${operation.verb}</span> <code>${escape(operation.route)}</code></p>
${text(operation.description)}
${fieldTable('Path', operation.path, typeOf)}
${fieldTable('Query', operation.query, typeOf)}
${fieldTable('Body', body, typeOf)}
${answerFields(operation.answerSchema, typeOf)}
${refusalsOf(operation, text)}
</div>
<div class="sample">
${tabsOf(samples)}
<p class="caption">Answer</p>
${answer}
</div>
</section>`
}

/** Shows only the fields of `data`: the others are the same for every event and are in the guide to webhooks. */
function eventHtml({ id, name, summary, schema, example }: DocumentedEvent, typeOf: TypeOf): string {
  const data = fieldsOf(schema, typeOf).find((field) => field.name === 'data')?.schema ?? {}
  return `<section class="operation">
<div class="prose">
<h2 id="${id}"><code>${name}</code></h2>
<p>${escape(summary)}</p>
<h3>Fields of <code>data</code></h3>
${fieldList(fieldsOf(data, typeOf), typeOf, true)}
</div>
<div class="sample">
<p class="caption">Payload</p>
${codeOf(JSON.stringify(example, undefined, 2), 'json')}
</div>
</section>`
}

function fieldTable(title: string, fields: DocumentedField[], typeOf: TypeOf): string {
  return fields.length === 0 ? '' : `<h3>${title}</h3>${fieldList(fields, typeOf, false)}`
}

/** A list that is closed at first, because the example beside it shows the same fields. */
function answerFields(schema: JsonFields, typeOf: TypeOf): string {
  const fields = fieldsOf(schema, typeOf)
  if (fields.length === 0) return ''
  return `<h3>Answer</h3><details><summary>Fields of <code>data</code></summary>${fieldList(fields, typeOf, true)}</details>`
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
