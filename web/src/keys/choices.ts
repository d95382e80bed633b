/** Something that the palette leads to or does. */
export interface Choice {
  kind: 'page' | 'act' | 'job' | 'concept' | 'document'
  name: string
  detail?: string
  to?: string // an address within the console
  run?: () => void
}

/** matching returns the choices whose name has all words that were typed, those first whose name begins so. */
export function matching(choices: Choice[], typed: string): Choice[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = (c: Choice) => (words[0] && c.name.toLowerCase().startsWith(words[0]) ? 0 : 1)
  return choices.filter((c) => words.every((w) => c.name.toLowerCase().includes(w))).sort((a, b) => rank(a) - rank(b))
}

/** actsOf are the buttons that a page offers for what is selected in it, and for the whole of it. */
export function actsOf(page: ParentNode): Choice[] {
  return [...page.querySelectorAll<HTMLButtonElement>('.bulk button:not(:disabled), .pagehead .actions button:not(:disabled)')].map((button) => ({
    kind: 'act' as const,
    name: (button.getAttribute('aria-label') ?? button.textContent ?? '').trim(),
    detail: button.closest('.bulk') ? 'with the selection' : 'on this page',
    run: () => button.click(),
  }))
}
