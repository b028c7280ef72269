// The script of the documentation pages: the theme, tabs, copy buttons, the reader's key in the samples, and the search.
// Every page can be read without it.

;(() => {
  const script = document.currentScript

  /** A page in a sandbox has no storage. */
  function recall(storage, name) {
    try {
      return window[storage].getItem(name) ?? ''
    } catch {
      return ''
    }
  }
  function remember(storage, name, value) {
    try {
      window[storage].setItem(name, value)
    } catch {}
  }

  // Set before the browser draws the page, so that it does not flash in the other theme.
  const theme = recall('localStorage', 'manilla-docs-theme')
  if (theme !== '') document.documentElement.dataset.theme = theme

  /** The page accepts only staging keys, which move no real money. */
  const isStagingKey = (text) => /^sk_test_[A-Za-z0-9]{40}$/.test(text)
  const handedOver = new URLSearchParams(location.hash.slice(1)).get('key') ?? ''
  if (isStagingKey(handedOver)) {
    remember('sessionStorage', 'manilla-docs-key', handedOver)
    history.replaceState(null, '', location.pathname + location.search)
  }

  function element(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties)
    made.append(...children)
    return made
  }

  function addTheme(tools) {
    const button = element('button', { type: 'button' })
    const isDark = () => {
      const chosen = document.documentElement.dataset.theme
      return chosen === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark'
    }
    const label = () => (button.textContent = isDark() ? 'Light' : 'Dark')
    button.addEventListener('click', () => {
      const next = isDark() ? 'light' : 'dark'
      document.documentElement.dataset.theme = next
      remember('localStorage', 'manilla-docs-theme', next)
      label()
    })
    label()
    tools.append(button)
  }

  function showKey(key) {
    for (const place of document.querySelectorAll('.key')) {
      place.dataset.placeholder ??= place.textContent
      const placeholder = place.dataset.placeholder
      const quote = /^(\$|sk_)/.test(placeholder) ? '' : placeholder.startsWith('os.') ? '"' : "'"
      place.textContent = key === '' ? placeholder : `${quote}${key}${quote}`
    }
  }

  function addKey(tools) {
    const input = element('input', { type: 'password', autocomplete: 'off', spellcheck: false, id: 'own-key' })
    const note = element('p', { role: 'status' })
    const label = element('label', { htmlFor: 'own-key' }, 'Your staging key')
    const save = element('button', { type: 'button', className: 'primary' }, 'Use in the samples')
    const clear = element('button', { type: 'button' }, 'Remove')
    const text =
      'The samples then show your key instead of a variable. The key stays in this tab until you close it, and is sent nowhere.'
    const dialog = dialogOf('Your staging key', label, input, element('p', {}, text), note, save, clear)
    const button = element('button', { type: 'button', className: 'key-button' })
    function use(key) {
      remember('sessionStorage', 'manilla-docs-key', key)
      showKey(key)
      button.textContent = key === '' ? 'Add your key' : `Key …${key.slice(-4)}`
    }
    save.addEventListener('click', () => {
      const key = input.value.trim()
      if (!isStagingKey(key)) {
        note.textContent = 'A staging key is sk_test_ and 40 letters or digits. Never enter a live key here.'
        return
      }
      input.value = note.textContent = ''
      use(key)
      dialog.close()
    })
    clear.addEventListener('click', () => {
      use('')
      dialog.close()
    })
    button.addEventListener('click', () => dialog.showModal())
    use(recall('sessionStorage', 'manilla-docs-key'))
    tools.append(button)
  }

  function dialogOf(title, ...content) {
    const close = element('button', { type: 'button', className: 'close' }, 'Close')
    const dialog = element('dialog', { ariaLabel: title }, close, ...content)
    close.addEventListener('click', () => dialog.close())
    // A click on the backdrop hits the dialog itself.
    dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
    document.body.append(dialog)
    return dialog
  }

  function addCopyButtons() {
    for (const block of document.querySelectorAll('.code')) {
      const button = element('button', { type: 'button', className: 'copy' }, 'Copy')
      button.addEventListener('click', async () => {
        try {
          await navigator.clipboard.writeText(block.querySelector('code').textContent)
          button.textContent = 'Copied'
        } catch {
          button.textContent = 'Select and copy'
        }
        setTimeout(() => (button.textContent = 'Copy'), 2000)
      })
      block.append(button)
    }
  }

  function addTabs() {
    const groups = [...document.querySelectorAll('.tabs')].map(tabGroup)
    const choose = (language) => groups.forEach((show) => show(language))
    document.addEventListener('manilla-language', ({ detail }) => {
      remember('localStorage', 'manilla-docs-language', detail)
      choose(detail)
    })
    choose(recall('localStorage', 'manilla-docs-language'))
  }

  /** Returns a function that shows one language, or the first one where the group does not have it. */
  function tabGroup(group, number) {
    const panels = [...group.children]
    const list = element('div', { className: 'tab-list', role: 'tablist', ariaLabel: 'Language' })
    const tabs = panels.map((panel) => {
      const { language, label } = panel.dataset
      panel.id = `panel-${number}-${language}`
      const tab = element('button', { type: 'button', role: 'tab', id: `tab-${number}-${language}` }, label)
      tab.setAttribute('aria-controls', panel.id)
      panel.setAttribute('role', 'tabpanel')
      panel.setAttribute('aria-labelledby', tab.id)
      tab.addEventListener('click', () => pick(tab, language))
      return tab
    })
    function pick(tab, language) {
      // The groups above may change their height. Scroll so that the clicked tab stays in place.
      const before = tab.getBoundingClientRect().top
      document.dispatchEvent(new CustomEvent('manilla-language', { detail: language }))
      scrollBy(0, tab.getBoundingClientRect().top - before)
    }
    list.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
      if (step === undefined) return
      const next = (tabs.indexOf(event.target) + step + tabs.length) % tabs.length
      pick(tabs[next], panels[next].dataset.language)
      tabs[next].focus()
    })
    list.append(...tabs)
    group.prepend(list)
    group.classList.add('ready')
    return (language) => {
      const at = Math.max(
        panels.findIndex((panel) => panel.dataset.language === language),
        0,
      )
      tabs.forEach((tab, index) => {
        tab.ariaSelected = String(index === at)
        tab.tabIndex = index === at ? 0 : -1
        panels[index].hidden = index !== at
      })
    }
  }

  function addAnchors() {
    for (const heading of document.querySelectorAll('main h2[id], main h3[id]')) {
      const link = element('a', { className: 'anchor', href: `#${heading.id}` }, '#')
      link.ariaLabel = `Link to “${heading.textContent}”`
      heading.append(link)
    }
  }

  /** Scrolls a long menu to the current page, and marks the section that is being read. */
  function followReading() {
    const current = document.querySelector('.menu [aria-current]')
    const menu = document.querySelector('.menu')
    if (current !== null) menu.scrollTop = current.offsetTop - menu.offsetTop - menu.clientHeight / 3
    const links = new Map([...document.querySelectorAll('.sections a')].map((link) => [link.hash.slice(1), link]))
    const headings = [...document.querySelectorAll('main h2[id]')].filter(({ id }) => links.has(id))
    const mark = () => {
      const read = headings.findLast((heading) => heading.getBoundingClientRect().top < innerHeight / 4)
      for (const [id, link] of links) link.ariaCurrent = id === read?.id ? 'location' : null
    }
    document.addEventListener('scroll', mark, { passive: true })
    mark()
  }

  let index
  /** Loads the index as a script: that also works for pages in files, and the policy of the pages forbids requests. */
  function loadIndex() {
    index ??= new Promise((resolve, reject) => {
      const loader = element('script', { src: script.dataset.search })
      loader.addEventListener('load', () => resolve(globalThis.manillaSearch))
      loader.addEventListener('error', reject)
      document.head.append(loader)
    })
    return index
  }

  const resultsMax = 12

  function find(entries, query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    const scoreOf = ({ title, page, text }) => {
      let score = 0
      for (const word of words) {
        if (title.toLowerCase().includes(word)) score += title.toLowerCase() === word ? 20 : 10
        else if (page.toLowerCase().includes(word)) score += 4
        else if (text.toLowerCase().includes(word)) score += 1
        else return 0
      }
      return score
    }
    return entries
      .map((entry) => ({ entry, score: scoreOf(entry) }))
      .filter(({ score }) => score > 0)
      .toSorted((left, right) => right.score - left.score)
      .slice(0, resultsMax)
      .map(({ entry }) => entry)
  }

  function addSearch(tools) {
    const input = element('input', {
      type: 'text',
      id: 'search',
      autocomplete: 'off',
      placeholder: 'Search the docs',
    })
    const results = element('ul', { className: 'results' })
    const status = element('p', { role: 'status' })
    const label = element('label', { htmlFor: 'search' }, 'Search')
    const dialog = dialogOf('Search', label, input, status, results)
    async function search() {
      const query = input.value.trim()
      const found = query === '' ? [] : find(await loadIndex(), query)
      if (input.value.trim() !== query) return // The reader has typed something else since.
      status.textContent = query === '' ? '' : found.length === 0 ? `Nothing found for “${query}”.` : ''
      results.replaceChildren(
        ...found.map(({ page, title, address, text }) => {
          const name = page === title ? title : `${page} › ${title}`
          const link = element(
            'a',
            { href: address },
            element('strong', {}, name),
            element('span', {}, text.slice(0, 120)),
          )
          link.addEventListener('click', () => dialog.close())
          return element('li', {}, link)
        }),
      )
    }
    input.addEventListener('input', () => void search())
    dialog.addEventListener('keydown', (event) => {
      const links = [...results.querySelectorAll('a')]
      const at = links.indexOf(document.activeElement)
      if (event.key === 'Enter' && at === -1) links[0]?.click()
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
      event.preventDefault()
      const next = at + (event.key === 'ArrowDown' ? 1 : -1)
      if (next < 0) input.focus()
      else links[Math.min(next, links.length - 1)]?.focus()
    })
    const open = () => {
      void loadIndex()
      dialog.showModal()
      input.select()
    }
    const button = element('button', { type: 'button', className: 'search-button' }, 'Search', element('kbd', {}, '/'))
    button.addEventListener('click', open)
    document.addEventListener('keydown', (event) => {
      const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName ?? '')
      const isWanted = event.key === '/' || (event.key === 'k' && (event.metaKey || event.ctrlKey))
      if (!isWanted || isTyping || dialog.open) return
      event.preventDefault()
      open()
    })
    tools.append(button)
  }

  /** On a narrow screen the link opens the menu, and a second click closes it. Removes the link if there is no menu. */
  function toggleMenu() {
    const link = document.querySelector('.menu-button')
    if (document.querySelector('#menu') === null) return link.remove()
    link.addEventListener('click', (event) => {
      if (location.hash !== '#menu') return
      event.preventDefault()
      location.hash = '#content'
    })
  }

  document.addEventListener('DOMContentLoaded', () => {
    const tools = element('div', { className: 'tools' })
    addSearch(tools)
    if (document.querySelector('.key') !== null) addKey(tools)
    addTheme(tools)
    document.querySelector('header').append(tools)
    addTabs()
    addCopyButtons()
    addAnchors()
    followReading()
    toggleMenu()
  })
})()
