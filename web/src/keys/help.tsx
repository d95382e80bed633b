import { useEffect, useRef } from 'react'

const keys: [keys: string, does: string][] = [
  ['Ctrl-K', 'go to a page, a job, a concept or a document, or do what the page offers'],
  ['?', 'this list'],
  ['Tab, Shift-Tab', 'to the next thing that can be used, or the one before'],
  ['Enter, Space', 'use it; Space selects a row'],
  ['Escape', 'close what is open'],
  ['← → ↑ ↓', 'scroll a table that has the focus; choose in the palette and in lists'],
  ['Ctrl-Enter', 'ask the question, where SQL is typed'],
]

export default function Help({ close }: { close: () => void }) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (!ref.current?.open) ref.current?.showModal()
  }, [])
  return (
    <dialog ref={ref} aria-label="Keys" onClose={close}>
      <h2>Keys</h2>
      <dl className="pairs">
        {keys.map(([key, does]) => (
          <div key={key} className="pair">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div className="actions">
        <button onClick={() => ref.current?.close()}>Close</button>
      </div>
    </dialog>
  )
}
