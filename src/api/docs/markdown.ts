// Renders the Markdown of docs/ as HTML. It supports the syntax that those files use and nothing that could contain a
// script: all text is escaped, raw HTML is shown as text, and comments are left out.

export type Rendered = {
  /** The text of the first heading. */
  title: string
  html: string
}

/** Maps the target of a link in the file to its address on the page; undefined shows the label as text. */
export type LinkTo = (target: string) => string | undefined

export function renderMarkdown(markdown: string, linkTo: LinkTo): Rendered {
  const lines = markdown.replaceAll(/<!--.*?-->/gs, '').split('\n')
  const html: string[] = []
  let title = ''
  while (lines.length > 0) {
    const block = takeBlock(lines)
    if (block === undefined) continue
    if (block.kind === 'heading' && title === '') title = block.text
    html.push(htmlOf(block, (text) => inline(text, linkTo)))
  }
  return { title, html: html.join('\n') }
}

type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'table'; rows: string[][] }
  | { kind: 'list'; ordered: boolean; items: string[] }
  | { kind: 'paragraph'; text: string }

const fence = /^```/
const heading = /^(#{1,6}) +(.+)$/
const row = /^\|(.*)\|\s*$/
const item = /^(?:[-*]|\d+\.) +/

/** Removes the next block from the lines and returns it; undefined for an empty line. */
function takeBlock(lines: string[]): Block | undefined {
  const first = lines.shift() ?? ''
  if (first.trim() === '') return undefined
  if (fence.test(first)) return { kind: 'code', text: takeCode(lines) }
  const [, hashes = '', text = ''] = heading.exec(first) ?? []
  if (hashes !== '') return { kind: 'heading', level: hashes.length, text }
  if (row.test(first)) {
    const rows = [first, ...takeWhile(lines, (line) => row.test(line))].map(cellsOf)
    // The second line is only the separator.
    return { kind: 'table', rows: rows.filter((_cells, index) => index !== 1) }
  }
  if (item.test(first)) return takeList(first, lines)
  return { kind: 'paragraph', text: [first, ...takeWhile(lines, continues)].join('\n') }
}

function takeCode(lines: string[]): string {
  const text = takeWhile(lines, (line) => !fence.test(line)).join('\n')
  lines.shift()
  return text
}

/** An item continues on the indented lines below it. */
function takeList(first: string, lines: string[]): Block {
  const ordered = /^\d/.test(first)
  const whole = [first, ...takeWhile(lines, (line) => item.test(line) || /^ {2,}\S/.test(line))]
  const items: string[] = []
  for (const line of whole) {
    if (item.test(line)) items.push(line.replace(item, ''))
    else items.push(`${items.pop()}\n${line.trim()}`)
  }
  return { kind: 'list', ordered, items }
}

function takeWhile(lines: string[], wanted: (line: string) => boolean): string[] {
  const end = lines.findIndex((line) => !wanted(line))
  return lines.splice(0, end === -1 ? lines.length : end)
}

function continues(line: string): boolean {
  return line.trim() !== '' && ![fence, heading, row, item].some((start) => start.test(line))
}

function cellsOf(line: string): string[] {
  const cells = row.exec(line)?.[1] ?? ''
  return cells.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function htmlOf(block: Block, show: (text: string) => string): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level} id="${anchorOf(block.text)}">${show(block.text)}</h${block.level}>`
    case 'code':
      return `<pre><code>${escape(block.text)}</code></pre>`
    case 'table':
      return tableOf(block.rows, show)
    case 'list': {
      const tag = block.ordered ? 'ol' : 'ul'
      return `<${tag}>${block.items.map((text) => `<li>${show(text)}</li>`).join('')}</${tag}>`
    }
    case 'paragraph':
      return `<p>${show(block.text)}</p>`
  }
}

function tableOf([head = [], ...body]: string[][], show: (text: string) => string): string {
  const cells = (tag: string, texts: string[]): string =>
    `<tr>${texts.map((text) => `<${tag}>${show(text)}</${tag}>`).join('')}</tr>`
  const rows = body.map((texts) => cells('td', texts)).join('')
  return `<table><thead>${cells('th', head)}</thead><tbody>${rows}</tbody></table>`
}

/** The same anchor as on GitHub, so that a link with a fragment works in both places. */
function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

const spans = /`([^`]+)`|\*\*(.+?)\*\*|\[((?:[^\]`]|`[^`]*`)+)\]\(([^)\s]+)\)/g

function inline(text: string, linkTo: LinkTo): string {
  let html = ''
  let end = 0
  for (const match of text.matchAll(spans)) {
    const [whole, code, strong, label, target] = match
    html += escape(text.slice(end, match.index))
    end = match.index + whole.length
    if (code !== undefined) html += `<code>${escape(code)}</code>`
    else if (strong !== undefined) html += `<strong>${inline(strong, linkTo)}</strong>`
    else html += linked(inline(label ?? '', linkTo), linkTo(target ?? ''))
  }
  return html + escape(text.slice(end))
}

function linked(label: string, address: string | undefined): string {
  return address === undefined ? label : `<a href="${escape(address)}">${label}</a>`
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
