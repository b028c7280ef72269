// The Markdown of docs/ on the documentation's pages.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escape, highlight } from '#api/docs/highlight.ts'
import { renderMarkdown } from '#api/docs/markdown.ts'

const rendered = (markdown: string): string => renderMarkdown(markdown, (target) => `/to/${target}`).html

describe('Markdown', () => {
  it.each([
    ['# A `b` & c', '<h1 id="a-b--c">A <code>b</code> &amp; c</h1>'],
    ['[a `b`](c.md#d)', '<p><a href="/to/c.md#d">a <code>b</code></a></p>'],
    ['<!-- made\nby a program -->\nShown', '<p>Shown</p>'],
    ['<b>bold</b>', '<p>&lt;b&gt;bold&lt;/b&gt;</p>'],
    ['[x](javascript:alert)', '<p>[x](javascript:alert)</p>'],
    [
      '| A | B |\n| --- | --- |\n| `x` | y \\| z |',
      '<div class="table" tabindex="0"><table> <thead> <tr> <th>A</th> <th>B</th> </tr> </thead> <tbody> <tr> <td><code>x</code></td> <td>y | z</td> </tr> </tbody> </table></div>',
    ],
  ])('%j', (markdown, html) => {
    expect(rendered(markdown).trim().replaceAll(/\s+/g, ' ')).toBe(html)
  })

  it('two headings of one name have two anchors', () => {
    expect(rendered('## A\n\n## A')).toMatch(/id="a"[^]*id="a-1"/)
  })

  it('blocks of code that follow each other become tabs, one for each language', () => {
    const html = rendered(
      '```sh\ncurl -H "Bearer $MANILLA_API_KEY"\n```\n\n```ts\nconst a = 1 // one\n```\n\ntext\n\n```go\nx\n```',
    )
    expect(html.match(/<div class="tabs">/g)).toHaveLength(1)
    expect([...html.matchAll(/data-label="(\w+)"/g)].map(([, label]) => label)).toEqual(['curl', 'TypeScript', 'Go'])
    expect(html).toContain('<span class="key">$MANILLA_API_KEY</span>')
    expect(html).toContain('<span class="comment">// one</span>')
    expect(rendered('```ts\na\n```\n\n```ts\nb\n```')).not.toContain('tabs')
  })

  it('code in a language is shown as it was written', () => {
    const codes = [
      "a = 'it\\'s' # b",
      '<a href="x">',
      '`${a}` "$MANILLA_API_KEY" os.Getenv("MANILLA_API_KEY")',
      '"open',
      '/* * / <b>',
    ]
    for (const code of codes) {
      for (const language of ['sh', 'ts', 'python', 'php', 'go', 'json', 'text']) {
        const text = highlight(code, language).replaceAll(/<\/?span[^>]*>/g, '')
        expect(text).toBe(escape(code))
      }
    }
  })

  it('a link that leads nowhere is its text', () => {
    expect(renderMarkdown('see [the house](x.md)', () => undefined).html).toBe('<p>see the house</p>\n')
  })

  it('long inline code breaks after a separator', () => {
    expect(rendered('```  <script>  .A  !```')).toBe('<p><code>  &lt;script&gt;  .<wbr>A  !</code></p>\n')
  })

  it('has the title of its first heading', () => {
    expect(renderMarkdown('before\n\n# First\n\n## Second', () => undefined).title).toBe('First')
  })

  it('lets nothing through that a browser would act on, and ends, whatever it is given', () => {
    const part = fc.constantFrom(
      '<script>',
      '"',
      '`',
      '**',
      '[',
      '](',
      ')',
      '# ',
      '- ',
      '| ',
      '|',
      '\n',
      '```',
      '<!--',
      '-->',
      ' x',
    )
    const made =
      /<\/?(h[1-6]( id="[\p{L}\p{N}_-]*")?|p|ul|ol( start="\d+")?|li|pre( tabindex="0")?|code|strong|em|s|blockquote|hr|br|wbr|table|thead|tbody|tr|th|td|a( href="[^"<>]*")?( title="[^"<>]*")?|span class="\w+"|span|div class="(table" tabindex="0|tabs|code)"( data-language="\w+" data-label="\w+")?|div|img src="[^"<>]*" alt="[^"<>]*")>/gu
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.string({ maxLength: 4 }))), (parts) => {
        expect(rendered(parts.join('')).replaceAll(made, '')).not.toMatch(/[<>]/)
      }),
    )
  })
})
