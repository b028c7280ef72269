// Renders the Markdown of docs/ as HTML. Raw HTML in a Markdown file is shown as text, so a page contains only HTML
// that this module writes. Successive blocks of code in several languages become tabs.

import MarkdownIt from 'markdown-it'
import { escape, highlight, languageOf, languages } from './highlight.ts'

type MarkdownToken = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number]

export type Section = { title: string; anchor: string; level: number; text: string }

export type Rendered = {
  title: string
  html: string
  /** The headings, each with the text below it, for the table of contents and the search. */
  sections: Section[]
}

/**
 * Maps the target of a link in a Markdown file to its address on the site. If it returns undefined, only the label of
 * the link is shown.
 */
export type LinkTo = (target: string) => string | undefined

const markdownIt = new MarkdownIt({ html: false, linkify: false })
markdownIt.renderer.rules['fence'] = (tokens, index) => codeBlock(present(tokens[index]))
markdownIt.renderer.rules['code_block'] = (tokens, index) => codeBlock(present(tokens[index]))
markdownIt.renderer.rules['code_inline'] = (tokens, index) => inlineCode(present(tokens[index]).content)
// The frame lets a wide table scroll on a narrow screen, also with the keyboard.
markdownIt.renderer.rules['table_open'] = () => '<div class="table" tabindex="0"><table>\n'
markdownIt.renderer.rules['table_close'] = () => '</table></div>\n'

export function renderMarkdown(markdown: string, linkTo: LinkTo): Rendered {
  const tokens = markdownIt.parse(markdown.replaceAll(/<!--.*?-->/gs, ''), {})
  for (const token of tokens) if (token.children !== null) token.children = relink(token.children, linkTo)
  const sections = anchorHeadings(tokens)
  const html = markdownIt.renderer
    .render(groupTabs(tokens), markdownIt.options, {})
    .replaceAll('<th></th>', '<td></td>')
  return { title: sections[0]?.title ?? '', html, sections }
}

const unbrokenMax = 16

/** Lets long code break after a separator, so that a table of paths or names fits the screen of a phone. */
export function inlineCode(text: string): string {
  const parts = text.length > unbrokenMax ? text.split(/(?<=[/_.,(])(?=\w)/) : [text]
  return `<code>${parts.map(escape).join('<wbr>')}</code>`
}

function present(token: MarkdownToken | undefined): MarkdownToken {
  if (token === undefined) throw new Error('The renderer asked for a token that is not there.')
  return token
}

/** Points links to pages of the site. A link that has no address on the site is replaced by its label. */
function relink(children: MarkdownToken[], linkTo: LinkTo): MarkdownToken[] {
  let isDropped = false
  return children.filter((token) => {
    if (token.type === 'link_open') {
      const address = linkTo(String(token.attrGet('href') ?? ''))
      isDropped = address === undefined
      if (address !== undefined) token.attrSet('href', address)
      return address !== undefined
    }
    return token.type !== 'link_close' || !isDropped
  })
}

/**
 * Gives each heading the anchor that it has on GitHub, so that a link with a fragment works on GitHub and on the site.
 */
function anchorHeadings(tokens: MarkdownToken[]): Section[] {
  const sections: Section[] = []
  const used = new Map<string, number>()
  tokens.forEach((token, index) => {
    const text = plainText(tokens[index + 1])
    if (token.type === 'heading_open') {
      const anchor = anchorOf(text)
      const times = used.get(anchor) ?? 0
      used.set(anchor, times + 1)
      const unique = times === 0 ? anchor : `${anchor}-${times}`
      token.attrSet('id', unique)
      sections.push({ title: text, anchor: unique, level: Number(token.tag.slice(1)), text: '' })
      return
    }
    const section = sections.at(-1)
    if (section === undefined || tokens[index - 1]?.type === 'heading_open') return
    if (token.type === 'inline' || token.type === 'fence') section.text += ` ${plainText(token)}`
  })
  return sections
}

function plainText(token: MarkdownToken | undefined): string {
  if (token === undefined) return ''
  return token.children === null ? token.content : token.children.map(({ content }) => content).join('')
}

function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** Turns successive blocks of code in different tab languages into one group of tabs. */
function groupTabs(tokens: MarkdownToken[]): MarkdownToken[] {
  const grouped: MarkdownToken[] = []
  let run: MarkdownToken[] = []
  const flush = (): void => {
    if (run.length > 1) grouped.push(htmlToken(tabsOf(run.map((token) => codeBlock(token)))))
    else grouped.push(...run)
    run = []
  }
  for (const token of tokens) {
    const language = token.type === 'fence' && token.level === 0 ? languages[languageOf(token.info)] : undefined
    if (language === undefined || run.some((other) => languageOf(other.info) === languageOf(token.info))) flush()
    if (language === undefined) grouped.push(token)
    else run.push(token)
  }
  flush()
  return grouped
}

function htmlToken(content: string): MarkdownToken {
  const token = new TokenClass('html_block', '', 0)
  token.content = content
  return token
}

const TokenClass = present(markdownIt.parse('a', {})[0]).constructor as new (
  type: string,
  tag: string,
  nesting: 0,
) => MarkdownToken

export function tabsOf(blocks: string[]): string {
  return `<div class="tabs">${blocks.join('')}</div>\n`
}

function codeBlock(token: MarkdownToken): string {
  return codeOf(token.content.replace(/\n$/, ''), languageOf(token.info))
}

export function codeOf(text: string, language: string): string {
  const label = languages[language]
  const name = label === undefined ? '' : ` data-language="${language}" data-label="${label}"`
  return `<div class="code"${name}><pre tabindex="0"><code>${highlight(text, language)}</code></pre></div>\n`
}
