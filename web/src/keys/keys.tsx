import { lazy, Suspense, useEffect, useState } from 'react'

const Palette = lazy(() => import('./palette'))
const Help = lazy(() => import('./help'))

/** Keys opens the palette with Ctrl-K and the list of keys with ?, wherever one is. */
export function Keys() {
  const [open, setOpen] = useState<'palette' | 'help' | null>(null)
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      if (document.querySelector('dialog[open]')) return
      // A field of a dialog that has just closed may have the focus for a moment still.
      const typing = e.target instanceof HTMLElement && e.target.matches('input, textarea, select, [contenteditable]') && !e.target.closest('dialog:not([open])')
      const wants = (e.ctrlKey || e.metaKey) && !e.altKey && e.key.toLowerCase() === 'k' ? 'palette' : e.key === '?' && !typing && !e.ctrlKey && !e.metaKey ? 'help' : null
      if (!wants) return
      e.preventDefault()
      setOpen(wants)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  // The other one may be open already when one says that it is closed.
  const close = (what: typeof open) => () => setOpen((was) => (was === what ? null : was))
  return (
    <>
      <button onClick={() => setOpen('palette')} aria-keyshortcuts="Control+K" title="Ctrl-K">
        Go to…
      </button>
      <Suspense fallback={null}>
        {open === 'palette' && <Palette close={close('palette')} />}
        {open === 'help' && <Help close={close('help')} />}
      </Suspense>
    </>
  )
}
