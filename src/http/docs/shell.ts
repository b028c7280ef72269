// What every page of the documentation has in common: its head, its menu and its style.

import { escape } from './markdown.ts'
import { guides } from './menu.ts'

type Content = { title: string; body: string; styles?: string[]; scripts?: string[] }

/** What the page loads stands below the prefix that it was reached by: a proxy may pass nothing else on. */
export function shell(prefix: string, { title, body, styles = [], scripts = [] }: Content): string {
  const links = ['style.css', ...styles].map((name) => `<link rel="stylesheet" href="${prefix}/docs/${name}">`)
  const pages = [['docs', 'Reference'], ...Object.entries(guides).map(([name, label]) => [`docs/${name}`, label])]
  const menu = pages.map(([address, label]) => `<a href="${prefix}/${address}">${label}</a>`)
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escape(title)} · Manilla</title>
    <link rel="icon" href="data:,">
    ${links.join('\n    ')}
  </head>
  <body>
    <nav>${menu.join(' ')}</nav>
    ${body}
    ${scripts.map((name) => `<script src="${prefix}/docs/${name}"></script>`).join('\n    ')}
  </body>
</html>
`
}

export const style = `:root { color-scheme: light; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: #1c2333; background: #fff; }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0.75rem 1.5rem; background: #1c2333; }
nav a { color: #fff; text-decoration: none; }
nav a:hover, nav a:focus-visible { text-decoration: underline; }
main { max-width: 52rem; margin: 0 auto; padding: 1rem 1.5rem 4rem; }
main a { color: #1a56b0; }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 0.75rem; }
code { font: 0.875em/1.5 ui-monospace, monospace; background: #f2f4f8; padding: 0.1em 0.3em; border-radius: 3px; }
pre { overflow-x: auto; padding: 1rem; background: #f2f4f8; border-radius: 6px; }
pre code { padding: 0; background: none; }
table { display: block; overflow-x: auto; border-collapse: collapse; }
th, td { padding: 0.4rem 0.75rem; border: 1px solid #d5dae4; text-align: left; vertical-align: top; }
`
