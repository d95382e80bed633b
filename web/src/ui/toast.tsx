import { useSyncExternalStore } from 'react'

let messages: { id: number; text: string; bad: boolean }[] = []
let last = 0
const listeners = new Set<() => void>()
const set = (next: typeof messages) => {
  messages = next
  for (const f of listeners) f()
}

/** toast says for a while what became of an act; a failure stays until it is closed. */
export function toast(text: string, bad = false) {
  const id = ++last
  set([...messages, { id, text, bad }])
  if (!bad) setTimeout(() => set(messages.filter((m) => m.id !== id)), 6000)
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (f) => (listeners.add(f), () => listeners.delete(f)),
    () => messages,
  )
  return (
    <div className="toasts" role="status">
      {shown.map((m) => (
        <div key={m.id} className={m.bad ? 'toast bad' : 'toast'}>
          <span>{m.text}</span>
          <button onClick={() => set(messages.filter((o) => o.id !== m.id))}>Close</button>
        </div>
      ))}
    </div>
  )
}
