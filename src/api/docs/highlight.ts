// Renders text and code as HTML. Code is colored only by comments, strings, numbers and keywords, which is enough for a
// short example.

/** The languages that become tabs, and their labels. */
export const languages: Record<string, string> = {
  sh: 'curl',
  ts: 'TypeScript',
  python: 'Python',
  php: 'PHP',
  go: 'Go',
}

export function languageOf(info: string): string {
  return info.trim().split(/\s/)[0] ?? ''
}

/** Expressions with which samples read the API key. The site's script replaces them with the reader's own key. */
const keys = [
  String.raw`process\.env\.MANILLA_API_KEY!?`,
  String.raw`os\.environ\["MANILLA_API_KEY"\]`,
  String.raw`getenv\('MANILLA_API_KEY'\)`,
  String.raw`os\.Getenv\("MANILLA_API_KEY"\)`,
  '(?<=MANILLA_API_KEY=)sk_test_…',
].join('|')

const keywords = [
  'async await break case catch const continue def default defer else except export fn for foreach from func function',
  'go if import in let match new nil None null package print raise range return switch throw true True false False try',
  'type use using var while with echo',
]
  .join(' ')
  .replaceAll(' ', '|')

const strings = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|\`(?:[^\`\\]|\\.)*\``
const patterns: Record<string, RegExp> = {
  // Numbers are not colored in commands, because URLs contain digits.
  sh: new RegExp(`(${keys})|((?<=^|\\s)#[^\\n]*)|(${strings})`, 'gm'),
  hash: new RegExp(`(${keys})|((?<=^|\\s)#[^\\n]*)|(${strings})|\\b(\\d[\\d_.]*|${keywords})\\b`, 'gm'),
  slash: new RegExp(`(${keys})|(//[^\\n]*|/\\*[^]*?\\*/)|(${strings})|\\b(\\d[\\d_.]*|${keywords})\\b`, 'gm'),
}

export function highlight(text: string, language: string): string {
  if (!['sh', 'ts', 'python', 'php', 'go', 'java', 'json', 'sql'].includes(language)) return escape(text)
  const pattern = patterns[language === 'python' ? 'hash' : language === 'sh' ? 'sh' : 'slash']
  let html = ''
  let end = 0
  for (const match of text.matchAll(pattern ?? /$^/g)) {
    const [whole, key, comment, string] = match
    const kind =
      key !== undefined ? 'key' : comment !== undefined ? 'comment' : string !== undefined ? 'string' : 'word'
    html += `${plain(text.slice(end, match.index))}<span class="${kind}">${plain(whole)}</span>`
    end = match.index + whole.length
  }
  return html + plain(text.slice(end))
}

function plain(text: string): string {
  return escape(text).replaceAll('$MANILLA_API_KEY', '<span class="key">$MANILLA_API_KEY</span>')
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
