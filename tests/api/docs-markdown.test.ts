// The Markdown of docs/ on the documentation's pages.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '#api/docs/markdown.ts'

const rendered = (markdown: string): string => renderMarkdown(markdown, (target) => `/to/${target}`).html

describe('Markdown', () => {
  it.each([
    ['# A `b` & c', '<h1 id="a-b--c">A <code>b</code> &amp; c</h1>'],
    ['one\ntwo\n\nthree', '<p>one\ntwo</p>\n<p>three</p>'],
    ['- one\n  more\n- two', '<ul><li>one\nmore</li><li>two</li></ul>'],
    ['1. one\n2. **two**', '<ol><li>one</li><li><strong>two</strong></li></ol>'],
    ['text\n- item', '<p>text</p>\n<ul><li>item</li></ul>'],
    [
      '```sh\n# no heading\n\n| no table |\n```\nafter',
      '<pre><code># no heading\n\n| no table |</code></pre>\n<p>after</p>',
    ],
    [
      '| A | B |\n| --- | --- |\n| `x` | y \\| z |',
      '<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td><code>x</code></td><td>y | z</td></tr></tbody></table>',
    ],
    ['[a `b`](c.md#d)', '<p><a href="/to/c.md#d">a <code>b</code></a></p>'],
    ['<!-- made\nby a program -->\nShown', '<p>Shown</p>'],
    ['`[a](b)` and `**c**`', '<p><code>[a](b)</code> and <code>**c**</code></p>'],
    ['```\nwithout an end', '<pre><code>without an end</code></pre>'],
  ])('%j', (markdown, html) => {
    expect(rendered(markdown)).toBe(html)
  })

  it('a link that leads nowhere is its text', () => {
    expect(renderMarkdown('see [the house](x.md)', () => undefined).html).toBe('<p>see the house</p>')
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
      /<\/?(h[1-6]( id="[\p{L}\p{N}_-]*")?|p|ul|ol|li|pre|code|strong|table|thead|tbody|tr|th|td|a( href="[^"<>]*")?)>/gu
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.string({ maxLength: 4 }))), (parts) => {
        expect(rendered(parts.join('')).replaceAll(made, '')).not.toMatch(/[<>]/)
      }),
    )
  })
})
